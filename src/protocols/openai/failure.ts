// Failures of chat completions and responses: their failure class, message and time to wait.
import type { ReportedUsage } from '../../domain/usage.ts'
import { CONTEXT_LENGTH_EXCEEDED, type UpstreamFailure } from '../facts.ts'
import { DEFAULT_FAILURE_CLASSES, type FailureClass } from '../failure-class.ts'
import { classifyTooLong, refusalMessage, reportsError, retryDelay } from '../failures.ts'
import {
  countIn,
  type Json,
  type JsonObject,
  lookUp,
  objectIn,
  objectsIn,
  parseObject,
  stringIn,
} from '../wire/json.ts'
import { retryAfter } from '../wire/retry-after.ts'
import { readUsage as readResponseUsage } from './responses/usage.ts'
import { readUsage } from './usage.ts'

/** The code for encrypted reasoning that another key, or another organisation, issued. */
const UNREADABLE_REASONING = 'invalid_encrypted_content'

/** Only verified organisations get summaries. https://github.com/OpenHands/software-agent-sdk/issues/987 */
const SUMMARY = 'reasoning.summary'

/** https://platform.openai.com/docs/guides/error-codes; 402 is OpenRouter's. */
const FAILURE_CLASS_BY_STATUS: Readonly<Record<number, FailureClass>> = {
  ...DEFAULT_FAILURE_CLASSES,
  409: 'bad_request',
}

/** Codes that are more specific than their status. */
const FAILURE_CLASS_BY_CODE: Readonly<Record<string, FailureClass>> = {
  insufficient_quota: 'bad_key',
  billing_hard_limit_reached: 'bad_key',
  invalid_api_key: 'bad_key',
  model_not_found: 'upstream_error',
  /** OpenRouter's moderation: the prompt is at fault, although the status is 403. */
  content_policy_violation: 'bad_request',
  content_filter: 'bad_request',
  /** A response that fails after it began has no status, and its error no type. */
  invalid_prompt: 'bad_request',
  [CONTEXT_LENGTH_EXCEEDED]: 'bad_request',
  overloaded: 'overloaded',
  server_is_overloaded: 'overloaded',
  slow_down: 'overloaded',
  upstream_timeout: 'timed_out',
}

/** The HTTP status of an error reported under status 200, by its type; 500 for other types. */
const STATUS_BY_TYPE: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  insufficient_quota: 402,
  permission_error: 403,
  rate_limit_error: 429,
  rate_limit_exceeded: 429,
  requests: 429,
  tokens: 429,
  overloaded_error: 503,
  service_unavailable_error: 503,
}

/**
 * Reads a refusal.
 * @param status 200 for an error inside an answer: its code (a number at OpenRouter) or type then decides the status
 * @param body an OpenAI error, one as a bare text (Ollama) or in an array (Google), a proxy's HTML, or nothing
 */
export function readFailure(status: number, headers: Headers, body: string): UpstreamFailure {
  const error = readError(body)
  const message = refusalMessage(stringIn(error.message) ?? listedIn(error), status, body)
  const error_status = status === 200 ? statusIn(error) : status
  const failure: UpstreamFailure = {
    failure_class:
      lookUp(FAILURE_CLASS_BY_CODE, error.code) ?? FAILURE_CLASS_BY_STATUS[error_status] ?? 'upstream_error',
    message,
    retry_after_s: retryDelay(error) ?? retryAfter(headers),
    ...(error.code === UNREADABLE_REASONING ? { cannot_read_reasoning: true } : {}),
    usage: status === 200 ? billedIn(body) : undefined,
    ...(error.param === SUMMARY ? { refuses_summary: true } : {}),
  }
  return classifyTooLong(failure, stringIn(error.code))
}

/** The usage of an answer that failed after it started, which OpenRouter bills. */
const billedIn = (body: string): ReportedUsage | undefined => {
  const answer = parseObject(body)
  return answer && (readUsage(answer) ?? readResponseUsage(answer))
}

const statusIn = ({ code, type }: JsonObject): number =>
  countIn(code) ?? lookUp(STATUS_BY_TYPE, type) ?? lookUp(STATUS_BY_TYPE, code) ?? 500

/**
 * The errors of each field, as servers written with Pydantic list them: https://github.com/nomtek/mistralai_client_dart/issues/44.
 * @returns undefined without such a list
 */
function listedIn({ message }: JsonObject): string | undefined {
  const listed = objectsIn(objectIn(message).detail).flatMap(({ loc, msg }) => {
    const path = Array.isArray(loc) ? loc.filter((step) => step !== 'body').join('.') : ''
    return typeof msg === 'string' ? `${path}: ${msg}` : []
  })
  return listed.length === 0 ? undefined : listed.slice(0, MAX_FIELD_ERRORS).join('; ')
}

/** Every message of a long body may be wrong. */
const MAX_FIELD_ERRORS = 10

/** The error is in a field, in a failed response, or the whole body: an event of a response, or the body of older vLLM. */
const errorIn = (answer: JsonObject): Json | undefined =>
  answer.error ?? objectIn(answer.response).error ?? (reportsError(answer) ? answer : undefined)

/** The error in a refusal's body; empty without one. */
export function readError(body: string): JsonObject {
  const first = body.startsWith('[') ? parseObject(`{"list":${body}}`)?.list : undefined
  const answer = Array.isArray(first) ? objectIn(first[0]) : parseObject(body)
  const error = answer && errorIn(answer)
  return typeof error === 'string' ? { message: error } : objectIn(error)
}
