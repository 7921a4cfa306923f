// Bystanders of an attack: the times of health checks and of small paid calls meanwhile, and the memory of the gateway.
import { loadavg } from 'node:os'
import type { GatewayProcess } from '../../support/gateway-process.ts'
import { usedMemory } from '../../support/memory.ts'
import { answer, ask, wholePath } from '../../support/native.ts'

const PAUSE_MS = 10
const MEMORY_EVERY_MS = 20

export interface Watched {
  health_p99_ms: number
  health_max_ms: number
  call_p50_ms: number
  call_p99_ms: number
  calls: number
  peak_mb: number
}

/** Watches a gateway until the work is done. @param key the key of an account that can pay @throws Error if a bystander is refused */
export async function watchDuring(
  gateway: Pick<GatewayProcess, 'url' | 'pid'>,
  key: string,
  work: Promise<unknown>,
): Promise<Watched> {
  let is_over = false
  const over = work.finally(() => {
    is_over = true
  })
  const health: number[] = []
  const calls: number[] = []
  let peak_mb = 0
  async function repeat(times_ms: number[], send: () => Promise<Response>): Promise<void> {
    while (!is_over) {
      const at_ms = performance.now()
      const response = await send()
      await response.arrayBuffer()
      if (!response.ok) throw new Error(`a bystander got ${response.status}`)
      times_ms.push(performance.now() - at_ms)
      await Bun.sleep(PAUSE_MS)
    }
  }
  async function look(): Promise<void> {
    while (!is_over) {
      peak_mb = Math.max(peak_mb, await usedMemory(gateway.pid))
      await Bun.sleep(MEMORY_EVERY_MS)
    }
  }
  const body = JSON.stringify(ask())
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  await Promise.all([
    over,
    look(),
    repeat(health, () => fetch(new URL('/healthz', gateway.url))),
    repeat(calls, () => fetch(new URL(wholePath(), gateway.url), { method: 'POST', headers, body })),
  ])
  return {
    health_p99_ms: shareOf(health, 0.99),
    health_max_ms: Math.max(...health),
    call_p50_ms: shareOf(calls, 0.5),
    call_p99_ms: shareOf(calls, 0.99),
    calls: calls.length,
    peak_mb,
  }
}

function shareOf(times_ms: number[], share: number): number {
  times_ms.sort((one, other) => one - other)
  return times_ms[Math.floor(times_ms.length * share)] ?? 0
}

export const textOf = ({
  health_p99_ms,
  health_max_ms,
  call_p50_ms,
  call_p99_ms,
  calls,
  peak_mb,
}: Watched): string =>
  `healthz p99 ${Math.round(health_p99_ms)}, at most ${Math.round(health_max_ms)} ms, ${calls} calls p50 ${call_p50_ms.toFixed(1)} ms, p99 ${call_p99_ms.toFixed(1)} ms, ${peak_mb} MB (load average ${loadavg()[0]?.toFixed(1)})`

/** A provider that answers at once, in a process other than the gateway's. */
export function startQuickUpstream(): Disposable & { url: string } {
  const text = JSON.stringify(answer())
  const event = `data: ${text}\n\n`
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    maxRequestBodySize: 128 * 1024 * 1024,
    async fetch(request) {
      for await (const _part of request.body ?? []);
      const streams = request.url.includes(':streamGenerateContent')
      const type = streams ? 'text/event-stream' : 'application/json'
      return new Response(streams ? event : text, { headers: { 'content-type': type } })
    },
  })
  return { url: `http://127.0.0.1:${server.port}`, [Symbol.dispose]: () => void server.stop(true) }
}
