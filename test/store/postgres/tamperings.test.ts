// The audit on PostgreSQL: it finds the same broken invariants as on SQLite.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { audit } from '../../../src/money/ledger/audit.ts'
import { openPostgresExecutor } from '../../../src/money/ledger/postgres/executor.ts'
import { inOne, type PostgresWorld, postgresWorld } from '../../money/ledger/postgres-world.ts'
import { TAMPERINGS, USED, USED_IMAGE, USED_KEY, WITHOUT_CHECKS } from '../../money/ledger/tamperings.ts'
import { hasPostgres } from '../../support/postgres.ts'

describe.if(hasPostgres)('the audit on PostgreSQL', () => {
  let there: PostgresWorld

  beforeAll(async () => {
    there = await postgresWorld()
    await there.run(WITHOUT_CHECKS)
  })
  afterAll(() => there[Symbol.asyncDispose]())

  async function use(): Promise<void> {
    await there.begin({ balance: 1_000, key: USED_KEY })
    // A new one, because the old one knows prices that were deleted.
    const executor = openPostgresExecutor(there.url)
    await executor.commit([...USED], 5_000)
    await executor.close()
    await there.run(USED_IMAGE)
  }

  test('finds nothing in a ledger that was used', async () => {
    await use()
    expect((await audit(there.db)).findings).toEqual([])
  })

  test.each(TAMPERINGS)('%s breaks %p', async (sql, broken, subject) => {
    await use()
    await there.run(inOne(sql.replace('zeroblob(32)', `decode(repeat('00', 32), 'hex')`).split(';')))
    const { findings } = await audit(there.db)
    expect([...new Set(findings.map(({ invariant }) => invariant))]).toEqual(broken)
    expect(findings[0]?.subject).toBe(subject)
  })
})
