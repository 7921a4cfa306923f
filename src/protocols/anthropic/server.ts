// The server behind a messages provider's address: Anthropic's own API takes what clouds and other servers do not.
import type { Provider } from '../../domain/catalogue.ts'
import { serverNameOf } from '../../domain/servers/lookup.ts'
import { VERTEX_AI } from '../../domain/servers/vertex.ts'

export const CLAUDE_API = 'claude'

/** Simulated providers play Anthropic's; undefined for all others. */
export function serverOf({ base_url, server }: Pick<Provider, 'base_url' | 'server'>): string | undefined {
  if (server === VERTEX_AI) return VERTEX_AI
  if (base_url === 'simulator') return CLAUDE_API
  return serverNameOf({ protocol: 'anthropic', base_url, server }) === 'anthropic' ? CLAUDE_API : undefined
}
