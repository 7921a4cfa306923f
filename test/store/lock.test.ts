// The lock of a data folder: one process has it at a time.
import { describe, expect, test } from 'bun:test'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { takeExistingLock, takeLock } from '../../src/store/lock.ts'
import { holdLock } from '../support/lock-holder.ts'
import { folderOfEachTest } from '../support/test-folder.ts'

const folder = folderOfEachTest()
const pathOf = () => folder.at('serve.lock')

test('the lock is taken once, and again after its release', () => {
  const path = pathOf()
  const release = takeLock(path)
  expect(release).toBeFunction()
  expect(takeLock(path)).toBeUndefined()
  release?.()
  const again = takeLock(path)
  expect(again).toBeFunction()
  again?.()
})

test('the lock is free again once the process that held it is killed', async () => {
  const path = pathOf()
  const child = await holdLock(path)
  expect(takeLock(path)).toBeUndefined()
  child.kill('SIGKILL')
  await child.exited
  const release = takeLock(path)
  expect(release).toBeFunction()
  release?.()
})

test('a process waits for the lock of another one, at most for the given time', async () => {
  const path = pathOf()
  const child = await holdLock(path, 200)
  expect(takeLock(path, 20)).toBeUndefined()
  const release = takeLock(path, 30_000)
  expect(release).toBeFunction()
  release?.()
  child.kill('SIGKILL')
  await child.exited
})

test('a file of another kind is an error, and not a lock held by another process', () => {
  const path = pathOf()
  writeFileSync(path, 'these are notes, and no database'.repeat(40))
  expect(() => takeLock(path)).toThrow(/not a database/)
})

describe('a lock that is only taken if its file exists', () => {
  test('is refused without the file, and none is made', () => {
    const path = pathOf()
    expect(takeExistingLock(path)).toBeUndefined()
    expect(existsSync(path)).toBe(false)
    expect(takeExistingLock(join(path, 'lock'))).toBeUndefined()
  })

  test('is refused while another has it, and then taken', () => {
    const path = pathOf()
    const release = takeLock(path)
    expect(takeExistingLock(path)).toBeUndefined()
    release?.()
    const left = takeExistingLock(path)
    expect(left).toBeFunction()
    expect(takeLock(path)).toBeUndefined()
    left?.()
  })
})
