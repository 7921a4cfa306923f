// A small disk that a test can fill: a file system in memory, if this process may mount one.
import { mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface SmallDisk extends Disposable {
  path: string
  /** Fills all free space, to the last byte. */
  fill(): Promise<void>
  /** Frees that space. */
  free(): void
}

const MOUNT = (path: string, more = '') => [
  'mount',
  '-t',
  'tmpfs',
  '-o',
  `size=24m,mode=700${more}`,
  'tollgate-test',
  path,
]
const run = (command: string[]): boolean =>
  Bun.spawnSync(command, { stdout: 'ignore', stderr: 'ignore' }).exitCode === 0

/** Whether this process may mount a disk; usually only root may. */
export const mayMount = ((): boolean => {
  const path = mkdtempSync(join(tmpdir(), 'tollgate-disk-'))
  const mounted = Bun.which('mount') !== null && run(MOUNT(path))
  if (mounted) run(['umount', path])
  rmSync(path, { recursive: true, force: true })
  return mounted
})()

/** Mounts a disk of 24 MB. @param more options of its own, such as `,noexec` @throws Error if mounting is not allowed: see `mayMount` */
export function mountSmallDisk(more = ''): SmallDisk {
  const path = mkdtempSync(join(tmpdir(), 'tollgate-disk-'))
  if (!run(MOUNT(path, more))) throw new Error('no file system may be mounted here')
  const ballast = join(path, 'ballast')
  return {
    path,
    async fill() {
      const file = await open(ballast, 'a')
      try {
        for (const bytes of [1024 * 1024, 4096, 1]) await writeUntilFull(file, bytes)
      } finally {
        await file.close()
      }
      const { bavail } = statfsSync(path)
      if (bavail > 0) throw new Error(`${bavail} blocks are left on a disk that was filled`)
    },
    free: () => rmSync(ballast, { force: true }),
    [Symbol.dispose]() {
      // Lazily: a process that was killed may not have closed its files yet.
      run(['umount', '-l', path])
      rmSync(path, { recursive: true, force: true })
    },
  }
}

async function writeUntilFull(
  file: { write(bytes: Uint8Array): Promise<unknown> },
  bytes: number,
): Promise<void> {
  const zeros = new Uint8Array(bytes)
  try {
    for (;;) await file.write(zeros)
  } catch (thrown) {
    if (!(thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOSPC')) throw thrown
  }
}
