// A JSON request to a provider: its address, and its headers in the order of precedence.

import type { Provider } from '../domain/catalogue.ts'
import type { UpstreamTarget } from '../protocols/facts.ts'
import type { UpstreamRequest } from './transport.ts'

/** Where a request goes, and its headers. */
export type RequestHead = Pick<UpstreamRequest, 'url' | 'headers'>

/** A request to a provider. The headers as `headTo` has them. */
export function requestTo(
  provider: Pick<Provider, 'base_url' | 'headers'>,
  target: UpstreamTarget,
  body: UpstreamRequest['body'],
  forwarded_headers: Readonly<Record<string, string>> = {},
): UpstreamRequest {
  const { url, headers } = headTo(provider, target, forwarded_headers)
  return { url, headers, body }
}

/**
 * All of a request but its body. The operator's headers override those that are passed on from the caller, which override
 * the protocol's.
 */
export const headTo = (
  { base_url, headers: written }: Pick<Provider, 'base_url' | 'headers'>,
  { path, headers }: UpstreamTarget,
  forwarded_headers: Readonly<Record<string, string>>,
): RequestHead => ({
  url: base_url + path,
  headers: {
    'content-type': 'application/json',
    // Bun expands what comes compressed, without a limit.
    'accept-encoding': 'identity',
    ...headers,
    ...forwarded_headers,
    ...written,
  },
})
