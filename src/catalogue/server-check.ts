// Checks of [server] beyond its schema: pairs of files, URLs and addresses.
import { isAddressBlock } from '../domain/addresses.ts'
import type { ServerSettings } from '../domain/catalogue.ts'
import { hasImpossiblePath } from '../domain/public-url.ts'
import type { Report } from './mistakes.ts'

const IMPOSSIBLE_PATH =
  "has a path that the gateway cannot use: it begins like one of the gateway's own paths, or has characters other than letters, digits, " +
  '"-", "_", "." and "~". The console stays blank. Use another path, such as "https://example.com/tollgate", or a separate host name. ' +
  'A path such as /v1 belongs in the base URL of a client, not here'
const HAS_MORE =
  'has more than a host name and a path, so that the links with it do not work. Remove the user name, the query and the fragment'

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
  else if (public_url !== undefined && hasImpossiblePath(public_url))
    warn(['server', 'public_url'], IMPOSSIBLE_PATH)
  if (public_url !== undefined && hasMore(public_url)) warn(['server', 'public_url'], HAS_MORE)
  trusted_proxies.forEach((proxy, index) => {
    if (!isAddressBlock(proxy))
      report(
        ['server', 'trusted_proxies', index],
        'must be an IP address or a CIDR block, such as "127.0.0.1" or "10.0.0.0/8"',
      )
  })
}

function hasMore(public_url: string): boolean {
  if (!URL.canParse(public_url)) return false
  const { username, password, search, hash } = new URL(public_url)
  return username + password + search + hash !== ''
}
