// The checks of [server] beyond its form: files that go together, and addresses.
import { isAddressBlock } from '../domain/addresses.ts'
import type { ServerSettings } from '../domain/catalogue.ts'
import type { Report } from './mistakes.ts'

const BELOW_A_PATH =
  'has a path, below which the console is not served yet: its pages stay blank, and links to it lead nowhere. Give the gateway a host ' +
  'name of its own, such as "https://gateway.example.com"; API calls work if your proxy removes the path'

export function checkServer(
  { public_url, trusted_proxies, tls_certificate, tls_key }: ServerSettings,
  { report, warn }: { report: Report; warn: Report },
): void {
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
