// The history of generated images under filters with few matches: a page reads a bounded number of images, and all pages together find every match.
import { expect, test } from 'bun:test'
import { listGenerations } from '../../plugins/library/history.ts'
import { recorded } from '../money/ledger/recorded.ts'
import { memoryDatabase } from '../support/empty-database.ts'

const IMAGES = 40
const MAX_SCANNED = 6
/** Images of account 1. Every image with an odd id belongs to account 2. */
const RARE = [2, 20, 22, 40]

async function database() {
  const connection = memoryDatabase()
  const db = await recorded([], connection)
  for (let id = 1; id <= IMAGES; id++) {
    const account_id = id % 2 ? 2 : 1
    connection.run(
      `INSERT INTO holds (id, account_id, key_id, request_id, amount_nanos, state, created_at_ms, expires_at_ms, gateway_id) VALUES (${id}, ${account_id}, ${id % 2 ? 3 : 1}, 'r', 1, 'expired', 0, 0, NULL)`,
    )
    connection.run(
      `INSERT INTO generations (uuid, account_id, call_id, position, kind, state, model, prompt, parents, created_at_ms)
       VALUES (?, ${account_id}, ${id}, 0, ?, 'failed', 'often', '', '[]', 0)`,
      [crypto.randomUUID(), RARE.includes(id) ? 'compose' : 'edit'],
    )
  }
  return db
}
const db = await database()

async function pagesOf(filter: Parameters<typeof listGenerations>[1], limit: number) {
  const pages: number[][] = []
  let cursor: number | undefined
  do {
    const page = await listGenerations(db, filter, { limit, cursor }, MAX_SCANNED)
    expect(page.rows.length).toBeLessThanOrEqual(limit)
    pages.push(page.rows.map(({ id }) => id))
    cursor = page.next_cursor
  } while (cursor !== undefined)
  return pages
}

test.each([1, 2, 5, 50])('pages of %d find every image', async (limit) => {
  expect((await pagesOf({ account_id: 1, kind: 'compose' }, limit)).flat()).toEqual(RARE.toReversed())
  expect((await pagesOf({ account_id: 1 }, limit)).flat()).toEqual(
    Array.from({ length: IMAGES / 2 }, (_, index) => IMAGES - 2 * index),
  )
})

test('a filter without matches ends each page after as many images as a page may read', async () => {
  const pages = await pagesOf({ account_id: 1, model: 'none' }, 50)
  expect(pages.flat()).toEqual([])
  expect(pages.length).toBe(Math.ceil(IMAGES / 2 / MAX_SCANNED))
})
