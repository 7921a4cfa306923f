// The attack of callers who stop reading endless streams, on a busy machine: the gateway must end each in time.
import { catalogueOf } from '../../support/catalogue.ts'
import { startGatewayProcess } from '../../support/gateway-process.ts'
import { ask, piece, streamPath } from '../../support/native.ts'
import { connectSocket, rawPost } from '../../support/socket-client.ts'
import type { Attack } from './attack.ts'
import { watchHealth } from './health.ts'

const READERS = 300
const TIMEOUT_MS = 5_000
/** The gateway checks every half second; the rest is for the busy machine. */
const MAX_LATE_MS = 2_000
const BUSY_PROCESSES = 3
const ENDS_MS = 120_000
const EVENT = Buffer.from(`data: ${JSON.stringify(piece('A fast answer. '.repeat(500)))}\n\n`)

/** Keeps a processor busy until it is killed. */
const busy = () => Bun.spawn([process.execPath, '-e', 'for (;;);'])

/** A provider of endless streams, and for each stream the time from its last accepted event to its end. */
function startEndless() {
  const waited_ms: number[] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    fetch() {
      let taken_ms = performance.now()
      const body = new ReadableStream<Uint8Array>({
        pull(controller) {
          taken_ms = performance.now()
          controller.enqueue(EVENT)
        },
        cancel: () => void waited_ms.push(performance.now() - taken_ms),
      })
      return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
    },
  })
  return { waited_ms, url: `http://127.0.0.1:${server.port}`, stop: () => server.stop(true) }
}

export const endlessReaders: Attack = {
  name: 'endless-readers',
  description: `${READERS} callers stop reading endless streams, beside ${BUSY_PROCESSES} busy processes`,
  long: true,
  async run() {
    const provider = startEndless()
    await using gateway = await startGatewayProcess(
      catalogueOf({
        upstream_url: provider.url,
        server: `stalled_reader_timeout_ms = ${TIMEOUT_MS}`,
      }),
    )
    const others = Array.from({ length: BUSY_PROCESSES }, busy)
    const health = watchHealth(gateway.url)
    try {
      const request = rawPost(streamPath(), ask(), { authorization: `Bearer ${gateway.key}` })
      const clients = await Promise.all(
        Array.from({ length: READERS }, async () => {
          const client = await connectSocket(gateway.url)
          client.send(request)
          await client.waitForText('data: ')
          client.pause()
          return client
        }),
      )
      const until_ms = performance.now() + ENDS_MS
      // A bound on the whole attack: streams may end at any time until then.
      while (provider.waited_ms.length < READERS && performance.now() < until_ms) await Bun.sleep(100)
      for (const client of clients) client.leave('close')
    } finally {
      for (const other of others) other.kill()
    }
    const health_ms = Math.round(await health.stop())
    await provider.stop()
    const longest_ms = Math.round(Math.max(...provider.waited_ms))
    return {
      tried: `${READERS} readers, ${TIMEOUT_MS / 1_000} s each`,
      held: provider.waited_ms.length === READERS && longest_ms <= TIMEOUT_MS + MAX_LATE_MS,
      figures: `${provider.waited_ms.length} let go, the last ${longest_ms} ms after it took nothing more; healthz at most ${health_ms} ms`,
    }
  },
}
