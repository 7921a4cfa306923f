// The small world of the ledger's tests on PostgreSQL: a database that is emptied before each, and an executor of its own.
import type { Executor } from '../../../src/money/ledger/executor.ts'
import type { Result } from '../../../src/money/ledger/failure.ts'
import { type Breach, INVARIANTS } from '../../../src/money/ledger/invariants.ts'
import type { Operation } from '../../../src/money/ledger/operations.ts'
import { openPostgresExecutor } from '../../../src/money/ledger/postgres/executor.ts'
import type { Db } from '../../../src/store/db.ts'
import { openPostgres } from '../../../src/store/engines/postgres/open.ts'
import { dropDatabase, makeDatabase } from '../../support/postgres.ts'
import {
  budgetsText,
  ENTRIES,
  type KeySetup,
  type Limits,
  PLAN_USED,
  planTexts,
  type Setup,
  STATE,
  type State,
  topUp,
} from './world.ts'

export interface PostgresWorld extends AsyncDisposable {
  url: string
  db: Db
  executor: Executor
  /** Empties the tables, and adds account 1 and key 1 by the setup, account 2 with key 2 and no money, and key 3 of account 1. */
  begin(setup: Setup): Promise<void>
  /** Runs a text of SQL that writes. */
  run(text: string): Promise<void>
  commit(operations: Operation[]): Promise<Result[]>
  stateOf(id?: number): Promise<State | undefined>
  entriesOf(account_id?: number): Promise<string[]>
  planUsedOf(): Promise<Limits>
  brokenInvariants(): Promise<string[]>
}

/** Makes a world in a database of its own, which is dropped with it. */
export async function postgresWorld(): Promise<PostgresWorld> {
  const { name, url } = await makeDatabase()
  const there = await worldAt(url)
  return {
    ...there,
    async [Symbol.asyncDispose]() {
      await there[Symbol.asyncDispose]()
      await dropDatabase(name)
    },
  }
}

/** Makes a world in an existing database, with or without the tables. */
export async function worldAt(url: string): Promise<PostgresWorld> {
  const db = await openPostgres(url)
  const executor = openPostgresExecutor(url)
  const run = async (text: string) => {
    await db.write((within) => within.rows(text))
  }
  const commit = (operations: Operation[]) => executor.commit(operations, 5_000)

  return {
    url,
    db,
    executor,
    run,
    commit,
    async begin({ balance = 0, account: { status = 'active' } = {}, key = {}, plan }) {
      await run(
        inOne([
          ...EMPTYING,
          accountText(1),
          accountText(2),
          keyText(1, 1, key),
          keyText(2, 2),
          keyText(3, 1),
          ...(plan ? planTexts(plan) : []),
        ]),
      )
      if (balance > 0) await commit([topUp(balance)])
      if (status !== 'active') await run(`UPDATE accounts SET status = '${status}' WHERE id = 1`)
    },
    stateOf: async (id = 1) => (await db.rows<State>(STATE, { id }))[0],
    entriesOf: async (account_id = 1) =>
      (await db.rows<{ text: string }>(ENTRIES, { account_id })).map(({ text }) => text),
    planUsedOf: async () => {
      const rows = await db.rows<{ period: string; used: number }>(PLAN_USED, { id: 1 })
      return Object.fromEntries(rows.map(({ period, used }) => [period, used]))
    },
    brokenInvariants: () => brokenIn(db),
    async [Symbol.asyncDispose]() {
      await executor.close()
      await db.close()
    },
  }
}

/** A statement that adds an account without money. */
export const accountText = (id: number): string =>
  `INSERT INTO accounts (id, name, status, balance_nanos, held_nanos, debt_nanos, created_at_ms) VALUES (${id}, 'account-${id}', 'active', 0, 0, 0, 0)`

/** A statement that adds a key to an account; two if it has budgets. */
export function keyText(id: number, account_id: number, key: KeySetup = {}): string {
  const { spend_limit_nanos = null, expires_at_ms = null, revoked_at_ms = null, budgets } = key
  const limits = [spend_limit_nanos, expires_at_ms, revoked_at_ms].map(String)
  const text = `INSERT INTO keys (id, account_id, name, prefix, sha256, spent_nanos, held_nanos, created_at_ms, spend_limit_nanos,
            expires_at_ms, revoked_at_ms)
          VALUES (${id}, ${account_id}, 'key', 'tg_prefix0', sha256('key-${id}'), 0, 0, 0, ${limits})`
  return budgets ? `${text}; ${budgetsText(account_id, id, budgets)}` : text
}

/** Statements that no trigger hinders, as one. */
export const inOne = (texts: readonly string[]): string =>
  `DO $$ BEGIN SET LOCAL session_replication_role = replica; ${texts.map((text) => `${text};`).join(' ')} END $$`

/** The tables that operations of the ledger write. */
export const LEDGER_TABLES = [
  'state_changes',
  'opening_debts',
  'accounts',
  'keys',
  'holds',
  'calls',
  'call_sums',
  'entries',
  'prices',
  'actions',
  'generations',
  'gateways',
  'rates',
  'budgets',
  'plan_periods',
]
const NUMBERED = ['holds', 'prices', 'generations', 'budgets', 'plan_periods']
const EMPTYING = [
  ...LEDGER_TABLES.map((table) => `DELETE FROM ${table}`),
  ...NUMBERED.map((table) => `PERFORM setval(pg_get_serial_sequence('${table}', 'id'), 1, false)`),
]

/** The names of the broken invariants, by one query. Statements with parameters are planned once per connection; this one takes 7 ms. */
const BROKEN = `SELECT name FROM (${INVARIANTS.filter(({ breach }) => !breach)
  .map(({ name, sql }) => `SELECT '${name}' AS name WHERE EXISTS (${sql})`)
  .join(' UNION ALL ')}) AS broken WHERE CAST($yes AS bigint) = 1`

export async function brokenIn(db: Db): Promise<string[]> {
  const found = await db.rows<{ name: string }>(BROKEN, { yes: 1 })
  const broken = new Set(found.map(({ name }) => name))
  for (const { name, sql, breach } of INVARIANTS)
    if (breach && (await db.rows<Breach>(sql)).some(breach)) broken.add(name)
  return INVARIANTS.map(({ name }) => name).filter((name) => broken.has(name))
}
