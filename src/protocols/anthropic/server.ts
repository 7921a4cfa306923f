// The server behind a messages provider's address: Anthropic's own API takes what clouds and other servers do not.
import type { Provider } from '../../domain/catalogue.ts'

export const CLAUDE_API = 'claude'

const HOST = /^(?:[\w-]+\.)?api\.anthropic\.com$/

/** Simulated providers play it; undefined for all others. */
export function serverOf({ base_url }: Pick<Provider, 'base_url'>): string | undefined {
  if (base_url === 'simulator') return CLAUDE_API
  return URL.canParse(base_url) && HOST.test(new URL(base_url).hostname) ? CLAUDE_API : undefined
}
