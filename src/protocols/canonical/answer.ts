// A whole answer in the canonical form.
import type { Usage } from '../../domain/usage.ts'
import type { JsonObject } from '../wire/json.ts'
import type { Part } from './parts.ts'

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
  /** The stop sequence of the caller's that ended it, where the provider tells. */
  readonly stop_sequence: string | undefined
  readonly logprobs: readonly TokenLogprob[] | undefined
}

export interface ConversationAnswer {
  /** The provider's own id; undefined if it sent none. */
  readonly id: string | undefined
  /** The model that served, as its provider names it; undefined if it does not tell. */
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
  /** From the request: whether a stream is to report its usage. */
  readonly shows_usage: boolean
  /** Fields of the caller's request, for protocols that repeat some in their answers. */
  readonly request_fields?: JsonObject | undefined
}
