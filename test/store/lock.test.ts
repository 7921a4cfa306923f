// The lock of a data folder, and who gets it.
import { describe, expect, test } from 'bun:test'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { takeLeftLock, takeLock } from '../../src/store/lock.ts'
import { folderOfEachTest } from '../support/test-folder.ts'

const folder = folderOfEachTest()
const pathOf = () => folder.at('serve.lock')

/** A process that takes the lock, says so, and keeps it until it is killed. */
async function holder(path: string) {
  const script = `
    const { takeLock } = await import(${JSON.stringify(join(import.meta.dir, '../../src/store/lock.ts'))})
    console.log(takeLock(${JSON.stringify(path)}) ? 'taken' : 'refused')
    await new Promise(() => setInterval(() => {}, 1_000_000))`
  const child = Bun.spawn([process.execPath, '-e', script], { stdout: 'pipe', stderr: 'inherit' })
  const reader = child.stdout.getReader()
  const { value } = await reader.read()
  expect(Buffer.from(value ?? []).toString()).toBe('taken\n')
  return child
}

test('is taken once, and again after its release', () => {
  const path = pathOf()
  const release = takeLock(path)
  expect(release).toBeFunction()
  expect(takeLock(path)).toBeUndefined()
  release?.()
  const again = takeLock(path)
  expect(again).toBeFunction()
  again?.()
})

test('is free again once the process that held it was killed', async () => {
  const path = pathOf()
  const child = await holder(path)
  expect(takeLock(path)).toBeUndefined()
  child.kill('SIGKILL')
  await child.exited
  const release = takeLock(path)
  expect(release).toBeFunction()
  release?.()
})

test('a file that is something else is an error, and not a lock held by another process', () => {
  const path = pathOf()
  writeFileSync(path, 'these are notes, and no database'.repeat(40))
  expect(() => takeLock(path)).toThrow(/not a database/)
})

describe('a lock that is only taken where its file is', () => {
  test('is not to be had without, and none is made', () => {
    const path = pathOf()
    expect(takeLeftLock(path)).toBeUndefined()
    expect(existsSync(path)).toBe(false)
    expect(takeLeftLock(join(path, 'lock'))).toBeUndefined()
  })

  test('is not to be had while another has it, and then is', () => {
    const path = pathOf()
    const release = takeLock(path)
    expect(takeLeftLock(path)).toBeUndefined()
    release?.()
    const left = takeLeftLock(path)
    expect(left).toBeFunction()
    expect(takeLock(path)).toBeUndefined()
    left?.()
  })
})
