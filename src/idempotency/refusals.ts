// The refusals of requests with an Idempotency-Key.
import { conflict, type GatewayError, invalidRequest, unprocessable } from '../domain/errors.ts'

export const malformedIdempotencyKey = (): GatewayError =>
  invalidRequest('Idempotency-Key: must be 1 to 255 printable ASCII characters, such as a UUID.', {
    param: 'Idempotency-Key',
  })

export const keyOfAnotherRequest = (): GatewayError =>
  unprocessable(
    'This Idempotency-Key was used for another request within the last 24 hours. Send a new key with a new request.',
    { code: 'idempotency_key_reused' },
  )

export const requestUnderWay = (): GatewayError =>
  conflict('The first request with this Idempotency-Key is still in progress. Retry after a moment.', {
    code: 'idempotency_key_in_use',
    retry_after_s: 1,
  })

export const answerLost = (): GatewayError =>
  conflict(
    'The first request with this Idempotency-Key was charged, but its answer is not available: it was interrupted, the client disconnected, it was too large to keep, or newer answers replaced it. To repeat the call and be charged again, send a new key.',
    { code: 'idempotent_answer_lost' },
  )
