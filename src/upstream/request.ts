// Owns what all JSON requests to providers have in common: where they go, and which of their headers count.

import type { Provider } from '../domain/catalogue.ts'
import type { UpstreamTarget } from '../protocols/facts.ts'
import type { UpstreamRequest } from './dispatch.ts'

/**
 * A request to a provider. Headers that the operator wrote count for more than those of the protocol, and than what is
 * passed on of the caller's.
 */
export function requestTo(
  { base_url, headers: written }: Pick<Provider, 'base_url' | 'headers'>,
  { path, headers }: UpstreamTarget,
  body: UpstreamRequest['body'],
  forwarded_headers: Readonly<Record<string, string>> = {},
): UpstreamRequest {
  return {
    url: base_url + path,
    headers: {
      'content-type': 'application/json',
      // Bun expands what comes compressed, without a limit.
      'accept-encoding': 'identity',
      ...headers,
      ...forwarded_headers,
      ...written,
    },
    body,
  }
}
