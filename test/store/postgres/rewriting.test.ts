// The rewriting of recorded calls in a smaller form: it gives the same on both engines, and on PostgreSQL keeps concurrent writes.
import { describe, expect, test } from 'bun:test'
import { createAccount } from '../../../src/access/accounts.ts'
import { createKey } from '../../../src/access/keys.ts'
import { type RewriteName, rewriteCalls } from '../../../src/money/ledger/rewriting.ts'
import { PRICE_OF_CALL_SQL } from '../../../src/money/ledger/stored-prices.ts'
import type { Db } from '../../../src/store/db.ts'
import { eventually } from '../../support/eventually.ts'
import { databaseOfFile, hasPostgres } from '../../support/postgres.ts'
import { NOW, onBoth } from './both-engines.ts'

const CALLS = 40
/** Two steps, which leave the last call, since it began at the bound. */
const STEP = { max_calls: 20, began_before_ms: CALLS * 1_000 }

/** A price as an older version stored it: by tokens, by the character, charged nothing, and one that is not JSON. */
function priceOf(id: number): string {
  if (id % 10 === 0) return ''
  if (id === 13) return '{"unit":'
  if (id % 4 === 3) return `{"unit":"unit","nanos":{"per_million_characters":5},"units":{"characters":${id}}}`
  return `{"unit":"token","above_tokens":${id % 2}}`
}

const rowOf = (id: number) =>
  `(${id}, 'req_${id}', 1, 1, 'chat', 'm', 'p', 'u', 'completed', 200, 0, 0, 9, 0, 0, 0, 0, 5, 0, 0, 0, 100, 40, 0,
    '${priceOf(id)}', ${id * 1_000}, 3, 9, 1, 0, '{"held_ms":2}', 20, NULL, '', NULL, NULL, 0, NULL, 0, NULL)`

async function addCalls(db: Db): Promise<void> {
  const rows = Array.from({ length: CALLS }, (_, at) => rowOf(at + 1)).join()
  await db.write((tx) => tx.rows(`INSERT INTO calls VALUES ${rows}`))
  // As after the migration that made the table of prices.
  await db.write((tx) => tx.rows(`UPDATE call_rewrites SET last_id = ${CALLS} WHERE name = 'prices'`))
}

async function finish(db: Db, name: RewriteName): Promise<number[]> {
  const steps: number[] = []
  for (;;) {
    const { looked_at, rewritten } = await rewriteCalls(db, name, STEP)
    if (looked_at === 0) return steps
    steps.push(rewritten)
  }
}

/** Reads all of them, with parsed prices: PostgreSQL orders their fields anew. */
async function read(db: Db): Promise<unknown> {
  const calls = await db.rows<Record<string, unknown>>(
    `SELECT calls.*, ${PRICE_OF_CALL_SQL} AS read_price FROM calls ORDER BY id`,
  )
  const parsed = ({ id, read_price }: Record<string, unknown>) =>
    id === 13 || read_price === '' ? read_price : JSON.parse(String(read_price))
  return {
    calls: calls.map((call) => ({ ...call, read_price: parsed(call) })),
    prices: await db.rows('SELECT id, json FROM prices ORDER BY id'),
    progress: await db.rows('SELECT name, done_id, last_id FROM call_rewrites ORDER BY id'),
  }
}

const { db: there } = await databaseOfFile()

describe.if(hasPostgres)('calls of an older version', () => {
  test('are rewritten alike on both engines, and read as before', async () => {
    const { before, steps, after, again } = await onBoth(async ({ db, issuing }) => {
      await createAccount(db, { name: 'alice', now_ms: NOW })
      const settings = { models: null, spend_limit_nanos: null, addresses: null, expires_at_ms: null }
      await createKey(db, 'alice', { ...settings, name: 'key' }, issuing)
      await addCalls(db)
      const before = await read(db)
      const steps = [await finish(db, 'prices'), await finish(db, 'traces')]
      return { before, steps, after: await read(db), again: await finish(db, 'prices') }
    })
    expect(steps).toEqual([
      [17, 18],
      [20, 19],
    ])
    expect(again).toEqual([])
    const { calls, prices, progress } = after as Record<'calls' | 'prices' | 'progress', object[]>
    const priced = ({ id, price }: { id: number; price: string }) => price !== '' && id !== 13
    const moved = { price: '', price_id: expect.any(Number), counted: expect.any(String) }
    const expected = (before as { calls: { id: number; price: string; trace: string }[] }).calls.map(
      (call) => ({
        ...call,
        ...(priced(call) ? moved : {}),
        trace: call.id === CALLS ? call.trace : '',
      }),
    )
    expect(calls).toEqual(expected)
    expect(prices).toHaveLength(3)
    expect(progress).toMatchObject([{ done_id: CALLS - 1 }, { done_id: CALLS - 1 }])
  })

  test('keep concurrent writes', async () => {
    await addCalls(there)
    const waits = Promise.withResolvers<void>()
    const resumes = Promise.withResolvers<void>()
    const erasing = there.begin(async (tx) => {
      await tx.rows("UPDATE calls SET trace = '' WHERE id = 5")
      waits.resolve()
      await resumes.promise
    })
    await waits.promise
    const step = rewriteCalls(there, 'prices', STEP)
    const waiting =
      "SELECT count(*) AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    await eventually(
      'it waits for the row',
      async () => (await there.rows<{ n: number }>(waiting))[0]?.n === 1,
    )
    resumes.resolve()
    await Promise.all([erasing, step])
    expect(await there.rows('SELECT price, trace FROM calls WHERE id = 5')).toEqual([
      { price: '', trace: '' },
    ])
  })
})
