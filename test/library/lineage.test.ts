// The lineage of an image: up to four generations back, of its own account only, in a number of queries that does not depend on its size.
import type { Database } from 'bun:sqlite'
import { beforeEach, expect, test } from 'bun:test'
import { lineageOf } from '../../plugins/library/lineage.ts'
import { findGeneration } from '../../src/library/generations.ts'
import type { Db } from '../../src/store/db.ts'
import { dbOver } from '../../src/store/engines/sqlite/sqlite.ts'
import { memoryDatabase } from '../support/empty-database.ts'

const FILE = 'files/1/00000000-0000-4000-8000-000000000000_cat.png'
const FOREIGN_FILE = 'files/2/00000000-0000-4000-8000-000000000000_dog.png'

let connection: Database
let db: Db
let made: number
beforeEach(() => {
  connection = memoryDatabase()
  db = dbOver(connection)
  made = 0
  connection.run('DROP TRIGGER generations_are_of_calls')
  for (const id of [1, 2])
    connection.run(
      'INSERT INTO accounts (id, name, status, balance_nanos, held_nanos, debt_nanos, created_at_ms) VALUES (?, ?, ?, 0, 0, 0, 0)',
      [id, `n${id}`, 'active'],
    )
  for (const [account_id, key] of [
    [1, FILE],
    [2, FOREIGN_FILE],
  ] as const)
    connection.run(
      `INSERT INTO files (key, account_id, name, state, mime, bytes, sha256, width, height, created_at_ms)
       VALUES (?, ?, 'n', 'stored', 'image/png', 1, ?, 1, 1, 0)`,
      [key, account_id, 'a'.repeat(64)],
    )
})

const idOf = (name: number) => `00000000-0000-4000-8000-${String(name).padStart(12, '0')}`

/** Makes an image of an account from others. @returns its id */
function image(parents: string[] = [], account_id = 1): string {
  const uuid = idOf(++made)
  connection.run(
    `INSERT INTO generations (uuid, account_id, call_id, position, kind, state, model, prompt, parents, created_at_ms)
     VALUES (?, ?, ?, 0, 'edit', 'failed', 'm', 'p', ?, 0)`,
    [uuid, account_id, made, JSON.stringify(parents)],
  )
  return uuid
}

async function treeOf(uuid: string): Promise<[id: string, generation: number, is: string][]> {
  const row = await findGeneration(db, 1, uuid)
  if (!row) throw new Error('there is no such image')
  return (await lineageOf(db, row)).map(({ id, generation, is }) => [id, generation, is.kind])
}

test('goes back four generations, and has a shared parent once, where it is nearest', async () => {
  const eldest = image()
  const line = [eldest]
  for (let at = 0; at < 5; at++) line.push(image([line.at(-1) ?? '']))
  const [, first = '', second = '', third = '', fourth = '', last = ''] = line
  const both = image([last, third])
  expect(await treeOf(both)).toEqual([
    [eldest, -4, 'image'],
    [first, -3, 'image'],
    [second, -2, 'image'],
    [fourth, -2, 'image'],
    [third, -1, 'image'],
    [last, -1, 'image'],
    [both, 0, 'image'],
  ])
  expect((await treeOf(last)).map(([id]) => id)).toEqual([first, second, third, fourth, last, both])
})

test('has files; missing parents and those of another account are marked as deleted', async () => {
  const foreign = image([image([], 2)], 2)
  const gone = idOf(99)
  const parent = image([FILE, FOREIGN_FILE, gone])
  const child = image([parent, foreign])
  expect(await treeOf(child)).toEqual([
    [gone, -2, 'deleted'],
    [FOREIGN_FILE, -2, 'deleted'],
    [FILE, -2, 'file'],
    [foreign, -1, 'deleted'],
    [parent, -1, 'image'],
    [child, 0, 'image'],
  ])
})

test('finds a parent whose id is written in capitals', async () => {
  connection.run('UPDATE generations SET uuid = ?', [image().replace(/0000$/, 'abcd')])
  const uuid = `${idOf(1).slice(0, -4)}abcd`
  connection.run('UPDATE generations SET uuid = ? WHERE id = 1', [uuid])
  const child = image([uuid.toUpperCase()])
  expect(await treeOf(child)).toEqual([
    [uuid, -1, 'image'],
    [child, 0, 'image'],
  ])
})

test('has the images made from the same parent, an image or a file, and none of another account', async () => {
  const parent = image()
  const one = image([parent])
  const other = image([parent, FILE])
  const of_file = image([FILE])
  const unrelated = image()
  image([parent], 2)
  const child = image([one])
  expect(await treeOf(one)).toEqual([
    [parent, -1, 'image'],
    [one, 0, 'image'],
    [other, 0, 'image'],
    [child, 1, 'image'],
  ])
  expect((await treeOf(of_file)).map(([id]) => id)).toEqual([FILE, of_file, other])
  expect((await treeOf(other)).map(([id, generation]) => [id, generation])).toEqual([
    [FILE, -1],
    [parent, -1],
    [other, 0],
    [one, 0],
    [of_file, 0],
  ])
  expect(await treeOf(unrelated)).toEqual([[unrelated, 0, 'image']])
})
