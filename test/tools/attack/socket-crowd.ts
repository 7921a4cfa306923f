// The attack of many WebSockets: ten thousand connect, then the accepted ones stay idle.

import { catalogueOf } from '../../support/catalogue.ts'
import { startGatewayProcess } from '../../support/gateway-process.ts'
import { peakMemory, usedMemory } from '../../support/memory.ts'
import { cpuMs } from '../bench/processes.ts'
import type { Attack } from './attack.ts'
import { watchHealth } from './health.ts'
import { connectWebSocket } from './web-socket-client.ts'

const CONNECTS = 10_000
const ACCOUNTS = 20
const AT_ONCE = 100
const MAX_OPEN = 768
const IDLE_MS = 5_000
const MAX_IDLE_CPU_MS = 500
const MAX_PEAK_MB = 400
const MAX_HEALTH_MS = 500

export const socketCrowd: Attack = {
  name: 'socket-crowd',
  description: `${CONNECTS} WebSockets that connect, stay and do nothing`,
  async run() {
    const catalogue = catalogueOf({
      upstream_url: 'simulator',
      server: '[limits]\nreads_per_minute = 100000',
    })
    await using gateway = await startGatewayProcess(catalogue, { accounts: ACCOUNTS })
    const health = watchHealth(gateway.url)
    const open: Awaited<ReturnType<typeof connectWebSocket>>[] = []
    let refused = 0
    for (let tried = 0; tried < CONNECTS; tried += AT_ONCE) {
      const clients = await Promise.all(
        Array.from({ length: AT_ONCE }, (_, at) =>
          connectWebSocket(gateway.url, gateway.keys[at % ACCOUNTS] ?? ''),
        ),
      )
      for (const client of clients) {
        if (client.is_open) open.push(client)
        else if (client.received().startsWith('HTTP/1.1 426')) refused++
        if (!client.is_open) client.leave('close')
      }
    }
    const health_ms = Math.round(await health.stop())
    const before_ms = cpuMs(gateway.pid)
    await Bun.sleep(IDLE_MS)
    const idle_ms = cpuMs(gateway.pid) - before_ms
    const [used_mb, peak_mb] = [await usedMemory(gateway.pid), await peakMemory(gateway.pid)]
    const began_ms = performance.now()
    gateway.signal('SIGTERM')
    const status = await gateway.ended
    const stop_ms = Math.round(performance.now() - began_ms)
    const { calls, holds } = gateway.books()
    return {
      tried: `${CONNECTS} handshakes of ${ACCOUNTS} accounts`,
      held:
        open.length === MAX_OPEN &&
        refused === CONNECTS - MAX_OPEN &&
        peak_mb < MAX_PEAK_MB &&
        idle_ms < MAX_IDLE_CPU_MS &&
        health_ms < MAX_HEALTH_MS &&
        status === 0 &&
        calls.length + holds.length === 0,
      figures: `${open.length} open, ${refused} answered 426; ${used_mb} MB, ${idle_ms} ms of processor time in ${IDLE_MS / 1_000} s; healthz at most ${health_ms} ms; all closed and stopped after ${stop_ms} ms`,
    }
  },
}
