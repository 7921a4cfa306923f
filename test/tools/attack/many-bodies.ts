// The attack of large bodies that are never sent to their end, on as many connections as can be open.
import { loadavg } from 'node:os'
import { catalogueOf, MODEL } from '../../support/catalogue.ts'
import { startGatewayProcess } from '../../support/gateway-process.ts'
import { peakMemory } from '../../support/memory.ts'
import type { Attack } from './attack.ts'
import { watchHealth } from './health.ts'

const ACCOUNTS = 16
const CONNECTIONS = 2_048
const MEGABYTE = 1024 * 1024
const BODY_BYTES = 16 * MEGABYTE
const ROUNDS = 15
const PAUSE_MS = 300
const MAX_PEAK_MB = 1_500
const MAX_HEALTH_MS = 2_000
/** With a declared length, and in chunks of a megabyte. */
const KINDS = {
  whole: [`content-length: ${BODY_BYTES}`, '', ''],
  chunked: ['transfer-encoding: chunked', `${MEGABYTE.toString(16)}\r\n`, '\r\n'],
} as const

export const manyBodies: Attack = {
  name: 'many-bodies',
  description: `${CONNECTIONS} connections that send 15 of 16 MB of a body`,
  async run() {
    const figures: string[] = []
    let held = true
    for (const [kind, [length, before, after]] of Object.entries(KINDS)) {
      const catalogue = catalogueOf({ upstream_url: 'simulator' })
      await using gateway = await startGatewayProcess(catalogue, { accounts: ACCOUNTS, balance_usd: '1000' })
      const { hostname, port } = gateway.url
      let answered = 0
      const sockets = await Promise.all(
        Array.from({ length: CONNECTIONS }, () =>
          Bun.connect({
            hostname,
            port: Number(port),
            socket: { data: () => void answered++, drain: () => undefined, error: () => undefined },
          }),
        ),
      )
      const health = watchHealth(gateway.url)
      for (const [at, socket] of sockets.entries())
        socket.write(
          `POST /v1/chat/completions HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Bearer ${gateway.keys[at % ACCOUNTS]}\r\n` +
            `content-type: application/json\r\n${length}\r\n\r\n`,
        )
      const start = `{"model":"${MODEL}","messages":"`
      const part = Buffer.concat([
        Buffer.from(before),
        Buffer.from(start.padEnd(MEGABYTE, 'x')),
        Buffer.from(after),
      ])
      for (let round = 0; round < ROUNDS; round++) {
        for (const socket of sockets) socket.write(part)
        await Bun.sleep(PAUSE_MS)
      }
      const health_ms = Math.round(await health.stop())
      const peak_mb = await peakMemory(gateway.pid)
      for (const socket of sockets) socket.terminate()
      held &&= peak_mb < MAX_PEAK_MB && health_ms < MAX_HEALTH_MS
      figures.push(`${kind}: at most ${peak_mb} MB, ${answered} answers, healthz at most ${health_ms} ms`)
    }
    const load = loadavg()[0]?.toFixed(1)
    return {
      tried: `${CONNECTIONS} connections, ${ROUNDS} MB each`,
      held,
      figures: `${figures.join('; ')} (load average ${load})`,
    }
  },
}
