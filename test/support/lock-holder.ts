// A child process that holds the lock of a data folder.
import { expect } from 'bun:test'
import { join } from 'node:path'

const LOCK = JSON.stringify(join(import.meta.dir, '../../src/store/lock.ts'))

/**
 * Starts a process that takes a lock and lives until it is killed.
 * @param held_ms when it releases the lock; absent: at its end
 * @returns once it has the lock
 */
export async function holdLock(path: string, held_ms?: number) {
  const script = `
    const { takeLock } = await import(${LOCK})
    const release = takeLock(${JSON.stringify(path)})
    console.log(release ? 'taken' : 'refused')
    ${held_ms === undefined ? '' : `setTimeout(() => release?.(), ${held_ms})`}
    await new Promise(() => setInterval(() => {}, 1_000_000))`
  const child = Bun.spawn([process.execPath, '-e', script], { stdout: 'pipe', stderr: 'inherit' })
  const { value } = await child.stdout.getReader().read()
  expect(Buffer.from(value ?? []).toString()).toBe('taken\n')
  return child
}
