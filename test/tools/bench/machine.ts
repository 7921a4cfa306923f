// The influences of the machine on the figures: its disk, and its other load.
import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Figure, median } from './report.ts'

const PAGE = new Uint8Array(4_096)
const FSYNCS = 200

/** The load average from which on other processes take time from the bench. */
const BUSY_FROM = 0.3
const MAX_WAIT_MS = 300_000
const LOOK_EVERY_MS = 5_000

/**
 * Waits, for some minutes at most, until nothing else has run on the machine for a while.
 * @param say receives a message with the reason for the wait
 */
export async function untilQuiet(say: (text: string) => void): Promise<void> {
  const since_ms = performance.now()
  let is_announced = false
  while ((loadavg()[0] ?? 0) >= BUSY_FROM && performance.now() - since_ms < MAX_WAIT_MS) {
    if (!is_announced)
      say(
        `waiting until the load average (${loadavg()[0]?.toFixed(2)}) is below ${BUSY_FROM}; --busy skips this`,
      )
    is_announced = true
    // Polling, since the kernel announces no load average.
    await Bun.sleep(LOOK_EVERY_MS)
  }
}

/** The figures of the machine before the measurements. */
export const machineFigures = (): Figure[] => [
  loadFigure(loadavg()[0] ?? Number.NaN, availableParallelism()),
  fsyncFigure(),
]

/**
 * The load of the machine, with a warning if it is too busy for reliable figures.
 * @param load_average processes running or waiting for a core, averaged over the last minute
 */
export function loadFigure(load_average: number, cores: number): Figure {
  const busy = load_average >= BUSY_FROM
  return {
    what: `this machine, ${cores} cores: load average at start${busy ? ' (BUSY: figures are noisy)' : ''}`,
    unit: '',
    gateway: load_average,
  }
}

/** The median time that this machine takes to make a page durable. */
function fsyncFigure(): Figure {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-fsync-'))
  const file = openSync(join(folder, 'page'), 'w')
  const durations_ms = Array.from({ length: FSYNCS }, () => {
    const started_ms = performance.now()
    writeSync(file, PAGE, 0, PAGE.length, 0)
    fdatasyncSync(file)
    return performance.now() - started_ms
  })
  closeSync(file)
  rmSync(folder, { recursive: true })
  return { what: 'this machine: fsync p50', unit: 'ms', gateway: median(durations_ms) }
}
