// An answer in the canonical form, whole and as a stream of events.

import type { GatewayError } from '../../domain/errors.ts'
import type { Usage } from '../../domain/usage.ts'
import type { JsonObject } from '../wire/json.ts'
import type { MediaPart, Part, Signature } from './parts.ts'

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

/** One of the candidates that an answer consists of. */
export interface Candidate {
  readonly parts: readonly Part[]
  readonly stop_reason: StopReason
  /** The caller's stop sequence that ended it, if the provider reports one. */
  readonly stop_sequence: string | undefined
  readonly logprobs: readonly TokenLogprob[] | undefined
}

export interface ConversationAnswer {
  /** The provider's own id; undefined if it sent none. */
  readonly id: string | undefined
  /** The model that served, as its provider names it; undefined if the provider does not say. */
  readonly model: string | undefined
  /** At least one: a refused prompt has a candidate without parts that ends with `safety`. */
  readonly candidates: readonly [Candidate, ...Candidate[]]
  readonly usage: Usage | undefined
  /** The service tier that served; undefined for the standard one. */
  readonly service_tier?: string | undefined
}

/** The facts of a call that the encoding of its answer needs. */
export interface AnswerContext {
  /** The gateway's id of this call: letters, digits, `-` and `_`. */
  readonly id: string
  /** The model as the caller named it, for an answer that names none. */
  readonly model: string
  readonly created_s: number
  /** Whether the request asks for a usage report in the stream. */
  readonly shows_usage: boolean
  /** Fields of the caller's request, for protocols that repeat some in their answers. */
  readonly request_fields?: JsonObject | undefined
}

/** The facts of a part of a streamed answer that are known when it begins. */
export type PartStart =
  | { readonly kind: 'text'; readonly is_refusal?: boolean | undefined }
  | { readonly kind: 'thinking' }
  | { readonly kind: 'redacted_thinking'; readonly signature: Signature }
  | {
      readonly kind: 'tool_call'
      readonly id: string
      readonly name: string
      readonly signature?: Signature | undefined
    }

/**
 * An event of a streamed answer. The parts of one candidate follow one another: each ends before the next starts.
 * `candidate` is the candidate's number, from 0. After the last `candidate_end` come `usage` and `end`. `error` may
 * come at any time and is the last event; it is written for the caller by the surface's `renderStreamError`.
 */
export type StreamEvent =
  | {
      readonly type: 'start'
      readonly id: string | undefined
      readonly model: string | undefined
      /** Only the part that is known before any output. */
      readonly usage: Usage | undefined
    }
  | { readonly type: 'part_start'; readonly candidate: number; readonly part: PartStart }
  | { readonly type: 'text_delta'; readonly candidate: number; readonly text: string }
  | { readonly type: 'thinking_delta'; readonly candidate: number; readonly text: string }
  | { readonly type: 'signature'; readonly candidate: number; readonly signature: Signature }
  /** A piece of a tool call's arguments, as JSON text. */
  | { readonly type: 'arguments_delta'; readonly candidate: number; readonly json: string }
  /** An image. It comes whole, between the other parts. */
  | { readonly type: 'image'; readonly candidate: number; readonly image: MediaPart }
  | { readonly type: 'logprobs'; readonly candidate: number; readonly tokens: readonly TokenLogprob[] }
  | { readonly type: 'part_end'; readonly candidate: number }
  | {
      readonly type: 'candidate_end'
      readonly candidate: number
      readonly stop_reason: StopReason
      readonly stop_sequence: string | undefined
    }
  | {
      readonly type: 'usage'
      readonly usage: Usage
      readonly service_tier?: string | undefined
    }
  | { readonly type: 'end' }
  | { readonly type: 'error'; readonly error: GatewayError }

/** One record of a caller's stream, before it is framed. */
export interface ServerSentEvent {
  readonly event?: string | undefined
  readonly data: string
}

/** Reads one upstream stream into canonical events. It buffers at most the open part. */
export interface StreamDecoder {
  /** @param data one event's payload after `data:`; the `event:` line only repeats what the payload says */
  decode(data: string): StreamEvent[]
  /** Closes open parts at the end of the stream. Returns an error if the stream had no final event. */
  finish(): StreamEvent[]
}

/** Writes one answer's stream for a caller. */
export interface StreamEncoder {
  encode(event: StreamEvent): ServerSentEvent[]
}
