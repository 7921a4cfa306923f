// Facts that the catalogue needs of the protocols that providers speak.

import type { Model } from '../domain/catalogue.ts'
import type { KeyHeader } from '../domain/servers/known-server.ts'
import type { ProviderAddress } from '../domain/servers/lookup.ts'

/** One protocol: the verbs that it has for each kind of model, and whether servers of it ask for a key. */
export interface ProtocolFacts {
  /** With what its providers bill beyond tokens, by name: what they count of it, null if they count nothing. */
  readonly text?: { readonly extras?: { readonly units: Readonly<Record<string, string | null>> } }
  readonly images?: object
  readonly embeddings?: object
  readonly speech?: object
  readonly transcriptions?: object
  readonly moderations?: object
  readonly rerank?: object
  /** The header that shows a key to its providers, but for known servers that want another one. */
  readonly key_header: KeyHeader
  readonly keyless_over_http?: boolean
  /** The probable mistake in the address of one of its servers; undefined if none. */
  readonly baseUrlAdvice?: (base_url: URL) => string | undefined
  /** Whether a provider also speaks responses where the catalogue says nothing about it. */
  readonly speaksResponses?: (provider: ProviderAddress) => boolean
  /** Present for a further protocol of providers that have another one. */
  readonly isSpokenBy?: unknown
}

/** The protocols by the names that the catalogue uses. */
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

/** Whether a provider of this protocol can serve models of a kind. */
export const hasKind = (protocol: ProtocolFacts, kind: Model['kind']): boolean =>
  protocol[VERBS[kind]] !== undefined
