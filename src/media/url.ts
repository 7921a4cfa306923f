// Image URLs: the checks of the text before a name is resolved or a socket opened. Pure.
import { isIP } from 'node:net'
import { type GatewayError, invalidRequest } from '../domain/errors.ts'
import { isPublicAddress } from './addresses.ts'
import { MAX_URL_CHARS } from './limits.ts'

/** A URL that may be fetched after the addresses of its host were also checked. */
export interface ImageUrl {
  /** A DNS name without a trailing dot, or an address without brackets. */
  readonly host: string
  readonly host_is_address: boolean
  /** Path and query, as they are sent. */
  readonly path: string
}

/**
 * Names that resolve only on this machine or in this network, with all names below them.
 * RFC 6761 (localhost, test, invalid, example), RFC 6762 appendix G (private networks), RFC 7686 (onion),
 * RFC 8375 (home.arpa), RFC 9476 (alt), ICANN's reservation of `internal`, Kubernetes' `svc`, and the metadata services of clouds.
 */
const LOCAL_SUFFIXES = [
  'localhost',
  'localdomain',
  'local',
  'internal',
  'intranet',
  'private',
  'corp',
  'home',
  'lan',
  'home.arpa',
  'test',
  'invalid',
  'example',
  'onion',
  'alt',
  'svc',
  'metadata.goog',
  'metadata.azure.com',
  'metadata.tencentyun.com',
  'metadata.packet.net',
  'metadata.platformequinix.com',
]

/** Requires exactly two slashes before the host: the URL parser would also accept none, one or more. */
const HTTPS = /^https:\/\/(?=[^/])/i
const HTTP = /^http:/i

/** Characters that URL parsers treat differently: this parser drops tabs and newlines, and reads a backslash as a slash. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it is there to refuse control characters
const NEVER_IN_A_URL = /[\u0000-\u0020\u007f-\u00a0\u2028\u2029\ufeff\\]/

/** RFC 1035 §2.3.1, plus the underscore, which many host names have. The URL parser has already converted the name to lower-case ASCII. */
const DNS_NAME = /^(?=.{1,253}$)[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$/

/**
 * Parses and checks the text of a URL.
 *
 * The host is checked as the URL parser reads it, so that decimal, hexadecimal, octal, percent-encoded and full-width
 * spellings of an address count as that address.
 * @param text the caller's text
 * @throws GatewayError invalid_request with code `invalid_url` (not an `https:` or `http:` URL, over 2048 characters, or
 * a text that URL parsers interpret differently), `NON_HTTPS`, `BLOCKED_HOST` (credentials, local names, ports) or
 * `PRIVATE_IP` (an address that is not public unicast)
 */
export function parseImageUrl(text: string): ImageUrl {
  const url = parse(text)
  if (authorityOf(text).includes('@'))
    throw refusal('BLOCKED_HOST', 'An image URL must not hold credentials. Remove the part before the "@".')
  const host = hostOf(url)
  const host_is_address = isIP(host) !== 0
  if (host_is_address && !isPublicAddress(host))
    throw refusal('PRIVATE_IP', 'The image URL names an address that is not public. Use a public host.')
  if (!host_is_address) assertPublicName(host)
  if (url.port !== '') throw refusal('BLOCKED_HOST', 'An image URL may only use port 443. Remove the port.')
  return { host, host_is_address, path: url.pathname + url.search }
}

function parse(text: string): URL {
  if (text.length > MAX_URL_CHARS)
    throw refusal(
      'invalid_url',
      `An image URL may have at most ${MAX_URL_CHARS} characters. Use a shorter one.`,
    )
  if (HTTP.test(text)) throw refusal('NON_HTTPS', 'An image URL must begin with https://.')
  if (!HTTPS.test(text))
    throw refusal('invalid_url', 'Each image must be an https:// URL or a data:image/…;base64, URI.')
  const url = NEVER_IN_A_URL.test(text) ? null : URL.parse(text)
  if (!url)
    throw refusal('invalid_url', 'The image URL is malformed. Percent-encode spaces and special characters.')
  return url
}

/** Returns the unparsed text between the slashes and the path: the URL parser does not distinguish an empty user from none. */
const authorityOf = (text: string): string => text.slice('https://'.length).split(/[/?#]/, 1).join()

/** Returns the host without IPv6 brackets, and without a trailing dot. */
function hostOf(url: URL): string {
  if (url.hostname.startsWith('[')) return url.hostname.slice(1, -1)
  const host = url.hostname.replace(/\.$/, '')
  if (!DNS_NAME.test(host)) throw refusal('invalid_url', 'The host of the image URL is malformed.')
  return host
}

function assertPublicName(host: string): void {
  const local =
    !host.includes('.') || LOCAL_SUFFIXES.some((suffix) => host === suffix || host.endsWith(`.${suffix}`))
  if (local) throw refusal('BLOCKED_HOST', 'The image URL names a local host. Use a public one.')
}

const refusal = (code: string, message: string): GatewayError => invalidRequest(message, { code })
