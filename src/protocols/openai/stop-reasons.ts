// The mapping between finish_reason and the canonical stop reasons.
import type { StopReason } from '../canonical/answer.ts'
import { type Json, lookUp } from '../wire/json.ts'

const OWN: Readonly<Record<string, StopReason>> = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'tool_use',
  function_call: 'tool_use',
  content_filter: 'safety',
}

/**
 * Reasons of other servers, in lower case: Mistral (https://docs.mistral.ai/api, `model_length`), Zhipu (https://docs.z.ai, `sensitive`),
 * text-generation-inference (`eos_token`), Cohere (`MAX_TOKENS`), and servers that pass on reasons of Claude or Gemini
 * (https://ai.google.dev/api/generate-content#FinishReason).
 */
const OTHERS: Readonly<Record<string, StopReason>> = {
  eos_token: 'stop',
  end_turn: 'stop',
  complete: 'stop',
  stop_sequence: 'stop_sequence',
  model_length: 'length',
  max_tokens: 'length',
  max_output_tokens: 'length',
  model_context_window_exceeded: 'context_window',
  tool_use: 'tool_use',
  sensitive: 'safety',
  safety: 'safety',
  blocklist: 'safety',
  prohibited_content: 'safety',
  spii: 'safety',
  image_safety: 'safety',
  recitation: 'recitation',
  unexpected_tool_call: 'malformed',
  refusal: 'refusal',
}

/** Reasons of interrupted answers: Mistral and OpenRouter, Zhipu, DeepSeek (https://api-docs.deepseek.com), vLLM and Gemini. */
const FAILURES: ReadonlySet<string> = new Set([
  'error',
  'network_error',
  'insufficient_system_resource',
  'abort',
  'malformed_function_call',
])

const WRITTEN: Readonly<Record<StopReason, string>> = {
  stop: 'stop',
  stop_sequence: 'stop',
  length: 'length',
  context_window: 'length',
  tool_use: 'tool_calls',
  safety: 'content_filter',
  recitation: 'content_filter',
  refusal: 'content_filter',
  pause: 'stop',
  malformed: 'stop',
  other: 'stop',
}

/** Whether the answer was interrupted. */
export const isFailure = (finish_reason: Json | undefined): boolean =>
  typeof finish_reason === 'string' && reasonsIn(finish_reason).some((word) => FAILURES.has(word))

/** Google's chat completions give two reasons: `content_filter: RECITATION`, `function_call_filter: MALFORMED_FUNCTION_CALL`. */
const reasonsIn = (finish_reason: string): string[] => finish_reason.toLowerCase().split(': ')

/** The canonical reason; `other` for an unknown one. */
export function readStop(finish_reason: string): StopReason {
  for (const word of reasonsIn(finish_reason)) {
    const reason = lookUp(OWN, word) ?? lookUp(OTHERS, word)
    if (reason) return reason
  }
  return 'other'
}

/** The reason as a value that OpenAI's own clients know; undefined for none. Some servers send an empty text before the end. */
export function ownStop(finish_reason: Json | undefined): string | undefined {
  if (typeof finish_reason !== 'string' || finish_reason === '' || finish_reason === 'null') return undefined
  return Object.hasOwn(OWN, finish_reason) ? finish_reason : writeStop(readStop(finish_reason))
}

export const writeStop = (reason: StopReason): string => WRITTEN[reason]
