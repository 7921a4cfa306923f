// Owns what a refusal of a provider means: whose doing it is, and when to come back.
import type { UpstreamFailure } from '../facts.ts'
import { DEFAULT_FAILURE_CLASSES, type FailureClass } from '../failure-class.ts'
import { refusalWords } from '../refusal-words.ts'
import { type JsonObject, objectIn, parseObject, stringIn } from '../wire/json.ts'
import { retryAfter } from '../wire/retry-after.ts'

/** https://platform.openai.com/docs/guides/error-codes; 402 is OpenRouter's. */
const FAILURE_CLASS_BY_STATUS: Readonly<Record<number, FailureClass>> = {
  ...DEFAULT_FAILURE_CLASSES,
  409: 'bad_request',
  503: 'rate_limited',
}

/** Codes that say more than the status they come with. */
const FAILURE_CLASS_BY_CODE: Readonly<Record<string, FailureClass>> = {
  insufficient_quota: 'bad_key',
  billing_hard_limit_reached: 'bad_key',
  invalid_api_key: 'bad_key',
  model_not_found: 'upstream_error',
  /** OpenRouter and moderation: the prompt is at fault, though the status is 403. */
  content_policy_violation: 'bad_request',
  content_filter: 'bad_request',
}

/** Reads a refusal. @param body an OpenAI error, Ollama's bare text of one, one in an array (Google), HTML, or nothing */
export function readFailure(status: number, headers: Headers, body: string): UpstreamFailure {
  const error = readError(body)
  const message = refusalWords(stringIn(error.message), status, body)
  return {
    failure_class:
      FAILURE_CLASS_BY_CODE[stringIn(error.code) ?? ''] ??
      FAILURE_CLASS_BY_STATUS[status] ??
      'upstream_error',
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
