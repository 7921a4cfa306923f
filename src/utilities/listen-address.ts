// An address to listen on, as `address:port` text and in its parts, and whether only this machine can reach it.
import { isIP } from 'node:net'

/** @param listen `address:port`, IPv6 addresses in brackets; checked by the catalogue's schema or the command line */
export function parseListenAddress(listen: string): { hostname: string; port: number } {
  const colon = listen.lastIndexOf(':')
  return { hostname: withoutBrackets(listen.slice(0, colon)), port: Number(listen.slice(colon + 1)) }
}

/** Whether a host is this machine alone. @param hostname as URLs have it, or without brackets */
export function isLoopback(hostname: string): boolean {
  const host = withoutBrackets(hostname)
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
}

/** An IPv6 address as sockets take it: URLs have it in brackets. */
export const withoutBrackets = (host: string): string => host.replace(/^\[(.*)\]$/, '$1')
