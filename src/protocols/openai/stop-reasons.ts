// The table between a chat completion's finish_reason and the canonical stop reasons.
import type { StopReason } from '../canonical/answer.ts'
import { lookUp } from '../wire/json.ts'

const READ: Readonly<Record<string, StopReason>> = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'tool_use',
  function_call: 'tool_use',
  content_filter: 'safety',
}

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

/** The canonical reason; `other` for an unknown one. */
export const readStop = (finish_reason: string): StopReason => lookUp(READ, finish_reason) ?? 'other'

export const writeStop = (reason: StopReason): string => WRITTEN[reason]
