// The attack of large bodies: whatever comes in, everyone else goes on, and the memory stays bounded and comes back.
import { join } from 'node:path'
import { catalogueOf } from '../support/catalogue.ts'
import { type GatewayProcess, startGatewayProcess } from '../support/gateway-process.ts'
import { usedMemory } from '../support/memory.ts'
import { answer, ask, wholePath } from '../support/native.ts'
import type { Attack } from './attack.ts'

const CALM_MS = 4_000
const PAUSE_MS = 10
const MAX_HEALTH_MS = 50
const MAX_CALL_DELAY_MS = 100
const MAX_PEAK_MB = 1_000
const MAX_QUIET_MB = 300
const QUIET_MS = 60_000

/** Kind of body, how many, how many at once: all rows of a wave at the same time. */
type Wave = readonly (readonly [kind: string, count: number, at_once: number])[]
const WAVES: readonly Wave[] = [
  [['arrays', 12, 3]],
  [['fewer-arrays', 12, 3]],
  [['compose', 4, 2]],
  [['upload', 30, 16]],
  [
    ['image', 60, 60],
    ['compose', 10, 10],
  ],
]

export const bodies: Attack = {
  name: 'bodies',
  what: 'bodies of 29 and 99 MB and uploads of 25 MB, seventy at once',
  long: true,
  async run({ rounds }) {
    using upstream = startQuickUpstream()
    await using gateway = await startGatewayProcess(catalogueOf({ upstream_url: upstream.url }), {
      accounts: 3,
      balance_usd: '1000',
    })
    const calm = await watchDuring(gateway, Bun.sleep(CALM_MS))
    const seen = [`calm: ${textOf(calm)}`]
    let held = true
    for (const wave of Array(rounds).fill(WAVES).flat() as Wave[]) {
      const flood = Promise.all(wave.map((row, at) => sendFlood(gateway, gateway.keys[at % 2] ?? '', row)))
      const watched = await watchDuring(gateway, flood)
      held &&= watched.health_ms < MAX_HEALTH_MS
      held &&= watched.call_ms < calm.call_ms + MAX_CALL_DELAY_MS
      held &&= watched.peak_mb < MAX_PEAK_MB
      seen.push(
        `${wave.map(([kind, count]) => `${count} ${kind}`).join(' + ')}: ${textOf(watched)}, ${(await flood).join(' ')}`,
      )
    }
    const began_ms = performance.now()
    let quiet_mb = await usedMemory(gateway.pid)
    while (quiet_mb >= MAX_QUIET_MB && performance.now() - began_ms < QUIET_MS) {
      // Nothing tells when the system has got its memory back: it is looked at.
      await Bun.sleep(500)
      quiet_mb = await usedMemory(gateway.pid)
    }
    const quiet_s = Math.round((performance.now() - began_ms) / 1_000)
    seen.push(`${quiet_mb} MB after ${quiet_s} s of quiet`)
    return {
      tried: `${WAVES.length * rounds} waves`,
      held: held && quiet_mb < MAX_QUIET_MB,
      seen: seen.join('; '),
    }
  },
}

/** A provider that takes what comes and answers at once, in a process other than the gateway's. */
function startQuickUpstream(): Disposable & { url: string } {
  const text = JSON.stringify(answer())
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    maxRequestBodySize: 128 * 1024 * 1024,
    async fetch(request) {
      for await (const _part of request.body ?? []);
      return new Response(text, { headers: { 'content-type': 'application/json' } })
    },
  })
  return { url: `http://127.0.0.1:${server.port}`, [Symbol.dispose]: () => void server.stop(true) }
}

async function sendFlood(gateway: GatewayProcess, key: string, row: Wave[number]): Promise<string> {
  const program = join(import.meta.dir, 'flood.ts')
  const command = [process.execPath, program, gateway.url.href, key, ...row.map(String)]
  const child = Bun.spawn(command, { stdout: 'pipe', stderr: 'ignore' })
  return await child.stdout.text()
}

interface Watched {
  /** The 99th percentiles. */
  health_ms: number
  call_ms: number
  peak_mb: number
}

/** Asks for the health and makes small paid calls of an account of its own, one after the other, until the work is done. */
async function watchDuring(gateway: GatewayProcess, work: Promise<unknown>): Promise<Watched> {
  let is_over = false
  const over = work.finally(() => {
    is_over = true
  })
  const key = gateway.keys[2] ?? ''
  const health: number[] = []
  const calls: number[] = []
  let peak_mb = 0
  async function repeat(times_ms: number[], ask: () => Promise<Response>): Promise<void> {
    while (!is_over) {
      const at_ms = performance.now()
      const response = await ask()
      await response.arrayBuffer()
      if (!response.ok) throw new Error(`a bystander got ${response.status}`)
      times_ms.push(performance.now() - at_ms)
      peak_mb = Math.max(peak_mb, await usedMemory(gateway.pid))
      await Bun.sleep(PAUSE_MS)
    }
  }
  const body = JSON.stringify(ask())
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  await Promise.all([
    over,
    repeat(health, () => fetch(new URL('/healthz', gateway.url))),
    repeat(calls, () => fetch(new URL(wholePath(), gateway.url), { method: 'POST', headers, body })),
  ])
  return { health_ms: p99(health), call_ms: p99(calls), peak_mb }
}

function p99(times_ms: number[]): number {
  times_ms.sort((one, other) => one - other)
  return times_ms[Math.floor(times_ms.length * 0.99)] ?? 0
}

const textOf = ({ health_ms, call_ms, peak_mb }: Watched): string =>
  `healthz p99 ${Math.round(health_ms)} ms, call p99 ${Math.round(call_ms)} ms, ${peak_mb} MB`
