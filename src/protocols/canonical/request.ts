// A request in the canonical form, and the model that it goes to.

import type { EffortName } from '../../domain/catalogue.ts'
import type { Carries } from '../carries.ts'
import type { Json, JsonObject } from '../wire/json.ts'
import type { RequestFields } from './fields.ts'
import type { CacheTtl, Turn } from './parts.ts'

export interface NamedModel {
  /** The provider's own name of it. */
  readonly model: string
  /** The model of the same generation, as the route says; undefined where its own name decides. */
  readonly generation?: string | undefined
  /** The efforts that it takes, rising, as the catalogue says; undefined where its generation tells that. */
  readonly efforts?: readonly EffortName[] | undefined
}

/** The name that tells a model's generation. */
export const knownAs = ({ model, generation }: NamedModel): string => generation ?? model

/** The prompt cache's settings beside its key and its marks: OpenAI's fields, as they were sent. */
export interface PromptCaching {
  /** The session, where its protocol has no key of the cache: requests of one key are to find the same. */
  readonly session?: string | undefined
  readonly retention?: string | undefined
  readonly options?: JsonObject | undefined
}

export interface ConversationRequest extends RequestFields {
  /** The tables of the protocol that it was decoded from: a refusal names a field in the caller's own words. */
  readonly from: Carries
  readonly streams: boolean
  /** Whether a stream is to report its usage; true for protocols that always do. */
  readonly shows_usage: boolean
  readonly turns: readonly Turn[]
  /** The marks of the prompt cache after the texts of `system`, of which some are marked; absent where none is. */
  readonly system_cache?: readonly (CacheTtl | undefined)[] | undefined
  /** After how many turns each text of `system` came; absent where all came before the first answer. */
  readonly system_after?: readonly number[] | undefined
  /** The prompt cache's settings in OpenAI's protocols. */
  readonly caching?: PromptCaching | undefined
  /** Of the native protocol: its own image models are sent it, and translation leaves it out. */
  readonly safety_settings?: Json | undefined
  /** Whether the caller wants to see the thinking; undefined if the request does not say. */
  readonly shows_thinking: boolean | undefined
}

/** The model that a request goes to, as its provider and the catalogue know it. */
export interface TargetModel extends NamedModel {
  /** The known server behind the provider's address; undefined for all others. */
  readonly server?: string | undefined
  /** The model's own output limit: it is sent where the caller set none and the protocol demands one. */
  readonly max_output_tokens: number
  /** Whether Claude is to cache a conversation that its caller has not marked. */
  readonly automatic_caching?: boolean | undefined
}
