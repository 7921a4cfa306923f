// Where a messages request goes at a provider, advice on the provider's address, and the server behind it.

import { type ProviderAddress, serverNameOf } from '../../domain/servers/lookup.ts'
import { VERTEX_AI } from '../../domain/servers/vertex.ts'
import { endsInWhatIsAdded } from '../base-url.ts'
import type { UpstreamTarget } from '../facts.ts'

/** The protocol's only version: https://platform.claude.com/docs/en/api/versioning. */
export const ANTHROPIC_VERSION = '2023-06-01'

const HEADERS = { 'anthropic-version': ANTHROPIC_VERSION }

/**
 * Path and headers of a call; `base_url` is without `/v1`, as in Anthropic's SDKs. The body names the model and says
 * whether to stream.
 */
export const target = ({ streams }: { streams: boolean }): UpstreamTarget => ({
  path: '/v1/messages',
  headers: HEADERS,
  streams,
})

/** https://platform.claude.com/docs/en/api/models-list */
export const MODEL_LIST: UpstreamTarget = { path: '/v1/models', headers: HEADERS }

const VERSION = /\/v1(?:\/messages)?$/

export const baseUrlAdvice = (base_url: URL): string | undefined => endsInWhatIsAdded(base_url, VERSION)

export const CLAUDE_API = 'claude'

/** Simulated providers play Anthropic's; undefined for all others. */
export function serverOf(provider: ProviderAddress): string | undefined {
  if (provider.server === VERTEX_AI) return VERTEX_AI
  if (provider.base_url === 'simulator') return CLAUDE_API
  return serverNameOf(provider) === 'anthropic' ? CLAUDE_API : undefined
}
