// The refusals of requests with an Idempotency-Key.
import { conflict, type GatewayError, invalidRequest, unprocessable } from '../domain/errors.ts'

export const malformedKey = (): GatewayError =>
  invalidRequest('Idempotency-Key: must be 1 to 255 printable ASCII characters, such as a UUID.', {
    param: 'Idempotency-Key',
  })

export const anotherRequest = (): GatewayError =>
  unprocessable(
    'This Idempotency-Key was used for another request within the last 24 hours. Send a new key with a new request.',
    { code: 'idempotency_key_reused' },
  )

export const stillUnderWay = (): GatewayError =>
  conflict('The first request with this Idempotency-Key is still under way. Retry after a moment.', {
    code: 'idempotency_key_in_use',
    retry_after_s: 1,
  })

export const answerIsLost = (): GatewayError =>
  conflict(
    'The first request with this Idempotency-Key was charged, but its answer was broken off, was not waited for, is too large to be kept, or was given up for newer ones. To repeat the call and be charged again, send a new key.',
    { code: 'idempotent_answer_lost' },
  )

export const anotherDeed = (): GatewayError =>
  unprocessable(
    'deed: this id was used for another movement of money within the last 24 hours. Send a new one.',
    {
      param: 'deed',
      code: 'deed_reused',
    },
  )
