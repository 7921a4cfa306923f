// The facts about protocols that the catalogue needs.

import type { Model } from '../domain/catalogue.ts'
import type { KeyHeader } from '../domain/servers/known-server.ts'
import type { ProviderAddress } from '../domain/servers/lookup.ts'

/** One protocol: the kinds of models that it supports, and whether its servers require a key. */
export interface ProtocolFacts {
  /** `extras.units`: the unit of each extra that its providers bill, by name; null if they count no units. */
  readonly text?: { readonly extras?: { readonly units: Readonly<Record<string, string | null>> } }
  readonly images?: object
  readonly embeddings?: object
  readonly speech?: object
  readonly transcriptions?: object
  readonly moderations?: object
  readonly rerank?: object
  /** The header for keys, except for known servers that expect another one. */
  readonly key_header: KeyHeader
  readonly keyless_over_http?: boolean
  /** Returns the probable mistake in a server's URL; undefined if none exists. */
  readonly baseUrlAdvice?: (base_url: URL) => string | undefined
  /** Whether a provider also supports the Responses API by default. */
  readonly speaksResponses?: (provider: ProviderAddress) => boolean
  /** Set for a secondary protocol of providers that have a main one. */
  readonly isSpokenBy?: unknown
}

/** The protocols by their names in the catalogue. */
export type Protocols = ReadonlyMap<string, ProtocolFacts>

const VERBS = {
  text: 'text',
  image: 'images',
  embedding: 'embeddings',
  speech: 'speech',
  transcription: 'transcriptions',
  moderation: 'moderations',
  rerank: 'rerank',
} as const satisfies Readonly<Record<Model['kind'], keyof ProtocolFacts>>

/** Whether a protocol supports a kind of model. */
export const hasKind = (protocol: ProtocolFacts, kind: Model['kind']): boolean =>
  protocol[VERBS[kind]] !== undefined
