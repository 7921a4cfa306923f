// The attack of time: mixed load for ten minutes; the memory at the end must not exceed that after three minutes.
import { catalogueOf } from '../../support/catalogue.ts'
import { startGatewayProcess } from '../../support/gateway-process.ts'
import { usedMemory } from '../../support/memory.ts'
import { answer, ask, piece, streamPath, wholePath } from '../../support/native.ts'
import type { Attack } from './attack.ts'

const MINUTES = 10
/** The memory of the last tenth is compared with that at three tenths. */
const TENTHS = 10
const EARLY_TENTH = 3
const MAX_GROWTH = 0.15
const CALLERS = 6
const PAUSE_MS = 5
const STREAM_EVENTS = 100

const SSE = { 'content-type': 'text/event-stream' }
const event = (payload: object) => `data: ${JSON.stringify(payload)}\n\n`
const STREAM = event(piece('some words ')).repeat(STREAM_EVENTS) + event(answer())

export const soak: Attack = {
  name: 'soak',
  description: 'mixed load for ten minutes',
  long: true,
  async run({ rounds }) {
    const upstream = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      async fetch(request) {
        await request.arrayBuffer()
        return request.url.includes(':stream')
          ? new Response(STREAM, { headers: SSE })
          : Response.json(answer())
      },
    })
    await using gateway = await startGatewayProcess(
      catalogueOf({ upstream_url: `http://127.0.0.1:${upstream.port}` }),
      { accounts: 2, balance_usd: '100000' },
    )
    const until_ms = performance.now() + MINUTES * 60_000 * rounds
    let calls = 0
    let failed = 0
    const post = async (path: string, body: string, key = gateway.key): Promise<void> => {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
      const response = await fetch(new URL(path, gateway.url), { method: 'POST', headers, body })
      await response.arrayBuffer()
      calls += 1
      if (response.status >= 500) failed += 1
    }
    const small = JSON.stringify(ask())
    const middling = JSON.stringify(ask('word '.repeat(20_000)))
    const image = { inlineData: { mimeType: 'image/png', data: 'A'.repeat(3_000_000) } }
    const large = JSON.stringify({ contents: [{ role: 'user', parts: [{ text: 'What is it?' }, image] }] })
    const chat = JSON.stringify({
      model: 'test-model',
      messages: [{ role: 'user', content: 'Hello' }],
      stream: true,
    })
    const broken = small.slice(0, -3)
    const MIX: readonly (readonly [path: string, body: string])[] = [
      [wholePath(), small],
      [streamPath(), small],
      ['/v1/chat/completions', chat],
      [wholePath(), middling],
      [wholePath(), broken],
      [streamPath(), small],
    ]
    async function load(caller: number): Promise<void> {
      for (let turn = caller; performance.now() < until_ms; turn++) {
        const [path, body] = MIX[turn % MIX.length] ?? [wholePath(), small]
        await post(path, turn % 50 === 0 ? large : body, gateway.keys[caller % 2])
        await Bun.sleep(PAUSE_MS)
      }
    }
    const samples_mb: number[] = []
    async function sample(): Promise<void> {
      while (performance.now() < until_ms) {
        samples_mb.push(await usedMemory(gateway.pid))
        // One sample a second.
        await Bun.sleep(1_000)
      }
    }
    await Promise.all([sample(), ...Array.from({ length: CALLERS }, (_, caller) => load(caller))])
    await upstream.stop(true)
    const tenth = (at: number): number => {
      const part = samples_mb.slice(
        Math.floor((samples_mb.length * (at - 1)) / TENTHS),
        Math.floor((samples_mb.length * at) / TENTHS),
      )
      return Math.round(part.reduce((sum, mb) => sum + mb, 0) / part.length)
    }
    const [early_mb, late_mb] = [tenth(EARLY_TENTH), tenth(TENTHS)]
    return {
      tried: `${calls} calls in ${MINUTES * rounds} minutes`,
      held: failed === 0 && late_mb <= early_mb * (1 + MAX_GROWTH),
      figures: `${early_mb} MB at three tenths, ${late_mb} MB at the end; ${failed} failed`,
    }
  },
}
