// The start: how long until the gateway listens, from its source and as the executable, and its memory when idle.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Effort } from './effort.ts'
import { memoryMib, start, untilListening } from './processes.ts'
import { nowMs } from './recording.ts'
import { type Figure, median } from './report.ts'
import { type DataFolder, makeDataFolder, sourceOf } from './subjects.ts'

const STARTS_PER_ROUND = 3
/** A measuring window: memory is read this long after each start, so that the starts can be compared. */
const IDLE_AFTER_MS = 1_000
const LISTENING_WITHIN_MS = 150
const IDLE_MIB = 90

/** A checkout's own way of building the executable. */
const builderOf = (checkout: string): Promise<typeof import('../../src/build/binary.ts')> =>
  import(join(checkout, 'src/build/binary.ts'))

/** Starts a checkout's gateway several times. */
export async function measureStart(
  checkout: string,
  upstream_port: number,
  { rounds }: Effort,
): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-start-'))
  const data = await makeDataFolder(sourceOf(checkout), upstream_port)
  try {
    const outfile = join(folder, 'tollgate')
    const { buildBinary, GATEWAY } = await builderOf(checkout)
    const size_bytes = await buildBinary({ ...GATEWAY, outfile })
    const starts = rounds * STARTS_PER_ROUND
    const source = await startsOf(sourceOf(checkout), data, starts)
    const binary = await startsOf([outfile], data, starts)
    return [
      { what: 'source: listening after', unit: 'ms', gateway: source.listening_ms },
      {
        what: 'binary: listening after',
        unit: 'ms',
        gateway: binary.listening_ms,
        goal: { at_most: LISTENING_WITHIN_MS },
      },
      { what: 'source: idle memory', unit: 'MiB', gateway: source.idle_mib },
      { what: 'binary: idle memory', unit: 'MiB', gateway: binary.idle_mib, goal: { at_most: IDLE_MIB } },
      { what: 'binary: size', unit: 'MB', gateway: size_bytes / 1e6 },
    ]
  } finally {
    data.remove()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function startsOf(command: readonly string[], data: DataFolder, starts: number) {
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
  return { listening_ms: median(listening_ms), idle_mib: median(idle_mib) }
}
