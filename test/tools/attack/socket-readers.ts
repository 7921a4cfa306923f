// The attack of callers who stop reading their WebSockets amid fast streams, and the memory that this costs.
import { catalogueOf, MODEL } from '../../support/catalogue.ts'
import { eventually } from '../../support/eventually.ts'
import { startGatewayProcess } from '../../support/gateway-process.ts'
import { usedMemory } from '../../support/memory.ts'
import { piece } from '../../support/native.ts'
import type { Attack } from './attack.ts'
import { watchHealth } from './health.ts'
import { connectWebSocket, createOf, frameOf } from './web-socket-client.ts'

const READERS = 50
const TIMEOUT_MS = 5_000
const MAX_LATE_MS = 10_000
/** POST takes a similar amount for the same: 747 MB beside 652. */
const MAX_USED_MB = 900
const PAUSE_MS = 100
const EVENT = Buffer.from(`data: ${JSON.stringify(piece('A fast answer. '.repeat(500)))}\n\n`)

export const socketReaders: Attack = {
  name: 'socket-readers',
  description: `${READERS} callers stop reading endless streams over WebSockets, with messages that still come in`,
  async run() {
    let let_go = 0
    const server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      idleTimeout: 0,
      fetch: () =>
        new Response(
          new ReadableStream<Uint8Array>({
            pull: (controller) => controller.enqueue(EVENT),
            cancel: () => void let_go++,
          }),
          { headers: { 'content-type': 'text/event-stream' } },
        ),
    })
    const settings = `stalled_reader_timeout_ms = ${TIMEOUT_MS}`
    const catalogue = catalogueOf({ upstream_url: `http://127.0.0.1:${server.port}`, server: settings })
    await using gateway = await startGatewayProcess(catalogue, { balance_usd: '1000' })
    const health = watchHealth(gateway.url)
    const create = frameOf(createOf({ model: MODEL, input: 'Why?' }))
    const began_ms = performance.now()
    const clients = await Promise.all(
      Array.from({ length: READERS }, async () => {
        const client = await connectWebSocket(gateway.url, gateway.key)
        client.send(create)
        await client.waitForText('response.output_text.delta')
        client.pause()
        // Further requests wait, and never begin.
        for (let more = 0; more < 5; more++) client.send(create)
        return client
      }),
    )
    let used_mb = 0
    const until_ms = performance.now() + TIMEOUT_MS + MAX_LATE_MS
    while (let_go < READERS && performance.now() < until_ms) {
      used_mb = Math.max(used_mb, await usedMemory(gateway.pid))
      await Bun.sleep(PAUSE_MS)
    }
    const took_ms = Math.round(performance.now() - began_ms)
    const health_ms = Math.round(await health.stop())
    for (const client of clients) client.leave('close')
    await eventually('nothing is held', () => gateway.books().holds.every(({ state }) => state !== 'pending'))
    await server.stop(true)
    const { calls } = gateway.books()
    const findings = await gateway.findings()
    const charged = calls.filter(
      ({ outcome, cost_nanos }) => outcome === 'cancelled' && cost_nanos > 0,
    ).length
    return {
      tried: `${READERS} sockets, ${TIMEOUT_MS / 1_000} s each`,
      held:
        let_go === READERS &&
        charged === READERS &&
        calls.length === READERS &&
        findings.length === 0 &&
        used_mb < MAX_USED_MB,
      figures: `${let_go} let go within ${took_ms} ms, ${charged} of ${calls.length} calls charged; at most ${used_mb} MB; healthz at most ${health_ms} ms`,
    }
  },
}
