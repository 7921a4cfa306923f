// Accounts of another gateway with their sign-ins, limits and keys: many at once, with a statement for each table and not for each row.
import type { SQLiteInsertValue } from 'drizzle-orm/sqlite-core'
import { BUDGET_PERIODS, periodStart } from '../domain/budgets.ts'
import { recordActions } from '../store/actions.ts'
import type { Tx } from '../store/db.ts'
import { NEWEST_HOLD_SQL } from '../store/newest-hold.ts'
import { bareColumns } from '../store/placeholders.ts'
import {
  account_details,
  accounts,
  type BudgetRow,
  budgets,
  type Key,
  keys,
  passwords,
} from '../store/schema.ts'
import { type AccountDetails, checkedDetails, NO_DETAILS } from './account-details.ts'
import { checkAccountName, nameTaken } from './accounts.ts'
import {
  BUDGET_NAMES,
  type BudgetChanges,
  type BudgetOwner,
  type BudgetUse,
  checkBudgets,
} from './budgets.ts'
import { checkImportedKey, type ImportedKey, keyExists } from './imported-keys.ts'
import { keyFields, usdOrNull } from './key-fields.ts'
import { checkSettings, type KeySettings } from './key-settings.ts'

/** A key with its settings, and what counts against its budgets. */
export interface NewImportedKey extends ImportedKey, Budgeted {
  readonly settings: KeySettings
}

interface Budgeted {
  readonly budgets: BudgetChanges
  readonly budgets_used?: BudgetUse | undefined
}

export interface NewImportedAccount extends Budgeted, Pick<AccountDetails, 'display_name' | 'email'> {
  readonly name: string
  readonly status: 'active' | 'suspended'
  /** As `passwords` takes it; null: none yet. */
  readonly password_hash: string | null
  readonly keys: readonly NewImportedKey[]
}

/** The numbers of an account and its keys, in their order. */
export interface AccountIds {
  account_id: number
  key_ids: number[]
}

/**
 * Creates accounts without money, in a transaction that has locked the operator.
 *
 * @throws GatewayError invalid_request for a malformed name, detail, setting or limit, or a name that is taken; conflict for a key that is known
 */
export async function createImportedAccounts(
  tx: Tx,
  imported: readonly NewImportedAccount[],
  now_ms: number,
): Promise<AccountIds[]> {
  for (const account of imported) check(account, now_ms)
  const created = await insertAccounts(tx, imported, now_ms)
  await insertAll(tx, account_details, detailsOf(created))
  await insertAll(tx, passwords, passwordsOf(created, now_ms))
  const added = await insertKeys(tx, created)
  const owners = [
    ...created.map(({ account, account_id }) => ({ ...account, account_id, key_id: null })),
    ...added.map(({ key, imported: { budgets, budgets_used } }) => ({
      budgets,
      budgets_used,
      account_id: key.account_id,
      key_id: key.id,
    })),
  ]
  await insertBudgets(tx, owners, now_ms)
  await recordActions(tx, [
    ...created.map(({ account: { name, status, budgets }, account_id }) => ({
      action: 'account.created' as const,
      account_id,
      after: { name, ...(status === 'active' ? {} : { status }), ...limitFields(budgets) },
    })),
    ...added.map(({ key, imported: { budgets } }) => ({
      action: 'key.imported' as const,
      account_id: key.account_id,
      key_id: key.id,
      after: { ...keyFields(key), ...limitFields(budgets) },
    })),
  ])
  const by_hash = new Map(added.map(({ key }) => [key.sha256.toString('hex'), key.id]))
  return created.map(({ account, account_id }) => ({
    account_id,
    key_ids: account.keys.map(({ sha256 }) => by_hash.get(Buffer.from(sha256).toString('hex')) ?? 0),
  }))
}

function check({ name, budgets, keys }: NewImportedAccount, now_ms: number): void {
  checkAccountName(name)
  checkBudgets(budgets)
  for (const key of keys) {
    checkSettings(key.settings, now_ms)
    checkImportedKey(key)
    checkBudgets(key.budgets)
  }
}

interface Created {
  readonly account: NewImportedAccount
  readonly account_id: number
}

async function insertAccounts(
  tx: Tx,
  imported: readonly NewImportedAccount[],
  now_ms: number,
): Promise<Created[]> {
  const no_money = { balance_nanos: 0, held_nanos: 0, debt_nanos: 0, created_at_ms: now_ms }
  const rows = await tx.orm
    .insert(accounts)
    .values(imported.map(({ name, status }) => ({ name, status, ...no_money })))
    .onConflictDoNothing()
    .returning({ id: accounts.id, name: accounts.name })
  const ids = new Map(rows.map(({ id, name }) => [name, id]))
  return imported.map((account) => {
    const account_id = ids.get(account.name)
    if (account_id === undefined) throw nameTaken(account.name)
    return { account, account_id }
  })
}

const detailsOf = (created: readonly Created[]) =>
  created.flatMap(({ account: { display_name, email }, account_id }) => {
    if (display_name === '' && email === '') return []
    const details = checkedDetails({ ...NO_DETAILS, display_name, email })
    return [{ ...details, account_id, keys_see_account: 0 }]
  })

const passwordsOf = (created: readonly Created[], now_ms: number) =>
  created.flatMap(({ account: { password_hash: hash }, account_id }) =>
    hash === null ? [] : [{ account_id, hash, set_at_ms: now_ms }],
  )

async function insertKeys(
  tx: Tx,
  created: readonly Created[],
): Promise<{ key: Key; imported: NewImportedKey }[]> {
  const imported = created.flatMap(({ account, account_id }) =>
    account.keys.map((key) => ({ key, account_id })),
  )
  const found = new Map<string, Key>()
  for (const part of partsOf(imported)) {
    const rows = await tx.orm
      .insert(keys)
      .values(part.map(({ key, account_id }) => keyRow(key, account_id)))
      .onConflictDoNothing({ target: bareColumns('sha256') })
      .returning()
    for (const row of rows) found.set(row.sha256.toString('hex'), row)
  }
  return imported.map(({ key }) => {
    const row = found.get(Buffer.from(key.sha256).toString('hex'))
    if (!row) throw keyExists(key.prefix)
    return { key: row, imported: key }
  })
}

const keyRow = ({ settings, sha256, prefix, created_at_ms }: NewImportedKey, account_id: number) => ({
  ...settings,
  models: settings.models && [...settings.models],
  addresses: settings.addresses && [...settings.addresses],
  account_id,
  prefix,
  sha256: Buffer.from(sha256),
  created_at_ms,
  spent_nanos: 0,
  held_nanos: 0,
  revoked_at_ms: null,
})

/** New rows have no calls here: their budgets begin with the amount used in the source. */
async function insertBudgets(
  tx: Tx,
  owners: readonly (BudgetOwner & Budgeted)[],
  now_ms: number,
): Promise<void> {
  const limited = owners.filter(({ budgets }) => Object.values(budgets).some((limit) => limit != null))
  if (limited.length === 0) return
  const [newest] = await tx.rows<{ id: number }>(`SELECT ${NEWEST_HOLD_SQL} AS id`)
  const first_hold_id = (newest?.id ?? 0) + 1
  const rows = limited.flatMap(({ account_id, key_id, budgets: limits, budgets_used = {} }) =>
    BUDGET_PERIODS.flatMap((period): Omit<BudgetRow, 'id'>[] => {
      const limit_nanos = limits[period]
      if (limit_nanos === undefined || limit_nanos === null) return []
      const own = { account_id, key_id, period, limit_nanos }
      // Five hours begin with the next call.
      if (period === '5h') return [{ ...own, started_ms: null, first_hold_id: 0, used_nanos: 0 }]
      const started_ms = periodStart(period, now_ms)
      return [{ ...own, started_ms, first_hold_id, used_nanos: budgets_used[period] ?? 0 }]
    }),
  )
  await insertAll(tx, budgets, rows)
}

const limitFields = (limits: BudgetChanges) =>
  Object.fromEntries(
    BUDGET_PERIODS.flatMap((period) => {
      const nanos = limits[period] ?? null
      return nanos === null ? [] : [[`${BUDGET_NAMES[period]}_usd`, usdOrNull(nanos)]]
    }),
  )

/** Far fewer parameters than a statement may have. */
const MAX_ROWS = 500

function partsOf<Row>(rows: readonly Row[]): Row[][] {
  return Array.from({ length: Math.ceil(rows.length / MAX_ROWS) }, (_, at) =>
    rows.slice(at * MAX_ROWS, (at + 1) * MAX_ROWS),
  )
}

async function insertAll<Table extends typeof account_details | typeof passwords | typeof budgets>(
  tx: Tx,
  table: Table,
  rows: SQLiteInsertValue<Table>[],
): Promise<void> {
  for (const part of partsOf(rows)) await tx.orm.insert(table).values(part)
}
