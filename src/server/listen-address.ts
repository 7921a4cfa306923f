// The address to listen on, as `address:port` text and in its parts.

/** @param listen `address:port`, IPv6 addresses in brackets; checked by the catalogue's schema or the command line */
export function parseListenAddress(listen: string): { hostname: string; port: number } {
  const colon = listen.lastIndexOf(':')
  return {
    hostname: listen.slice(0, colon).replace(/^\[(.*)\]$/, '$1'),
    port: Number(listen.slice(colon + 1)),
  }
}
