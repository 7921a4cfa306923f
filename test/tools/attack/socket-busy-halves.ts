// The attack of incomplete messages on the maximum number of WebSockets, each with a slow call under way.
import { loadavg } from 'node:os'
import { catalogueOf, MODEL } from '../../support/catalogue.ts'
import { startGatewayProcess } from '../../support/gateway-process.ts'
import { usedMemory } from '../../support/memory.ts'
import type { Attack } from './attack.ts'
import { watchHealth } from './health.ts'
import { connectWebSocket, createOf, frameOf } from './web-socket-client.ts'

const ACCOUNTS = 16
const HANDSHAKES = 2_048
/** The others are refused (src/http/web-sockets.ts). */
const SOCKETS = 768
const AT_ONCE = 64
const MEGABYTE = 1024 * 1024
const MESSAGE_BYTES = 16 * MEGABYTE - 16
const ROUNDS = 15
const PAUSE_MS = 300
const MAX_PEAK_MB = 1_500
const MAX_HEALTH_MS = 1_000
const CREATE = frameOf(createOf({ model: MODEL, input: 'Why?' }))

export const socketBusyHalves: Attack = {
  name: 'socket-busy-halves',
  description: `${HANDSHAKES} WebSockets with a slow call under way that send 15 of 16 MB of a message`,
  async run() {
    using upstream = startSilentUpstream()
    const server = '[limits]\nreads_per_minute = 100000'
    const catalogue = catalogueOf({ upstream_url: upstream.url, server })
    await using gateway = await startGatewayProcess(catalogue, { accounts: ACCOUNTS, balance_usd: '1000' })
    const clients: Awaited<ReturnType<typeof connectWebSocket>>[] = []
    for (let at = 0; at < HANDSHAKES; at += AT_ONCE) {
      const asked = Array.from({ length: AT_ONCE }, (_, one) =>
        connectWebSocket(gateway.url, gateway.keys[(at + one) % ACCOUNTS] ?? ''),
      )
      for (const client of await Promise.all(asked)) {
        if (client.is_open) clients.push(client)
        else client.leave('close')
      }
    }
    let closed = 0
    for (const client of clients) void client.closed.then(() => closed++)
    for (const client of clients) client.send(CREATE)
    const began_ms = performance.now()
    while (upstream.requests() < SOCKETS && performance.now() - began_ms < 60_000) await Bun.sleep(100)
    const [under_way, calm_mb] = [upstream.requests(), await usedMemory(gateway.pid)]
    const health = watchHealth(gateway.url)
    let peak_mb = 0
    const watch = setInterval(() => {
      // The process lives as long as the attack; otherwise the attack fails.
      void usedMemory(gateway.pid).then((used_mb) => {
        peak_mb = Math.max(peak_mb, used_mb)
      })
    }, 20)
    for (const client of clients) client.send(frameOf('{"type":"', { declared_bytes: MESSAGE_BYTES }))
    const part = Buffer.alloc(MEGABYTE, 'x')
    for (let round = 0; round < ROUNDS; round++) {
      for (const client of clients) client.send(part)
      await Bun.sleep(PAUSE_MS)
    }
    clearInterval(watch)
    const health_ms = Math.round(await health.stop())
    for (const client of clients) client.leave('close')
    return {
      tried: `${HANDSHAKES} handshakes of ${ACCOUNTS} accounts, ${ROUNDS} MB each`,
      held: peak_mb < MAX_PEAK_MB && health_ms < MAX_HEALTH_MS && under_way === SOCKETS,
      figures: `${under_way} calls under way at ${calm_mb} MB; at most ${peak_mb} MB, ${closed} closed for want of memory; healthz at most ${health_ms} ms (load average ${loadavg()[0]?.toFixed(1)})`,
    }
  },
}

/** A provider that takes requests and never answers. */
function startSilentUpstream(): Disposable & { url: string; requests: () => number } {
  let requests = 0
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    async fetch(request) {
      await request.arrayBuffer()
      requests++
      return await new Promise<Response>(() => undefined)
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    requests: () => requests,
    [Symbol.dispose]: () => void server.stop(true),
  }
}
