// The start: how long until the gateway listens, from its source and as the executable, and its memory when idle.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Bench } from './contest.ts'
import { memoryMib, start, untilListening } from './processes.ts'
import { nowMs } from './recording.ts'
import { atMost, type Figure, figureOf } from './report.ts'
import { type DataFolder, makeDataFolder, sourceOf } from './subjects.ts'

const STARTS_PER_ROUND = 3
/** A measuring window: memory is read this long after each start, so that the starts can be compared. */
const IDLE_AFTER_MS = 1_000
const LISTENING = atMost(150)
const IDLE_MEMORY = atMost(70, 47)

/** A checkout's own way of building the executable. */
const builderOf = (checkout: string): Promise<typeof import('../../src/build/binary.ts')> =>
  import(join(checkout, 'src/build/binary.ts'))

/** What the starts of a checkout's gateway gave, one value each. */
interface Starts {
  readonly listening_ms: number[]
  readonly idle_mib: number[]
}

/** Starts the checkouts' gateways several times, from their source and as executables. */
export async function measureStart({ checkout, against, upstream, effort }: Bench): Promise<Figure[]> {
  if (checkout === undefined) return []
  const starts = effort.rounds * STARTS_PER_ROUND
  const own = await startsOf(checkout, upstream.port, starts)
  const other = against === undefined ? undefined : await startsOf(against, upstream.port, starts)
  const line = (of: 'source' | 'binary', field: keyof Starts) => ({
    gateway: own[of][field],
    before: other?.[of][field],
  })
  return [
    figureOf('source: listening after', 'ms', line('source', 'listening_ms')),
    figureOf('binary: listening after', 'ms', line('binary', 'listening_ms'), LISTENING),
    figureOf('source: idle memory', 'MiB', line('source', 'idle_mib')),
    figureOf('binary: idle memory', 'MiB', line('binary', 'idle_mib'), IDLE_MEMORY),
    figureOf('binary: size', 'MB', { gateway: [own.size_mb], before: other && [other.size_mb] }),
  ]
}

async function startsOf(checkout: string, upstream_port: number, starts: number) {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-start-'))
  const data = await makeDataFolder(sourceOf(checkout), upstream_port)
  try {
    const outfile = join(folder, 'tollgate')
    const { buildBinary, GATEWAY } = await builderOf(checkout)
    const size_bytes = await buildBinary({ ...GATEWAY, outfile })
    return {
      source: await timedStarts(sourceOf(checkout), data, starts),
      binary: await timedStarts([outfile], data, starts),
      size_mb: size_bytes / 1e6,
    }
  } finally {
    data.remove()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function timedStarts(command: readonly string[], data: DataFolder, starts: number): Promise<Starts> {
  const listening_ms: number[] = []
  const idle_mib: number[] = []
  for (let i = 0; i < starts; i++) {
    const since_ms = nowMs()
    const process = start([...command, 'serve', '--data', data.path], {})
    listening_ms.push(await untilListening(data.port, since_ms))
    await Bun.sleep(IDLE_AFTER_MS)
    idle_mib.push(memoryMib(process.pid))
    await process.stop()
  }
  return { listening_ms, idle_mib }
}
