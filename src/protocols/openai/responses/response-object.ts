// The response object: the fields that it repeats from its request, and its final state.
// https://platform.openai.com/docs/api-reference/responses/object
import { STANDARD_TIER } from '../../../domain/service-tiers.ts'
import type { Usage } from '../../../domain/usage.ts'
import type { AnswerContext, StopReason } from '../../canonical/answer.ts'
import { type Json, type JsonObject, objectIn } from '../../wire/json.ts'
import { responseId } from './ids.ts'
import { writeUsage } from './usage.ts'

/** Fields of a request that its response repeats, with their values if the caller did not set them. */
const REPEATED: Readonly<Record<string, Json>> = {
  instructions: null,
  max_output_tokens: null,
  max_tool_calls: null,
  metadata: {},
  parallel_tool_calls: true,
  previous_response_id: null,
  prompt_cache_key: null,
  safety_identifier: null,
  store: true,
  temperature: 1,
  tool_choice: 'auto',
  tools: [],
  top_logprobs: 0,
  top_p: 1,
  truncation: 'disabled',
  user: null,
}

/** All fields of a request that are needed to encode its answer. */
export const ECHOED_FIELDS: readonly string[] = [...Object.keys(REPEATED), 'reasoning', 'text', 'include']

/** A response without its output. */
export function skeletonOf({ id, model, created_s, request_fields = {} }: AnswerContext): JsonObject {
  const repeated = Object.entries(REPEATED).map(([name, value]) => [name, request_fields[name] ?? value])
  return {
    id: responseId(id),
    object: 'response',
    created_at: created_s,
    status: 'in_progress',
    background: false,
    completed_at: null,
    error: null,
    incomplete_details: null,
    model,
    output: [],
    ...Object.fromEntries(repeated),
    reasoning: { effort: null, summary: null, ...objectIn(request_fields.reasoning) },
    service_tier: 'default',
    text: { format: { type: 'text' }, ...objectIn(request_fields.text) },
    usage: null,
  }
}

/** The reasons of incomplete responses; other stop reasons mean a complete one. */
const INCOMPLETE: Readonly<Partial<Record<StopReason, string>>> = {
  length: 'max_output_tokens',
  context_window: 'max_output_tokens',
  safety: 'content_filter',
  recitation: 'content_filter',
}

interface Ending {
  stop_reason: StopReason
  output: JsonObject[]
  usage: Usage | undefined
  service_tier?: string | undefined
}

/** A refusal by the provider without text counts as a content filter's. */
const reasonOf = ({ stop_reason, output }: Ending): string | undefined =>
  stop_reason === 'refusal' && !output.some(isRefused) ? 'content_filter' : INCOMPLETE[stop_reason]

const isRefused = ({ content }: JsonObject): boolean =>
  Array.isArray(content) && content.some((part) => objectIn(part).type === 'refusal')

/** The service tier; this protocol has its own name for the standard one. */
const tierOf = ({ service_tier = STANDARD_TIER }: Ending): string =>
  service_tier === STANDARD_TIER ? 'default' : service_tier

/** The final response. @param ended_s Unix time */
export function endedResponse(skeleton: JsonObject, ending: Ending, ended_s: number): JsonObject {
  const reason = reasonOf(ending)
  return {
    ...skeleton,
    status: reason === undefined ? 'completed' : 'incomplete',
    completed_at: reason === undefined ? ended_s : null,
    incomplete_details: reason === undefined ? null : { reason },
    output: ending.output,
    service_tier: tierOf(ending),
    usage: ending.usage ? writeUsage(ending.usage) : null,
  }
}
