// Owns what a refusal of a provider means: whose doing it is, and when to come back.
import { type Blame, COMMON_BLAME } from '../failure-class.ts'
import { objectIn, parseObject, stringIn } from '../wire/json.ts'
import type { JsonObject, UpstreamFailure } from '../protocol.ts'
import { refusalWords } from '../refusal-words.ts'
import { retryAfter } from '../wire/retry-after.ts'

/** https://platform.openai.com/docs/guides/error-codes; 402 is OpenRouter's. */
const BLAME_BY_STATUS: Readonly<Record<number, Blame>> = {
  ...COMMON_BLAME,
  409: 'request',
  503: 'busy',
}

/** Codes that say more than the status they come with. */
const BLAME_BY_CODE: Readonly<Record<string, Blame>> = {
  insufficient_quota: 'key',
  billing_hard_limit_reached: 'key',
  invalid_api_key: 'key',
  model_not_found: 'broken',
  /** OpenRouter and moderation: the prompt is at fault, though the status is 403. */
  content_policy_violation: 'request',
  content_filter: 'request',
}

/** Reads a refusal. @param body an OpenAI error, Ollama's bare text of one, one in an array (Google), HTML, or nothing */
export function readFailure(status: number, headers: Headers, body: string): UpstreamFailure {
  const error = readError(body)
  const message = refusalWords(stringIn(error.message), status, body)
  return {
    blame: BLAME_BY_CODE[stringIn(error.code) ?? ''] ?? BLAME_BY_STATUS[status] ?? 'broken',
    message,
    retry_after_s: retryAfter(headers),
  }
}

function readError(body: string): JsonObject {
  const first = body.startsWith('[') ? parseObject(`{"list":${body}}`)?.list : undefined
  const answer = Array.isArray(first) ? objectIn(first[0]) : parseObject(body)
  const error = answer?.error
  return typeof error === 'string' ? { message: error } : objectIn(error)
}
