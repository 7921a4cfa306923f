// The upstream target of messages requests, advice on a provider's address, and the server behind it.

import { type ProviderAddress, serverNameOf } from '../../domain/servers/lookup.ts'
import { VERTEX_AI } from '../../domain/servers/vertex.ts'
import { redundantPathAdvice } from '../base-url.ts'
import type { UpstreamTarget } from '../facts.ts'

/** The protocol's only version: https://platform.claude.com/docs/en/api/versioning. */
export const ANTHROPIC_VERSION = '2023-06-01'

const HEADERS = { 'anthropic-version': ANTHROPIC_VERSION }

/**
 * The path and headers of a call. As in Anthropic's SDKs, `base_url` has no `/v1`. The body names the model and whether to stream.
 */
export const target = ({ streams }: { streams: boolean }): UpstreamTarget => ({
  path: '/v1/messages',
  headers: HEADERS,
  streams,
})

/** https://platform.claude.com/docs/en/api/models-list */
export const MODEL_LIST: UpstreamTarget = { path: '/v1/models', headers: HEADERS }

const VERSION = /\/v1(?:\/messages)?$/

export const baseUrlAdvice = (base_url: URL): string | undefined => redundantPathAdvice(base_url, VERSION)

export const CLAUDE_API = 'claude'

/** The known server behind a provider; undefined for all others. Simulated providers count as Anthropic. */
export function serverOf(provider: ProviderAddress): string | undefined {
  if (provider.server === VERTEX_AI) return VERTEX_AI
  if (provider.base_url === 'simulator') return CLAUDE_API
  return serverNameOf(provider) === 'anthropic' ? CLAUDE_API : undefined
}
