// The form of a server's answers in the chat completions API: the places of thinking, usage and its own fields.
import type { Totals } from '../answer.ts'
import type { Call } from '../dialect.ts'
import type { JsonObject } from '../json.ts'

/** The output of an answer besides its tool calls. */
export interface Output {
  /** Empty if it did not think. */
  readonly thinking: string
  /** Null if it has only tool calls, or refuses. */
  readonly text: string | null
  /** The words of a refusal; undefined for all others. */
  readonly refusal?: string | undefined
}

export interface ToolCall {
  readonly id: string
  readonly name: string
  readonly args: string
}

/** The place of a part of an answer. */
type Place = 'whole' | 'first' | 'middle' | 'last'

export interface Form {
  readonly id_prefix: string
  /** The id of a tool call, from a hash, or the name of its tool and its place among the calls. */
  callId(hash: string, name: string, index: number): string
  /** Fields of an answer or a chunk beside its id, time, model, choices and usage. */
  around(call: Call, place: Place, usage: JsonObject | undefined): JsonObject
  /** The fields of a message for its output. */
  message(output: Output): JsonObject
  /** The deltas for a piece of thinking; absent if thinking is never visible. */
  readonly thinkingDelta?: (thinking: string) => JsonObject
  textDelta(text: string): JsonObject
  refusalDelta(words: string): JsonObject
  /** One tool call: of a message, or its start in a stream. */
  toolCall(call: ToolCall, index: number): JsonObject
  /** Whether the arguments of a tool call come in pieces after its start. */
  readonly streams_arguments: boolean
  /** Fields of a choice beside its index, message or delta, and reason to finish. */
  choice(logprobs: JsonObject | null, place: Place, usage: JsonObject | undefined): JsonObject
  /** The delta before all others; undefined if the first piece has the role. */
  readonly opening: JsonObject | undefined
  /** The delta with the reason to finish; undefined if the last piece has it. */
  readonly closing: JsonObject | undefined
  /** The chunk of a stream that has the usage: one of its own if the request asks for it, always, or the last choice's. */
  readonly usage_in: 'requested chunk' | 'own chunk' | 'last choice'
  /** The choices of a chunk that is for usage only. */
  readonly usage_choices: readonly JsonObject[]
  /** The field for usage in the chunks before it. */
  readonly before_usage: JsonObject
  usage(totals: Totals, call: Call): JsonObject
  /** A comment at the beginning of a stream, without its line end; empty for none. */
  readonly comment: string
}
