// The site of passkeys: the domain and origin of `public_url`, or of localhost. The request never decides them.
import type { Catalogue } from '../../src/domain/catalogue.ts'
import { parseListenAddress } from '../../src/utilities/listen-address.ts'

export interface PasskeySite {
  /** The relying party (https://www.w3.org/TR/webauthn-3/#relying-party-identifier): a domain. */
  id: string
  /** The origin of the console's pages. */
  origin: string
}

const LOCALHOST = 'localhost'

/** @returns undefined where browsers do not support passkeys: at an IP address, and over plain HTTP except on this machine */
export function passkeySite({ server }: Pick<Catalogue, 'server'>): PasskeySite | undefined {
  const { public_url, tls_certificate, listen } = server
  const scheme = tls_certificate === undefined ? 'http' : 'https'
  const url = new URL(public_url ?? `${scheme}://${LOCALHOST}:${parseListenAddress(listen).port}`)
  const { hostname, origin, protocol } = url
  const is_local = hostname === LOCALHOST || hostname.endsWith(`.${LOCALHOST}`)
  if (isAddress(hostname) || (protocol !== 'https:' && !is_local)) return undefined
  return { id: hostname, origin }
}

const isAddress = (hostname: string): boolean => hostname.startsWith('[') || /^\d+(\.\d+){3}$/.test(hostname)
