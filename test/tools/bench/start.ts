// The start: the time until the gateway listens, from its source and as the executable, and its memory when idle.
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
const builderOf = (checkout: string): Promise<typeof import('../../../src/build/binary.ts')> =>
  import(join(checkout, 'src/build/binary.ts'))

/** The figures of a checkout's starts, one value for each start. */
interface Starts {
  readonly listening_ms: number[]
  readonly idle_mib: number[]
}

/** The programs of a checkout, in a data folder that each of them starts on. */
interface Programs {
  readonly source: readonly string[]
  readonly binary: readonly string[]
  readonly data: DataFolder
  readonly size_mb: number
}

/** Starts the checkouts' gateways several times, in turns, from their source and as executables. */
export async function measureStart({ checkout, against, upstream, effort }: Bench): Promise<Figure[]> {
  if (checkout === undefined) return []
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-start-'))
  const checkouts = [checkout, ...(against === undefined ? [] : [against])]
  const built: Programs[] = []
  try {
    for (const one of checkouts)
      built.push(await programsOf(one, join(folder, `${built.length}`), upstream.port))
    const source = await timeStarts(built, 'source', effort.rounds * STARTS_PER_ROUND)
    const binary = await timeStarts(built, 'binary', effort.rounds * STARTS_PER_ROUND)
    const [size_mb, size_before_mb] = built.map(({ size_mb }) => [size_mb])
    return [
      figureOf('source: listening after', 'ms', line(source, 'listening_ms')),
      figureOf('binary: listening after', 'ms', line(binary, 'listening_ms'), LISTENING),
      figureOf('source: idle memory', 'MiB', line(source, 'idle_mib')),
      figureOf('binary: idle memory', 'MiB', line(binary, 'idle_mib'), IDLE_MEMORY),
      figureOf('binary: size', 'MB', { gateway: size_mb ?? [], before: size_before_mb }),
    ]
  } finally {
    for (const { data } of built) data.remove()
    rmSync(folder, { recursive: true, force: true })
  }
}

const line = ([gateway, before]: readonly Starts[], field: keyof Starts) => ({
  gateway: gateway?.[field] ?? [],
  before: before?.[field],
})

async function programsOf(checkout: string, folder: string, upstream_port: number): Promise<Programs> {
  const outfile = join(folder, 'tollgate')
  const { buildBinary, GATEWAY } = await builderOf(checkout)
  const size_bytes = await buildBinary({ ...GATEWAY, outfile })
  const source = sourceOf(checkout)
  return {
    source,
    binary: [outfile],
    data: await makeDataFolder(source, upstream_port),
    size_mb: size_bytes / 1e6,
  }
}

/** @returns the figures of each checkout */
async function timeStarts(
  built: readonly Programs[],
  program: 'source' | 'binary',
  starts: number,
): Promise<Starts[]> {
  const all = built.map((): Starts => ({ listening_ms: [], idle_mib: [] }))
  for (let i = 0; i < starts; i++) {
    for (const [index, programs] of built.entries()) {
      const { data } = programs
      const since_ms = nowMs()
      const process = start([...programs[program], 'serve', '--data', data.path], {})
      all[index]?.listening_ms.push(await untilListening(data.port, since_ms))
      await Bun.sleep(IDLE_AFTER_MS)
      all[index]?.idle_mib.push(memoryMib(process.pid))
      await process.stop()
    }
  }
  return all
}
