// The mapping between finishReason and the canonical stop reasons.
// https://ai.google.dev/api/generate-content#FinishReason
import type { StopReason } from '../canonical/answer.ts'
import { lookUp } from '../wire/json.ts'

const READ: Readonly<Record<string, StopReason>> = {
  STOP: 'stop',
  MAX_TOKENS: 'length',
  CONTINUATION: 'length',
  SAFETY: 'safety',
  BLOCKLIST: 'safety',
  PROHIBITED_CONTENT: 'safety',
  SPII: 'safety',
  IMAGE_SAFETY: 'safety',
  IMAGE_PROHIBITED_CONTENT: 'safety',
  RECITATION: 'recitation',
  IMAGE_RECITATION: 'recitation',
  MALFORMED_FUNCTION_CALL: 'malformed',
  MALFORMED_RESPONSE: 'malformed',
  UNEXPECTED_TOOL_CALL: 'malformed',
  TOO_MANY_TOOL_CALLS: 'malformed',
}

const WRITTEN: Readonly<Record<StopReason, string>> = {
  stop: 'STOP',
  stop_sequence: 'STOP',
  tool_use: 'STOP',
  length: 'MAX_TOKENS',
  context_window: 'MAX_TOKENS',
  safety: 'SAFETY',
  refusal: 'SAFETY',
  recitation: 'RECITATION',
  malformed: 'MALFORMED_FUNCTION_CALL',
  pause: 'OTHER',
  other: 'OTHER',
}

/** Whether the provider could not parse the model's tool call: there is no answer, and a retry usually helps. */
export const isFailure = (finish_reason: string | undefined): boolean =>
  finish_reason === 'MALFORMED_FUNCTION_CALL'

/** The canonical reason; `other` for an unknown one. The provider also sends STOP for tool calls. */
export function readStop(finish_reason: string, calls_tools: boolean): StopReason {
  const reason = lookUp(READ, finish_reason) ?? 'other'
  return reason === 'stop' && calls_tools ? 'tool_use' : reason
}

export const writeStop = (reason: StopReason): string => WRITTEN[reason]
