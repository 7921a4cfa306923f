// Listen addresses: the text `address:port` and its parts, and whether only this machine can reach an address.
import { isIP } from 'node:net'

/** Splits a listen address. @param listen `address:port`, with IPv6 in brackets; already checked by the catalogue's schema or the command line */
export function parseListenAddress(listen: string): { hostname: string; port: number } {
  const colon = listen.lastIndexOf(':')
  return { hostname: withoutBrackets(listen.slice(0, colon)), port: Number(listen.slice(colon + 1)) }
}

/** Whether a host is a loopback address. @param hostname as in URLs, or without brackets */
export function isLoopback(hostname: string): boolean {
  const host = withoutBrackets(hostname)
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
}

/** Returns an IPv6 address without the brackets of URLs, as sockets require. */
export const withoutBrackets = (host: string): string => host.replace(/^\[(.*)\]$/, '$1')
