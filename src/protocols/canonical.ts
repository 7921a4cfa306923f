// Owns the one form of a conversation in the middle of every translation: a request, an answer, and a stream's events.
import type { GatewayError } from '../domain/errors.ts'
import type { Usage } from '../domain/usage.ts'
import { type JsonObject, parseObject } from './wire/json.ts'

export type ProtocolName = 'gemini' | 'anthropic' | 'openai'

/**
 * A vendor's seal on what its model thought, without which it refuses the next turn. It means something to its issuer only:
 * each protocol sends its own back, and carries the others' for the caller.
 */
export interface Signature {
  readonly issuer: ProtocolName
  readonly value: string
}

/** Bytes as base64, or an address that the model's vendor is to read. */
export type Source =
  | { readonly by: 'data'; readonly mime_type: string; readonly data: string }
  | { readonly by: 'url'; readonly url: string }

export interface TextPart {
  readonly kind: 'text'
  readonly text: string
  readonly signature?: Signature | undefined
}

/** Something to look at or listen to. `at` is its place in the caller's request, for a refusal to name. */
export interface MediaPart {
  readonly kind: 'image' | 'audio' | 'document'
  readonly source: Source
  readonly name?: string | undefined
  readonly at: string
}

export interface ToolCallPart {
  readonly kind: 'tool_call'
  readonly id: string
  readonly name: string
  readonly arguments: JsonObject
  readonly signature?: Signature | undefined
}

export interface ToolResultPart {
  readonly kind: 'tool_result'
  readonly call_id: string
  /** The tool that was called. */
  readonly name: string
  readonly content: readonly (TextPart | MediaPart)[]
  readonly failed: boolean
}

export interface ThinkingPart {
  readonly kind: 'thinking'
  readonly text: string
  readonly signature?: Signature | undefined
}

/** Thinking that its vendor shows to nobody, but wants back. */
export interface RedactedThinkingPart {
  readonly kind: 'redacted_thinking'
  readonly signature: Signature
}

export type Part = TextPart | MediaPart | ToolCallPart | ToolResultPart | ThinkingPart | RedactedThinkingPart

/** Turns alternate: neighbours of one role were merged when they were decoded. */
export interface Turn {
  readonly role: 'user' | 'assistant'
  readonly parts: readonly Part[]
}

export interface ToolDefinition {
  readonly name: string
  readonly description: string | undefined
  /** JSON Schema of the arguments; undefined where the tool takes none. */
  readonly parameters: JsonObject | undefined
  readonly strict: boolean | undefined
  /** Its place in the caller's request. */
  readonly at: string
}

/** `named` allows these tools only; `required` says whether one of them must be called. */
export type ToolChoice =
  | { readonly mode: 'auto' | 'any' | 'none' }
  | { readonly mode: 'named'; readonly names: readonly string[]; readonly required: boolean }

export type Effort = 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max'

/** How much the model is to think; `auto` leaves that to it. */
export type Thinking =
  | { readonly mode: 'off' }
  | { readonly mode: 'auto' }
  | { readonly mode: 'budget'; readonly budget_tokens: number }
  | { readonly mode: 'effort'; readonly effort: Effort }

/** What the answer's text must be: any JSON, or JSON by a schema. */
export type OutputFormat =
  | { readonly kind: 'json' }
  | {
      readonly kind: 'json_schema'
      readonly name: string
      readonly schema: JsonObject
      readonly strict: boolean | undefined
    }

export interface ConversationRequest {
  /** The protocol that it was decoded from, in whose words a refusal names a field. */
  readonly from: ProtocolName
  readonly streams: boolean
  /** The caller wants a stream to tell its usage; those protocols that always do say true. */
  readonly shows_usage: boolean
  readonly system: readonly string[]
  readonly turns: readonly Turn[]
  readonly tools: readonly ToolDefinition[]
  readonly tool_choice: ToolChoice | undefined
  readonly parallel_tool_calls: boolean | undefined
  readonly max_output_tokens: number | undefined
  readonly temperature: number | undefined
  readonly top_p: number | undefined
  readonly top_k: number | undefined
  readonly stop: readonly string[]
  readonly seed: number | undefined
  /** How many answers to the one prompt. */
  readonly answers: number | undefined
  readonly thinking: Thinking | undefined
  /** Whether the caller wants to read the thinking; undefined where he did not say. */
  readonly shows_thinking: boolean | undefined
  readonly output: OutputFormat | undefined
  /** Alternatives wanted for each token, 0 for none but the chosen one's; undefined where no logprobs are wanted. */
  readonly logprobs: number | undefined
  readonly frequency_penalty: number | undefined
  readonly presence_penalty: number | undefined
  /** The caller's own name for his user, opaque. */
  readonly user: string | undefined
}

/** The model that a request goes to, as its provider and the catalogue know it. */
export interface TargetModel {
  readonly model: string
  /** The most that it can write: the limit sent where the caller set none and the protocol wants one. */
  readonly max_output_tokens: number
}

export type StopReason =
  | 'stop'
  | 'stop_sequence'
  | 'length'
  | 'context_window'
  | 'tool_use'
  | 'safety'
  | 'recitation'
  | 'refusal'
  | 'pause'
  | 'malformed'
  | 'other'

export interface TokenChance {
  readonly token: string
  readonly logprob: number
}

export interface TokenLogprob extends TokenChance {
  readonly alternatives: readonly TokenChance[]
}

/** One of the answers to a prompt. */
export interface Answer {
  readonly parts: readonly Part[]
  readonly stop_reason: StopReason
  /** Which of the caller's stop sequences ended it, where the vendor says. */
  readonly stop_sequence: string | undefined
  readonly logprobs: readonly TokenLogprob[] | undefined
}

export interface ConversationAnswer {
  /** The provider's own; undefined where it has none. */
  readonly id: string | undefined
  /** The model that served, as its provider names it; undefined where it does not say. */
  readonly model: string | undefined
  /** At least one; a refused prompt is an answer without parts that ends with `safety`. */
  readonly answers: readonly [Answer, ...Answer[]]
  readonly usage: Usage | undefined
}

/** What begins with a part of a streamed answer, and is known at once. */
export type PartStart =
  | { readonly kind: 'text' }
  | { readonly kind: 'thinking' }
  | { readonly kind: 'redacted_thinking'; readonly signature: Signature }
  | {
      readonly kind: 'tool_call'
      readonly id: string
      readonly name: string
      readonly signature?: Signature | undefined
    }

/**
 * A streamed answer. Parts of one answer follow one another: each ends before the next starts. `answer` counts the
 * answers to the one prompt from 0. After the last `answer_end` come `usage` and `end`; `error` may come at any time, is the
 * last, and is rendered by the surface's `renderStreamError`.
 */
export type StreamEvent =
  | {
      readonly type: 'start'
      readonly id: string | undefined
      readonly model: string | undefined
      /** As far as it is known before any output. */
      readonly usage: Usage | undefined
    }
  | { readonly type: 'part_start'; readonly answer: number; readonly part: PartStart }
  | { readonly type: 'text_delta'; readonly answer: number; readonly text: string }
  | { readonly type: 'thinking_delta'; readonly answer: number; readonly text: string }
  | { readonly type: 'signature'; readonly answer: number; readonly signature: Signature }
  /** A piece of a tool call's arguments, as JSON text. */
  | { readonly type: 'arguments_delta'; readonly answer: number; readonly json: string }
  | { readonly type: 'logprobs'; readonly answer: number; readonly tokens: readonly TokenLogprob[] }
  | { readonly type: 'part_end'; readonly answer: number }
  | {
      readonly type: 'answer_end'
      readonly answer: number
      readonly stop_reason: StopReason
      readonly stop_sequence: string | undefined
    }
  | { readonly type: 'usage'; readonly usage: Usage }
  | { readonly type: 'end' }
  | { readonly type: 'error'; readonly error: GatewayError }

/** One record of a stream, before it is framed. */
export interface ServerSentEvent {
  readonly event?: string | undefined
  readonly data: string
}

/** One upstream stream read into canonical events. Holds no more than the part that is open. */
export interface StreamDecoder {
  /** @param data one event's payload after `data:`; its `event:` line repeats what the payload says */
  decode(data: string): StreamEvent[]
  /** The stream ended: what was open is closed, and an end that the upstream did not say is reported as an error. */
  finish(): StreamEvent[]
}

/** One answer's stream written for a caller. */
export interface StreamEncoder {
  encode(event: StreamEvent): ServerSentEvent[]
}

/** What an answer tells of the call besides its content, used where the provider did not say. */
export interface AnswerContext {
  /** The gateway's id of this call: letters, digits, `-` and `_`. */
  readonly id: string
  /** The model as the caller named it. */
  readonly model: string
  readonly created_s: number
  /** From the request: whether a stream is to tell its usage. */
  readonly shows_usage: boolean
}

/** Turns with neighbours of one role made one, and empty ones left out: some vendors demand that roles alternate. */
export function mergeTurns(turns: readonly Turn[]): Turn[] {
  const merged: { role: Turn['role']; parts: Part[] }[] = []
  for (const { role, parts } of turns) {
    if (parts.length === 0) continue
    const last = merged.at(-1)
    if (last?.role === role) last.parts.push(...parts)
    else merged.push({ role, parts: [...parts] })
  }
  return merged
}

/** A tool call's id made by its place in an answer, for a provider that gives none. @param call_id the gateway's id of the call */
export const madeCallId = (call_id: string, answer: number, position: number): string =>
  answer === 0 ? `call_${call_id}_${position}` : `call_${call_id}_${answer}_${position}`

/** The JSON object that a tool call's arguments are as text; empty text is none; undefined where it is not an object. */
export const parseArguments = (text: string): JsonObject | undefined =>
  text.trim() === '' ? {} : parseObject(text)

/** All text of some parts, joined. */
export const textOf = (parts: readonly (Part | TextPart | MediaPart)[]): string =>
  parts.map((part) => (part.kind === 'text' ? part.text : '')).join('')
