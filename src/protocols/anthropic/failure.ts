// Owns what a refusal of the vendor means: whose doing it is, and when to come back.
import { type Blame, COMMON_BLAME } from '../failure-class.ts'
import { objectIn, parseObject, stringIn } from '../wire/json.ts'
import type { UpstreamFailure } from '../protocol.ts'
import { refusalWords } from '../refusal-words.ts'
import { retryAfter } from '../wire/retry-after.ts'

/** https://platform.claude.com/docs/en/api/errors. */
const BLAME_BY_STATUS: Readonly<Record<number, Blame>> = {
  ...COMMON_BLAME,
  409: 'request',
  503: 'busy',
  529: 'busy',
}

/** An empty purse is told as a plain 400, with nothing but its words to know it by. */
const OUT_OF_CREDIT = /credit balance is too low/i

/** Reads a refusal. @param body the vendor's JSON, or HTML of something in between, or nothing */
export function readFailure(status: number, headers: Headers, body: string): UpstreamFailure {
  const said = stringIn(objectIn(parseObject(body)?.error).message)
  const message = refusalWords(said, status, body)
  return {
    blame: OUT_OF_CREDIT.test(message) ? 'key' : (BLAME_BY_STATUS[status] ?? 'broken'),
    message,
    retry_after_s: retryAfter(headers),
  }
}
