// A request in the canonical form, and its target model.

import type { EffortName } from '../../domain/catalogue.ts'
import type { Carries } from '../carries.ts'
import type { Json, JsonObject } from '../wire/json.ts'
import type { RequestFields } from './fields.ts'
import type { CacheTtl, Turn } from './parts.ts'

export interface NamedModel {
  /** The provider's name of the model. */
  readonly model: string
  /** A known model of the same generation, from the route; undefined if the model's own name decides. */
  readonly generation?: string | undefined
  /** The reasoning efforts that the model accepts, rising, from the catalogue; undefined if its generation decides. */
  readonly efforts?: readonly EffortName[] | undefined
}

/** The name that decides a model's generation. */
export const generationName = ({ model, generation }: NamedModel): string => generation ?? model

/** OpenAI's settings of the prompt cache besides key and marks, as the caller sent them. */
export interface PromptCaching {
  /** The caller's session, which serves as the cache key if the caller's protocol has none. Requests with the same key share a cache. */
  readonly session?: string | undefined
  readonly retention?: string | undefined
  readonly options?: JsonObject | undefined
}

export interface ConversationRequest extends RequestFields {
  /** The tables of the caller's protocol, so that errors name fields as the caller does. */
  readonly from: Carries
  readonly streams: boolean
  /** Whether a stream is to report its usage; true for protocols that always do. */
  readonly shows_usage: boolean
  readonly turns: readonly Turn[]
  /** The cache marks after each text of `system`; absent if none exist. */
  readonly system_cache?: readonly (CacheTtl | undefined)[] | undefined
  /** The number of turns before each text of `system`; absent if all came before the first answer. */
  readonly system_after?: readonly number[] | undefined
  /** OpenAI's settings of the prompt cache. */
  readonly caching?: PromptCaching | undefined
  /** From the native protocol. Only its own image models get it; translation leaves it out. */
  readonly safety_settings?: Json | undefined
  /** Whether the caller wants to see the thinking; undefined if the request does not say. */
  readonly shows_thinking: boolean | undefined
}

/** The model of an upstream request, as its provider and the catalogue know it. */
export interface TargetModel extends NamedModel {
  /** The known server behind the provider's address; undefined for all others. */
  readonly server?: string | undefined
  /** The model's output limit, sent if the caller set none and the protocol requires one. */
  readonly max_output_tokens: number
  /** Whether to add cache marks for Claude to a conversation without any. */
  readonly automatic_caching?: boolean | undefined
}
