// Budgets on PostgreSQL: a new one begins with the holds and calls of its period, and those of keys are migrated from columns.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { budgetsOfAccount, budgetsOfKeys, changeAccountBudgets } from '../../../src/access/budgets.ts'
import { changeKey } from '../../../src/access/keys.ts'
import { keyQueries } from '../../../src/access/queries.ts'
import { audit } from '../../../src/money/ledger/audit.ts'
import { openPostgresExecutor } from '../../../src/money/ledger/postgres/executor.ts'
import { Connection } from '../../../src/store/engines/postgres/connection.ts'
import { MIGRATIONS, migrate, versionOf } from '../../../src/store/engines/postgres/migrate.ts'
import { type PostgresWorld, postgresWorld } from '../../money/ledger/postgres-world.ts'
import { hold, post } from '../../money/ledger/world.ts'
import { dropDatabase, hasPostgres, makeDatabase } from '../../support/postgres.ts'

const NOON = Date.UTC(2026, 10, 24, 12)
const EARLIER = NOON - 24 * 3_600_000

describe.if(hasPostgres)('budgets on PostgreSQL', () => {
  let there: PostgresWorld
  beforeAll(async () => {
    there = await postgresWorld()
    await there.begin({ balance: 1_000 })
  })
  afterAll(() => there?.[Symbol.asyncDispose]())

  test('begin with the held and spent amounts, by the numbers of the holds', async () => {
    const executor = openPostgresExecutor(there.url)
    const on = (now_ms: number, amount: number) => hold(amount, { now_ms, expires_at_ms: now_ms + 60_000 })
    await executor.commit([on(NOON, 10), on(EARLIER, 20), on(EARLIER, 40)], 5_000)
    await executor.commit([post(3, 30, { started_at_ms: EARLIER })], 5_000)
    await executor.close()
    await changeAccountBudgets(there.db, 'account-1', { day: 500 }, NOON)
    await changeKey(there.db, '1', { budgets: { week: 500, day: 500 } }, NOON)
    expect(await budgetsOfAccount(there.db, 1)).toMatchObject([{ used_nanos: 60, first_hold_id: 1 }])
    expect(await keyQueries(there.db).keyAndBudgets.get({ id: 1 })).toMatchObject({ has_budgets: 1 })
    expect(await budgetsOfKeys(there.db, [1])).toMatchObject([
      { used_nanos: 60, first_hold_id: 1 },
      { used_nanos: 60, first_hold_id: 1 },
    ])
    expect(await keyQueries(there.db).keyAndBudgets.get({ id: 3 })).toMatchObject({ has_budgets: 0 })
    expect((await audit(there.db)).findings).toEqual([])
  })
})

test.if(hasPostgres)(
  'a migration moves the budgets of a key from its columns, and stops older programs, which count there',
  async () => {
    const { name, url } = await makeDatabase('template0')
    const connection = await Connection.open(url)
    await migrate(
      connection,
      MIGRATIONS.filter(({ version }) => version < 31),
    )
    await connection.script(`SET search_path = tollgate;
    INSERT INTO accounts (id, name, status, balance_nanos, held_nanos, debt_nanos, created_at_ms) VALUES (1, 'ada', 'active', 0, 0, 0, 0);
    INSERT INTO keys (id, account_id, name, prefix, sha256, spent_nanos, held_nanos, created_at_ms, daily_limit_nanos, day_start_ms,
                      day_first_hold_id, day_nanos, monthly_limit_nanos)
    VALUES (1, 1, 'key', 'tg_', sha256('1'), 0, 0, 0, 100, 5, 7, 60, 500), (2, 1, 'none', 'tg_', sha256('2'), 0, 0, 0, NULL, NULL, 0, 0, NULL)`)
    await migrate(
      connection,
      MIGRATIONS.filter(({ version }) => version <= 31),
    )
    expect(await versionOf(connection)).toEqual({ version: 31, readable_from: 31 })
    const columns = 'account_id, key_id, period, limit_nanos, started_ms, first_hold_id, used_nanos'
    const { rows } = await connection.ask(`SELECT ${columns} FROM tollgate.budgets ORDER BY period`)
    expect(rows.map((row) => row.map(String))).toEqual([
      ['1', '1', 'day', '100', '5', '7', '60'],
      ['1', '1', 'month', '500', 'null', '0', '0'],
    ])
    await expect(connection.ask('SELECT daily_limit_nanos FROM tollgate.keys')).rejects.toThrow(
      'daily_limit_nanos',
    )
    await connection.close()
    await dropDatabase(name)
  },
)
