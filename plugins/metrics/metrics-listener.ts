// The separate listener for metrics on this machine: GET /metrics without a token.
import { listenRefusal, MAIN_ADVICE } from '../../src/app/process/listen-refusal.ts'
import { refusePortInUse } from '../../src/app/process/listening.ts'
import { refuseAddress } from '../../src/app/process/start-refusals.ts'
import { isLoopback, parseListenAddress } from '../../src/utilities/listen-address.ts'

const METRICS_ADVICE =
  'Choose another address for the metrics with listen in [metrics] of tollgate.toml, or take it out.'

/** @param listen the gateway's address, which is still free; undefined if it is taken @throws Error as `refuseAddress` */
export function refuseMetricsAddress(metrics_listen: string, listen: string | undefined): void {
  refuseAddress(metrics_listen, METRICS_ADVICE)
  const own = parseListenAddress(listen ?? '')
  if (own.port === 0) return
  const gateway = Bun.listen({ ...own, socket: { data() {} } })
  try {
    refusePortInUse(parseListenAddress(metrics_listen))
  } catch (cause) {
    throw new Error(
      `Cannot listen on ${listen}: the gateway's own metrics have ${metrics_listen} ([metrics] listen). ${MAIN_ADVICE}`,
      { cause },
    )
  } finally {
    gateway.stop(true)
  }
}

const text = (status: number, words: string): Response =>
  new Response(`${words}\n`, { status, headers: { 'content-type': 'text/plain; charset=utf-8' } })

/**
 * Listens for requests. @param listen a loopback address, checked by the catalogue
 * @throws Error with a message for the operator if the address is not available
 */
export function listenForMetrics(listen: string, read: () => Promise<Response>) {
  try {
    return Bun.serve({
      ...parseListenAddress(listen),
      reusePort: false,
      development: false,
      async fetch(request) {
        if (!URL.canParse(request.url)) return text(400, 'The Host header is missing or malformed.')
        const { hostname, pathname } = new URL(request.url)
        // Against DNS rebinding: a web page could point its own host name to this address.
        if (!isLoopback(hostname)) return text(403, 'Ask for this address by 127.0.0.1 or localhost.')
        if (pathname !== '/metrics') return text(404, 'No such endpoint; only GET /metrics.')
        if (request.method !== 'GET' && request.method !== 'HEAD')
          return text(405, 'Metrics are read with GET.')
        return await read()
      },
    })
  } catch (cause) {
    throw listenRefusal(listen, cause, METRICS_ADVICE)
  }
}
