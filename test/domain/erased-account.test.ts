// The error of a request whose account another process has just erased: recognized by the triggers' message on both engines.
import { expect, test } from 'bun:test'
import { toGatewayError } from '../../src/domain/errors.ts'
import type { Db } from '../../src/store/db.ts'
import { dbOver } from '../../src/store/engines/sqlite/sqlite.ts'
import { memoryDatabase } from '../support/empty-database.ts'
import { databaseOfFile, hasPostgres } from '../support/postgres.ts'

async function writeErrorOn(db: Db): Promise<unknown> {
  await db.write((tx) =>
    tx.rows(
      "INSERT INTO accounts (id, name, status, balance_nanos, held_nanos, debt_nanos, created_at_ms) VALUES (1, 'ada', 'active', 0, 0, 0, 0)",
    ),
  )
  await db.write((tx) => tx.rows('INSERT INTO erased_accounts VALUES (1, 0)'))
  try {
    await db.write((tx) =>
      tx.rows("INSERT INTO people (account_id, name, created_at_ms) VALUES (1, 'Ada', 0)"),
    )
  } catch (thrown) {
    return thrown
  }
  throw new Error('a row of an erased account was written')
}

const REFUSAL = {
  kind: 'unauthenticated',
  message: 'The account of this request was erased. Use the API key of another account.',
}

test('a row of an erased account is refused on SQLite', async () => {
  expect(toGatewayError(await writeErrorOn(dbOver(memoryDatabase())))).toMatchObject(REFUSAL)
})

test.skipIf(!hasPostgres)('a row of an erased account is refused on PostgreSQL', async () => {
  const { db } = await databaseOfFile()
  expect(toGatewayError(await writeErrorOn(db))).toMatchObject(REFUSAL)
})

test('any other error is internal', () => {
  expect(toGatewayError(new Error('the account is erased, perhaps'))).toMatchObject({ kind: 'internal' })
})
