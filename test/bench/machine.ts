// What the figures depend on besides the program: the machine's disk, and its other load.
import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Figure, median } from './report.ts'

const PAGE = new Uint8Array(4_096)
const FSYNCS = 200

/** Load average per core; above it, other processes take time that the bench would have used. */
const BUSY_PER_CORE = 0.25

/** The machine before anything is measured. */
export const machineFigures = (): Figure[] => [
  loadFigure(loadavg()[0] ?? Number.NaN, availableParallelism()),
  fsyncFigure(),
]

/**
 * How busy the machine is, with a warning where it is too busy for reliable figures.
 * @param load_average processes running or waiting for a core, averaged over the last minute
 */
export function loadFigure(load_average: number, cores: number): Figure {
  const busy = load_average > BUSY_PER_CORE * cores
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
