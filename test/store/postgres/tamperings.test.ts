// The audit on PostgreSQL: it finds the same broken invariants as on SQLite.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { audit, auditRows } from '../../../src/money/ledger/audit.ts'
import { inOne, type PostgresWorld, postgresWorld } from '../../money/ledger/postgres-world.ts'
import { TAMPERINGS, USED, USED_IMAGE, USED_KEY, WITHOUT_CHECKS } from '../../money/ledger/tamperings.ts'
import { hasPostgres } from '../../support/postgres.ts'

describe.if(hasPostgres)('the audit on PostgreSQL', () => {
  let there: PostgresWorld

  beforeAll(async () => {
    there = await postgresWorld()
    await there.run(WITHOUT_CHECKS)
    await there.begin({ balance: 1_000, key: USED_KEY })
    await there.commit([...USED])
    await there.run(USED_IMAGE)
  })
  afterAll(() => there[Symbol.asyncDispose]())

  /** Audits after a change, which is rolled back. */
  async function auditAfter(sql: string) {
    const undone = new Error('undone')
    const { promise, resolve } = Promise.withResolvers<Awaited<ReturnType<typeof auditRows>>>()
    const changing = there.db.begin(async (tx) => {
      await tx.rows(inOne(sql.split(';')))
      resolve(await auditRows(tx))
      throw undone
    })
    await expect(changing).rejects.toBe(undone)
    return await promise
  }

  test('finds nothing in a ledger that was used', async () => {
    expect((await audit(there.db)).findings).toEqual([])
  })

  test.each(TAMPERINGS)('%s breaks %p', async (sql, broken, subject) => {
    const { findings } = await auditAfter(sql.replace('zeroblob(32)', `decode(repeat('00', 32), 'hex')`))
    expect([...new Set(findings.map(({ invariant }) => invariant))]).toEqual(broken)
    expect(findings[0]?.subject).toBe(subject)
  })
})
