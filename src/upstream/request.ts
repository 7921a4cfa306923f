// A JSON request to a provider: its address, its key, and its headers in the order of precedence.
import type { Provider } from '../domain/catalogue.ts'
import type { KeyHeader } from '../domain/servers/known-server.ts'
import { accessNamed } from '../domain/servers/lookup.ts'
import { isServiceAccount } from '../domain/service-account.ts'
import type { UpstreamTarget } from '../protocols/facts.ts'
import type { UpstreamRequest } from './transport.ts'

/** Where a request goes, and its headers. */
export type RequestHead = Pick<UpstreamRequest, 'url' | 'headers'>

/** The provider, model and key of a request: an attempt, or part of one. */
interface Destination {
  readonly provider: Provider
  /** Empty where the request names no model. */
  readonly model: string
  readonly api_key: string
}

/** A request to a provider. The headers as `headTo` has them. */
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
 * All of a request but its body. A known server may have the endpoint at another path, and take the key in another header. The
 * operator's headers override those that are passed on from the caller, which override the protocol's.
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
      // Bun expands what comes compressed, without a limit.
      'accept-encoding': 'identity',
      ...headers,
      ...keyHeaders(api_key, key_header),
      ...forwarded_headers,
      ...provider.headers,
    },
  }
}

/** The only place that sends a key. A service account is replaced by a token when the request is sent. */
function keyHeaders(api_key: string, key_header: KeyHeader): Record<string, string> {
  if (api_key === '' || isServiceAccount(api_key)) return {}
  return { [key_header]: key_header === 'authorization' ? `Bearer ${api_key}` : api_key }
}
