// The meaning of a refusal in the messages protocol: its failure class, and when to come back.
import type { UpstreamFailure } from '../facts.ts'
import { DEFAULT_FAILURE_CLASSES, type FailureClass } from '../failure-class.ts'
import { Fields, optional, Text, uncheckedIn } from '../forms.ts'
import { refusalMessage } from '../refusal-message.ts'
import { parseObject, stringIn } from '../wire/json.ts'
import { retryAfter } from '../wire/retry-after.ts'

export const ErrorDetail = Fields({ message: optional(Text) })

/** https://platform.claude.com/docs/en/api/errors. */
const FAILURE_CLASS_BY_STATUS: Readonly<Record<number, FailureClass>> = {
  ...DEFAULT_FAILURE_CLASSES,
  409: 'bad_request',
  503: 'rate_limited',
  529: 'rate_limited',
}

/** An account without credit is answered with a plain 400, which only its message tells apart. */
const OUT_OF_CREDIT = /credit balance is too low/i

/** Reads a refusal. @param body the provider's JSON, or HTML of a proxy, or nothing */
export function readFailure(status: number, headers: Headers, body: string): UpstreamFailure {
  const error = uncheckedIn<typeof ErrorDetail>(parseObject(body)?.error)
  const message = refusalMessage(stringIn(error.message), status, body)
  return {
    failure_class: OUT_OF_CREDIT.test(message)
      ? 'bad_key'
      : (FAILURE_CLASS_BY_STATUS[status] ?? 'upstream_error'),
    message,
    retry_after_s: retryAfter(headers),
  }
}
