// Headers of answers that several operations share.
import { count, type Schema, text } from './schema.ts'

/** Every answer has the first. */
export const HEADERS = {
  'x-request-id': text('The id of the request, which its record in the usage has too.'),
  'request-id': text("The same under Anthropic's name."),
  'retry-after': count('Seconds to wait before the next try, where a time is known.'),
  'x-ratelimit-limit-requests': count(
    'Image calls that the account may make in 60 seconds. On image calls only.',
  ),
  'x-ratelimit-remaining-requests': count('Image calls that are left of them.'),
  'x-ratelimit-reset-requests': text('When the next one is free, such as `12s`.'),
  'x-tollgate-upstream-model': text("The provider's own name of the model."),
  'x-tollgate-output-limit': count(
    'The output limit that was sent to the provider, where it is lower than what was asked for.',
  ),
  'x-tollgate-dropped': text('Names of what the model has no place for, and was left out.'),
  'idempotent-replayed': text(
    '`true` where this is the kept answer to an earlier request with the same `Idempotency-Key`.',
  ),
} as const satisfies Record<string, Schema>

export type HeaderName = keyof typeof HEADERS

/** Of answers to paid calls. */
export const PAID_HEADERS: readonly HeaderName[] = ['x-tollgate-upstream-model', 'idempotent-replayed']
/** Of answers in text. */
export const TEXT_HEADERS: readonly HeaderName[] = [
  ...PAID_HEADERS,
  'x-tollgate-output-limit',
  'x-tollgate-dropped',
]
export const RATE_HEADERS: readonly HeaderName[] = [
  'x-ratelimit-limit-requests',
  'x-ratelimit-remaining-requests',
  'x-ratelimit-reset-requests',
]
