// New files: they get their name only if nothing has it.
import { describe, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { writeSnapshot } from '../../src/app/process/snapshot.ts'
import { nameNew, nameUnlessTaken, refuseTarget } from '../../src/store/engines/sqlite/new-file.ts'
import { openDatabase } from '../../src/store/engines/sqlite/open.ts'
import { temporary } from '../support/temporary.ts'

const EXAMPLE = 'example.db'

describe.each([
  ['a file', (path: string) => writeFileSync(path, 'mine'), 'already exists: name another'],
  ['a folder', (path: string) => mkdirSync(path), `name a file in it, such as`],
  ['a dangling link', (path: string) => symlinkSync('/nowhere', path), 'already exists: name another'],
])('%s in its place', (_, put, words) => {
  test('is refused beforehand', () => {
    using folder = temporary()
    put(folder.at('new'))
    expect(() => refuseTarget(folder.at('new'), EXAMPLE)).toThrow(words)
  })

  test('is not replaced if it appeared meanwhile', () => {
    using folder = temporary()
    const [unfinished, path] = [folder.at('unfinished'), folder.at('new')]
    writeFileSync(unfinished, 'new')
    put(path)
    expect(() => nameNew(unfinished, path, EXAMPLE)).toThrow(words)
    expect(nameUnlessTaken(unfinished, path)).toBe(false)
    expect(readFileSync(unfinished, 'utf8')).toBe('new')
    expect(readdirSync(folder.path).sort()).toEqual(['new', 'unfinished'])
  })
})

test('a new file gets its name if nothing has it', () => {
  using folder = temporary()
  refuseTarget(folder.at('new'), EXAMPLE)
  writeFileSync(folder.at('unfinished'), 'new')
  expect(nameUnlessTaken(folder.at('unfinished'), folder.at('new'))).toBe(true)
  expect(readFileSync(folder.at('new'), 'utf8')).toBe('new')
})

test('the error names a missing folder', () => {
  using folder = temporary()
  expect(() => refuseTarget(folder.at('none/new'), EXAMPLE)).toThrow(
    `Folder not found: ${dirname(folder.at('none/new'))}`,
  )
})

test('a copy of a database does not replace a file that got its name meanwhile', async () => {
  using folder = temporary()
  const db = openDatabase(folder.at('tollgate.db'))
  const copy = folder.at('copy.db')
  // Called when the copy starts.
  await expect(writeSnapshot(db, copy, () => writeFileSync(copy, 'mine'))).rejects.toThrow(
    'already exists: name another',
  )
  db.close()
  expect(readFileSync(copy, 'utf8')).toBe('mine')
  expect(readdirSync(folder.path).filter((name) => name.startsWith('copy.db'))).toEqual(['copy.db'])
})
