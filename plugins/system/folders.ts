// The sizes of the data folder's parts, measured file by file in the background and cached for some minutes.
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

interface FolderSize {
  name: string
  bytes: number
  files: number
}

interface Measured {
  parts: readonly FolderSize[]
  measured_at_ms: number
}

interface FolderSizes {
  /**
   * Returns the last sizes; null before the first measurement. Old sizes are measured again, which is awaited for a moment, enough for
   * most folders.
   * @param onFailure called if the measurement fails; the next call tries again
   */
  look(onFailure: (cause: unknown) => void): Promise<Measured | null>
}

const KEPT_MS = 5 * 60_000
const WAIT_MS = 100
/** Files measured at once; a small number, because paid calls use the same threads. */
const BATCH_FILES = 64
const DATABASE = 'database'
const OTHERS = 'other files'

/** @param folder the data folder */
export function createFolderSizes(folder: string, now: () => number): FolderSizes {
  let measured: Measured | null = null
  let measuring: Promise<void> | undefined

  async function measure(onFailure: (cause: unknown) => void): Promise<void> {
    try {
      measured = { parts: await measureParts(folder), measured_at_ms: now() }
    } catch (cause) {
      onFailure(cause)
    } finally {
      measuring = undefined
    }
  }

  return {
    async look(onFailure) {
      const is_old = measured === null || Math.abs(now() - measured.measured_at_ms) > KEPT_MS
      if (is_old) {
        measuring ??= measure(onFailure)
        await Promise.race([measuring, Bun.sleep(WAIT_MS)])
      }
      return measured
    },
  }
}

/** Measures each subfolder, the database, and all other files together; largest first. */
export async function measureParts(folder: string): Promise<FolderSize[]> {
  const parts = new Map<string, FolderSize>()
  const add = (name: string, bytes: number): void => {
    const part = parts.get(name) ?? { name, bytes: 0, files: 0 }
    parts.set(name, { name, bytes: part.bytes + bytes, files: part.files + 1 })
  }
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) for await (const bytes of sizesIn(path)) add(entry.name, bytes)
    else if (entry.isFile())
      add(/^tollgate\.db(-wal|-shm)?$/.test(entry.name) ? DATABASE : OTHERS, await sizeOf(path))
  }
  return [...parts.values()].sort((one, other) => other.bytes - one.bytes)
}

async function* sizesIn(folder: string): AsyncGenerator<number> {
  const entries = await readdir(folder, { withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  for (let at = 0; at < files.length; at += BATCH_FILES)
    yield* await Promise.all(files.slice(at, at + BATCH_FILES).map(({ name }) => sizeOf(join(folder, name))))
  for (const entry of entries) if (entry.isDirectory()) yield* sizesIn(join(folder, entry.name))
}

/** Returns 0 for a file that was deleted meanwhile. */
const sizeOf = (path: string): Promise<number> => stat(path).then(({ size }) => size, zeroIfAbsent)

function zeroIfAbsent(failure: unknown): number {
  if (failure instanceof Error && 'code' in failure && failure.code === 'ENOENT') return 0
  throw failure
}
