// A JSON request to a provider: its address, and its headers in the order of precedence.

import type { Provider } from '../domain/catalogue.ts'
import type { UpstreamTarget } from '../protocols/facts.ts'
import type { UpstreamRequest } from './transport.ts'

/**
 * A request to a provider. The operator's headers override those that are passed on from the caller, which override the
 * protocol's.
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
