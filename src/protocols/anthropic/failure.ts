// Owns what a refusal of the vendor means: whose doing it is, and when to come back.
import type { UpstreamFailure } from '../facts.ts'
import { DEFAULT_FAILURE_CLASSES, type FailureClass } from '../failure-class.ts'
import { refusalWords } from '../refusal-words.ts'
import { objectIn, parseObject, stringIn } from '../wire/json.ts'
import { retryAfter } from '../wire/retry-after.ts'

/** https://platform.claude.com/docs/en/api/errors. */
const FAILURE_CLASS_BY_STATUS: Readonly<Record<number, FailureClass>> = {
  ...DEFAULT_FAILURE_CLASSES,
  409: 'bad_request',
  503: 'rate_limited',
  529: 'rate_limited',
}

/** An empty purse is told as a plain 400, with nothing but its words to know it by. */
const OUT_OF_CREDIT = /credit balance is too low/i

/** Reads a refusal. @param body the vendor's JSON, or HTML of something in between, or nothing */
export function readFailure(status: number, headers: Headers, body: string): UpstreamFailure {
  const said = stringIn(objectIn(parseObject(body)?.error).message)
  const message = refusalWords(said, status, body)
  return {
    failure_class: OUT_OF_CREDIT.test(message)
      ? 'bad_key'
      : (FAILURE_CLASS_BY_STATUS[status] ?? 'upstream_error'),
    message,
    retry_after_s: retryAfter(headers),
  }
}
