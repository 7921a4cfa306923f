// The metrics' own address on this machine: GET /metrics without a token.

import { listenRefusal } from '../../src/app/process/listen-refusal.ts'
import { isLoopback, parseListenAddress } from '../../src/utilities/listen-address.ts'
import { METRICS_ADVICE } from './address.ts'
import type { Exposition } from './exposition.ts'

const text = (status: number, words: string): Response =>
  new Response(`${words}\n`, { status, headers: { 'content-type': 'text/plain; charset=utf-8' } })

/**
 * Listens. @param listen a loopback address; checked by the catalogue
 * @throws Error with a text for the operator where the address cannot be had
 */
export function listenForMetrics(listen: string, read: () => Promise<Exposition>) {
  try {
    return Bun.serve({
      ...parseListenAddress(listen),
      reusePort: false,
      development: false,
      async fetch(request) {
        if (!URL.canParse(request.url)) return text(400, 'The Host header is missing or malformed.')
        const { hostname, pathname } = new URL(request.url)
        // A page in a browser of this machine can have a name of its own lead here: it is refused by that name.
        if (!isLoopback(hostname)) return text(403, 'Ask for this address by 127.0.0.1 or localhost.')
        if (pathname !== '/metrics') return text(404, 'No such endpoint; only GET /metrics.')
        if (request.method !== 'GET' && request.method !== 'HEAD')
          return text(405, 'Metrics are read with GET.')
        const { content_type, text: body } = await read()
        return new Response(body, { headers: { 'content-type': content_type } })
      },
    })
  } catch (cause) {
    throw listenRefusal(listen, cause, METRICS_ADVICE)
  }
}
