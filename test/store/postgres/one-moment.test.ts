// Sums over several queries are of one moment, while others write: a statement opens with 0 if nothing was before it.
import { describe, expect, test } from 'bun:test'
import { statementOf } from '../../../plugins/entries/statement.ts'
import { entrySums, totalOf } from '../../../plugins/entries/sums.ts'
import { openSharedLedger } from '../../../src/money/ledger/postgres/executor.ts'
import type { Db } from '../../../src/store/db.ts'
import { openPostgres } from '../../../src/store/engines/postgres/open.ts'
import { accountText } from '../../money/ledger/postgres-world.ts'
import { topUp } from '../../money/ledger/world.ts'
import { databaseOfFile, hasPostgres } from '../../support/postgres.ts'

const { url, db } = await databaseOfFile()
const READINGS = 100
const EVER = { from_ms: 0, until_ms: Number.MAX_SAFE_INTEGER }

/** Reads while two gateways write to two accounts: their entries are committed in another order than that of their ids. */
async function whileWriting<T>(read: (db: Db) => Promise<T>): Promise<T[]> {
  const ledgers = [1, 2].map(() => openSharedLedger(url))
  let is_over = false
  const writing = ledgers.map(async (ledger, at) => {
    while (!is_over) await ledger.submit(topUp(10 + at, 1 + at))
  })
  const found: T[] = []
  try {
    while (found.length < READINGS) found.push(await read(db))
  } finally {
    is_over = true
    await Promise.all(writing)
    for (const ledger of ledgers) await ledger.close()
  }
  return found
}

describe.if(hasPostgres)('a reading of one moment', () => {
  test('gives a statement of all time an opening balance of 0, whatever is written beside it', async () => {
    for (const id of [1, 2]) await db.write((within) => within.rows(accountText(id)))
    const statements = await whileWriting((db) => statementOf(db, 1, EVER))
    expect(new Set(statements.map(({ opening_nanos }) => opening_nanos))).toEqual(new Set([0]))
    // They were not all of the same moment.
    expect(new Set(statements.map(({ closing_nanos }) => closing_nanos)).size).toBeGreaterThan(1)
  })

  test('leaves a connection for reading a row, even if there are as many reports as connections', async () => {
    const { promise: over, resolve: end } = Promise.withResolvers<void>()
    await using few = await openPostgres(url, { max_connections: 2 })
    const reports = [1, 2, 3].map(() => few.snapshot(() => over))
    expect(await few.rows('SELECT 1 AS one')).toEqual([{ one: 1 }])
    end()
    await Promise.all(reports)
  })

  test('adds up to the balance in the same snapshot', async () => {
    const found = await whileWriting((db) =>
      db.snapshot(async (then) => {
        const [row] = await then.rows<{ balance: number }>(
          'SELECT balance_nanos AS balance FROM accounts WHERE id = 1',
        )
        return totalOf(await entrySums(then, { account_id: 1 })).amount_nanos - (row?.balance ?? 0)
      }),
    )
    expect(new Set(found)).toEqual(new Set([0]))
  })
})
