// The checks of [server] beyond its form: files that go together, and addresses.
import { isAddressBlock } from '../domain/addresses.ts'
import type { ServerSettings } from '../domain/catalogue.ts'
import type { Report } from './mistakes.ts'

const BELOW_A_PATH =
  'has a path, below which the console is not served yet: its pages stay blank, and links to it lead nowhere. Give the gateway a host ' +
  'name of its own, such as "https://gateway.example.com"; API calls work if your proxy removes the path'

/** @param metrics_listen where metrics are served without a token */
export function checkServer(
  { listen, public_url, trusted_proxies, tls_certificate, tls_key }: ServerSettings,
  metrics_listen: string | undefined,
  { report, warn }: { report: Report; warn: Report },
): void {
  if (metrics_listen !== undefined && takesIn(listen, metrics_listen))
    report(
      ['metrics', 'listen'],
      `must be another address than server.listen (${listen}): choose another port, such as "127.0.0.1:9464"`,
    )
  if (tls_certificate !== undefined && tls_key === undefined)
    report(['server', 'tls_certificate'], 'needs the file of its private key beside it: write tls_key, too')
  if (tls_key !== undefined && tls_certificate === undefined)
    report(['server', 'tls_key'], 'needs the file of its certificate beside it: write tls_certificate, too')
  if (public_url !== undefined && !URL.canParse(public_url))
    report(['server', 'public_url'], 'must be a URL, such as "https://gateway.example.com"')
  else if (public_url !== undefined && new URL(public_url).pathname !== '/')
    warn(['server', 'public_url'], BELOW_A_PATH)
  trusted_proxies.forEach((proxy, index) => {
    if (!isAddressBlock(proxy))
      report(
        ['server', 'trusted_proxies', index],
        'must be an IP address or a CIDR block, such as "127.0.0.1" or "10.0.0.0/8"',
      )
  })
}

/** Whether a socket at one address leaves no room for the other. */
function takesIn(listen: string, other: string): boolean {
  const [host, port] = [listen.slice(0, listen.lastIndexOf(':')), listen.slice(listen.lastIndexOf(':'))]
  const is_any = host === '0.0.0.0' || host === '[::]'
  return port !== ':0' && (listen === other || (is_any && other.endsWith(port)))
}
