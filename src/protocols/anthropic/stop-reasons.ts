// The mapping between stop_reason and the canonical stop reasons.
// https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons
import type { StopReason } from '../canonical/answer.ts'
import { lookUp } from '../wire/json.ts'

const READ: Readonly<Record<string, StopReason>> = {
  end_turn: 'stop',
  max_tokens: 'length',
  stop_sequence: 'stop_sequence',
  tool_use: 'tool_use',
  pause_turn: 'pause',
  refusal: 'refusal',
  model_context_window_exceeded: 'context_window',
  // From servers that pass on stop reasons of other protocols.
  stop: 'stop',
  length: 'length',
  tool_calls: 'tool_use',
  sensitive: 'safety',
}

const WRITTEN: Readonly<Record<StopReason, string>> = {
  stop: 'end_turn',
  stop_sequence: 'stop_sequence',
  length: 'max_tokens',
  context_window: 'model_context_window_exceeded',
  tool_use: 'tool_use',
  safety: 'refusal',
  recitation: 'refusal',
  refusal: 'refusal',
  pause: 'pause_turn',
  malformed: 'end_turn',
  other: 'end_turn',
}

/** The canonical reason; `other` for an unknown one. */
export const readStop = (stop_reason: string): StopReason => lookUp(READ, stop_reason) ?? 'other'

export const writeStop = (reason: StopReason): string => WRITTEN[reason]
