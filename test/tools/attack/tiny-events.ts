// Providers who send a million tiny events as fast as the loopback allows, or 200 MB of them compressed: the delay for everyone else.
import { join } from 'node:path'
import { REQUESTS } from '../../disconnect/surfaces.ts'
import { type GatewayProcess, startGatewayProcess } from '../../support/gateway-process.ts'
import { peakMemory } from '../../support/memory.ts'
import { modelSection, providerSection } from '../../support/sections.ts'
import type { Attack, Result } from './attack.ts'
import { watchHealth } from './health.ts'

const MAX_HEALTH_MS = 100
const AMOUNTS = ['1000000', '200MB'] as const
const PROGRAM = join(import.meta.dir, 'event-flood.ts')

const catalogueOf = (url: string): string =>
  [
    '[server]\nlog_level = "warn"',
    ...(['gemini', 'openai', 'anthropic', 'responses'] as const).map(
      (protocol) =>
        (protocol === 'responses'
          ? providerSection(protocol, 'openai', `${url}/${protocol}`, 'responses = true')
          : providerSection(protocol, protocol, `${url}/${protocol}`)) +
        modelSection(protocol, { [protocol]: 'm' }),
    ),
  ].join('\n')

/** Each surface with a provider of its own protocol, and translated. */
const CALLS = [
  REQUESTS.native('gemini', true),
  REQUESTS.chat('openai', true),
  REQUESTS.messages('anthropic', true),
  REQUESTS.responses('responses', true),
  REQUESTS.chat('gemini', true),
  REQUESTS.responses('openai', true),
]

async function flood(
  gateway: GatewayProcess,
  { path, body }: (typeof CALLS)[number],
): Promise<{ health_ms: number; received: string }> {
  const url = new URL(path, gateway.url).href
  const health = watchHealth(gateway.url)
  const taker = Bun.spawn([process.execPath, PROGRAM, 'take', url, gateway.key, JSON.stringify(body)], {
    stdout: 'pipe',
  })
  const received = await taker.stdout.text()
  return { health_ms: await health.stop(), received }
}

export const tinyEvents: Attack = {
  name: 'tiny-events',
  description: 'a provider sends 1,000,000 tiny events at once, or 200 MB of them compressed',
  async run({ rounds }): Promise<Result> {
    const longest: Record<string, number> = {}
    let served = 0
    let peak_mb = 0
    for (const amount of AMOUNTS) {
      const provider = Bun.spawn([process.execPath, PROGRAM, 'provide', amount], { stdout: 'pipe' })
      try {
        const { value } = await provider.stdout.getReader().read()
        const url = `http://127.0.0.1:${Buffer.from(value ?? [])
          .toString()
          .trim()}`
        await using gateway = await startGatewayProcess(catalogueOf(url), {
          accounts: 1,
          balance_usd: '10000',
        })
        for (const call of Array(rounds).fill(CALLS).flat()) {
          const { health_ms, received } = await flood(gateway, call)
          longest[amount] = Math.max(longest[amount] ?? 0, health_ms)
          if (/^200 \d{7,}/.test(received)) served++
        }
        peak_mb = Math.max(peak_mb, await peakMemory(gateway.pid))
      } finally {
        provider.kill()
      }
    }
    const [events = Infinity, compressed = Infinity] = AMOUNTS.map((amount) => longest[amount])
    const tried = AMOUNTS.length * CALLS.length * rounds
    return {
      tried: `${tried} streams over all text surfaces`,
      held: served === tried && Math.max(events, compressed) <= MAX_HEALTH_MS,
      figures: `${served} served; healthz at most ${Math.round(events)} ms and ${Math.round(compressed)} ms, peak ${peak_mb} MB`,
    }
  },
}
