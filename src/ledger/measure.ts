// The fsync measurement: how long this disk takes to make a small write durable.
import { closeSync, fsyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'

const SAMPLES = 7
const PAGE_BYTES = 4_096

/**
 * The median time of an fsync after a write of one page, in the database's folder. Blocks until it is measured.
 *
 * @param path the database's file; `:memory:` has no disk: 0
 * @returns milliseconds
 * @throws Error when the folder cannot be written to
 */
export function medianSyncMs(path: string): number {
  if (path === ':memory:') return 0
  const folder = mkdtempSync(join(dirname(path), '.sync-'))
  try {
    const file = openSync(join(folder, 'page'), 'w')
    const times = Array.from({ length: SAMPLES }, () => timeSync(file)).sort((a, b) => a - b)
    closeSync(file)
    return times[(SAMPLES - 1) / 2] ?? 0
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function timeSync(file: number): number {
  const started = performance.now()
  writeSync(file, Buffer.alloc(PAGE_BYTES))
  fsyncSync(file)
  return performance.now() - started
}
