// The server behind a messages provider's address: Anthropic's own API takes what clouds and other servers do not.
import type { Provider } from '../../domain/catalogue.ts'

export const CLAUDE_API = 'claude'

const HOST = /^(?:[\w-]+\.)?api\.anthropic\.com$/

export const VERTEX_AI = 'vertex'

/** Simulated providers play Anthropic's; undefined for all others. */
export function serverOf({ base_url, server }: Pick<Provider, 'base_url' | 'server'>): string | undefined {
  if (server === VERTEX_AI) return VERTEX_AI
  if (base_url === 'simulator') return CLAUDE_API
  return URL.canParse(base_url) && HOST.test(new URL(base_url).hostname) ? CLAUDE_API : undefined
}
