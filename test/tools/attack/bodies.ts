// The attack of large bodies: other callers are still served, and memory stays bounded and is returned.
import { join } from 'node:path'
import { catalogueOf } from '../../support/catalogue.ts'
import { type GatewayProcess, startGatewayProcess } from '../../support/gateway-process.ts'
import { usedMemory } from '../../support/memory.ts'
import type { Attack } from './attack.ts'
import { startQuickUpstream, textOf, watchDuring } from './bystander.ts'

const CALM_MS = 4_000
const MAX_HEALTH_MS = 50
const MAX_CALL_DELAY_MS = 100
const MAX_PEAK_MB = 1_000
const MAX_QUIET_MB = 300
const QUIET_MS = 60_000

/** Kind of body, number, and number at once. All rows of a wave run at the same time. */
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
  description: 'bodies of 29 and 99 MB and uploads of 25 MB, seventy at once',
  long: true,
  async run({ rounds }) {
    using upstream = startQuickUpstream()
    await using gateway = await startGatewayProcess(catalogueOf({ upstream_url: upstream.url }), {
      accounts: 3,
      balance_usd: '1000',
    })
    const key = gateway.keys[2] ?? ''
    const calm = await watchDuring(gateway, key, Bun.sleep(CALM_MS))
    const figures = [`calm: ${textOf(calm)}`]
    let held = true
    for (const wave of Array(rounds).fill(WAVES).flat() as Wave[]) {
      const flood = Promise.all(wave.map((row, at) => sendFlood(gateway, gateway.keys[at % 2] ?? '', row)))
      const watched = await watchDuring(gateway, key, flood)
      held &&= watched.health_p99_ms < MAX_HEALTH_MS
      held &&= watched.call_p99_ms < calm.call_p99_ms + MAX_CALL_DELAY_MS
      held &&= watched.peak_mb < MAX_PEAK_MB
      figures.push(
        `${wave.map(([kind, count]) => `${count} ${kind}`).join(' + ')}: ${textOf(watched)}, ${(await flood).join(' ')}`,
      )
    }
    const began_ms = performance.now()
    let quiet_mb = await usedMemory(gateway.pid)
    while (quiet_mb >= MAX_QUIET_MB && performance.now() - began_ms < QUIET_MS) {
      // Polling, since nothing reports that the system has got its memory back.
      await Bun.sleep(500)
      quiet_mb = await usedMemory(gateway.pid)
    }
    const quiet_s = Math.round((performance.now() - began_ms) / 1_000)
    figures.push(`${quiet_mb} MB after ${quiet_s} s of quiet`)
    return {
      tried: `${WAVES.length * rounds} waves`,
      held: held && quiet_mb < MAX_QUIET_MB,
      figures: figures.join('; '),
    }
  },
}

async function sendFlood(gateway: GatewayProcess, key: string, row: Wave[number]): Promise<string> {
  const program = join(import.meta.dir, 'flood.ts')
  const command = [process.execPath, program, gateway.url.href, key, ...row.map(String)]
  const child = Bun.spawn(command, { stdout: 'pipe', stderr: 'ignore' })
  return await child.stdout.text()
}
