// JSON requests to a provider: address, key, and headers in their order of precedence.
import type { Provider } from '../domain/catalogue.ts'
import type { KeyHeader } from '../domain/servers/known-server.ts'
import { accessNamed } from '../domain/servers/lookup.ts'
import { isServiceAccount } from '../domain/service-account.ts'
import type { UpstreamTarget } from '../protocols/facts.ts'
import type { UpstreamRequest } from './transport.ts'

export type RequestHead = Pick<UpstreamRequest, 'url' | 'headers'>

/** The provider, model and key of a request. */
interface Destination {
  readonly provider: Provider
  /** Empty for a request without a model. */
  readonly model: string
  readonly api_key: string
}

/** Builds a request to a provider, with headers as in `headTo`. */
export function requestTo(
  destination: Destination,
  target: UpstreamTarget,
  body: UpstreamRequest['body'],
  forwarded_headers: Readonly<Record<string, string>> = {},
): UpstreamRequest {
  const { url, headers } = headTo(destination, target, forwarded_headers)
  return { url, headers, body }
}

/**
 * Builds a request without its body. A known server may have the endpoint at another path, and expect the key in another header. The
 * operator's headers override those forwarded from the caller, which override the protocol's.
 */
export function headTo(
  { provider, model, api_key }: Destination,
  { path, headers, streams = false }: UpstreamTarget,
  forwarded_headers: Readonly<Record<string, string>>,
): RequestHead {
  const { base_url, protocol, server, key_header } = provider
  const access = accessNamed(server, protocol)
  return {
    url: base_url + (access?.pathTo?.(path, { provider, model, api_key, streams }) ?? path),
    headers: {
      'content-type': 'application/json',
      // Bun decompresses answers without a size limit.
      'accept-encoding': 'identity',
      ...headers,
      ...keyHeaders(api_key, key_header),
      ...forwarded_headers,
      ...provider.headers,
    },
  }
}

/** The only place that adds a key to a request. A service account is replaced by a token when the request is sent. */
function keyHeaders(api_key: string, key_header: KeyHeader): Record<string, string> {
  if (api_key === '' || isServiceAccount(api_key)) return {}
  return { [key_header]: key_header === 'authorization' ? `Bearer ${api_key}` : api_key }
}
