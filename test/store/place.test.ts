// The place of the files of an open database: a missing or replaced one is reported, and so is its return.
import { expect, test } from 'bun:test'
import { copyFileSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { openDatabase } from '../../src/store/engines/sqlite/open.ts'
import { watchPlace } from '../../src/store/place.ts'
import { eventually } from '../support/eventually.ts'
import { temporary } from '../support/temporary.ts'

function watched() {
  const folder = temporary()
  const path = folder.at('tollgate.db')
  const db = openDatabase(path)
  const reports: (string | undefined)[] = []
  const place = watchPlace(path, (trouble) => reports.push(trouble))
  return {
    path,
    db,
    place,
    reports,
    turnsTo: (trouble: string | undefined) =>
      eventually(`the trouble is ${trouble}`, () =>
        trouble === undefined ? place.trouble === undefined : place.trouble?.startsWith(trouble) === true,
      ),
    [Symbol.dispose]() {
      place.stop()
      db.close()
      folder[Symbol.dispose]()
    },
  }
}

const AWAY = '.away'

test.each([
  ['', 'the database file is missing'],
  ['-wal', "the database's write-ahead log (-wal) is missing"],
  ['-shm', "the database's shared memory (-shm) is missing"],
])('a moved tollgate.db%s is reported, and so is its return', async (ending, trouble) => {
  using s = watched()
  renameSync(s.path + ending, s.path + ending + AWAY)
  await s.turnsTo(trouble)
  expect(s.place.trouble).toStartWith(trouble)
  renameSync(s.path + ending + AWAY, s.path + ending)
  await s.turnsTo(undefined)
  expect(s.place.trouble).toBeUndefined()
  expect(s.reports).toHaveLength(2)
})

test.each([
  ['renamed', () => {}, 'the database file is missing'],
  ['replaced by a file', (path: string) => writeFileSync(path, ''), 'the data folder cannot be read'],
  ['replaced by another folder', (path: string) => mkdirSync(path), 'the database file is missing'],
  ['that cannot be read', (path: string) => symlinkSync(path, path), 'the data folder cannot be read'],
] as const)('a folder %s is reported, and so is its return', async (_, replace, trouble) => {
  using s = watched()
  const folder = dirname(s.path)
  renameSync(folder, folder + AWAY)
  replace(folder)
  try {
    await s.turnsTo(trouble)
  } finally {
    rmSync(folder, { recursive: true, force: true })
    renameSync(folder + AWAY, folder)
  }
  await s.turnsTo(undefined)
  expect(s.reports.at(-1)).toBeUndefined()
})

test('a file replaced by another database is reported', async () => {
  using s = watched()
  const other = `${s.path}.other`
  openDatabase(other).close()
  renameSync(other, s.path)
  await s.turnsTo('the database file was replaced while the gateway ran')
  expect(s.reports).toHaveLength(1)
})

test('a file replaced by a copy of it is reported', async () => {
  using s = watched()
  renameSync(s.path, s.path + AWAY)
  copyFileSync(s.path + AWAY, s.path)
  await s.turnsTo('the database file was replaced while the gateway ran')
})

test('after a stop nothing is reported, whatever happens to the files', async () => {
  using s = watched()
  using other = watched()
  s.place.stop()
  renameSync(s.path, s.path + AWAY)
  renameSync(other.path, other.path + AWAY)
  await other.turnsTo('the database file is missing')
  expect([s.place.trouble, s.reports]).toEqual([undefined, []])
})

test('a missing file is reported even if nobody asks for the trouble', async () => {
  using s = watched()
  renameSync(s.path, s.path + AWAY)
  await eventually('it is reported', () => s.reports.length > 0)
  expect(s.reports).toEqual([s.place.trouble])
})
