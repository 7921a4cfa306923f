// A batch of plain calls, decided by known rows without reading them, in one round trip. It is committed only if the rows are unchanged.
//
// The server locks the accounts and then compares the rows. If any row differs, or a hold is refused, the batch is decided again by rows
// that are read under the lock (batch.ts).

import { markPart } from '../../../store/engines/postgres/commit-mark.ts'
import type { Answer, Connection } from '../../../store/engines/postgres/connection.ts'
import { objectsOf } from '../../../store/engines/postgres/one-connection.ts'
import { oneStatement, type Part } from '../../../store/engines/postgres/one-statement.ts'
import { COMMIT } from '../../../store/engines/postgres/transaction.ts'
import { jsonOf } from '../../../store/engines/postgres/values.ts'
import { holds } from '../../../store/schema.ts'
import type { Book, BookBudget, HoldRow } from '../book.ts'
import { BUDGET_COLUMNS, BUDGETS } from '../budget-rows.ts'
import { columnsWithoutId } from '../columns.ts'
import type { Operation, Outcome } from '../operations.ts'
import { apply } from '../rules.ts'
import { type BatchParts, BEGIN, type DecidedBatch } from './batch.ts'
import type { BatchRows, KnownRows } from './known-rows.ts'
import { isAlive } from './reading.ts'
import { CHANGED_OF_ACCOUNT, CHANGED_OF_KEY, holdInsertParts, openedIn, partsOf } from './writing.ts'

/** The first provisional number of a hold, until the server assigns one: greater than every assigned number. */
const FIRST_PROVISIONAL_ID = 2 ** 52

interface KnownBatch extends DecidedBatch {
  /** The known rows that decide it. */
  readonly based_on: BatchRows
}

/** @returns undefined if the batch must be decided by rows that are read */
export function decideByKnown(
  operations: readonly Operation[],
  known: KnownRows,
  { connection, prices, gateway_id }: Omit<BatchParts, 'not_awaited'>,
): KnownBatch | undefined {
  const based_on = known.rowsFor(operations)
  if (!based_on) return undefined
  let numbered = 0
  const book = known.bookOf(based_on, () => FIRST_PROVISIONAL_ID + numbered++, gateway_id)
  const outcomes: Outcome[] = []
  for (const operation of operations) {
    const outcome = apply(book, operation)
    if (!outcome.ok) return undefined
    outcomes.push(outcome)
  }
  // A period that starts stores the number of its first hold, which is not assigned yet.
  if ([...book.changed_budgets].some(({ first_hold_id }) => first_hold_id >= FIRST_PROVISIONAL_ID))
    return undefined
  const mark = connection.nextMark()
  const opened = openedIn(book)
  return {
    outcomes,
    locked: [],
    mark,
    book,
    based_on,
    async commit(within_ms) {
      const accounts = `{${based_on.accounts.map(({ id }) => id).join()}}`
      const parts = [
        comparePart(based_on, gateway_id),
        ...updateParts(based_on, known, book),
        ...partsOf(book, prices),
        ...holdInsertParts(opened),
        markPart(mark),
      ]
      const statements = [BEGIN, { text: LOCK, values: [accounts] }, oneStatement(parts), COMMIT]
      const [, , written] = await connection.askAll(statements, within_ms)
      setHoldIds(book, outcomes, assignedIds(written))
    },
    async recall(connection) {
      if (opened.length > 0) setHoldIds(book, outcomes, await idsOf(opened, connection))
    },
  }
}

/** In a fixed order, so that two batches cannot deadlock. A separate statement: the next one sees everything committed before the lock. */
const LOCK = 'SELECT 1 FROM accounts WHERE id = ANY($1::bigint[]) ORDER BY id FOR NO KEY UPDATE'

/** The columns that the rules read. Their known values have separate names (`known_…`) beside the new values. */
const OF_ACCOUNT = {
  status: 'text',
  balance_nanos: 'bigint',
  held_nanos: 'bigint',
  debt_nanos: 'bigint',
  plan_period_id: 'bigint',
}
const OF_KEY = {
  account_id: 'bigint',
  person_id: 'bigint',
  person_from_hold_id: 'bigint',
  spend_limit_nanos: 'bigint',
  spent_nanos: 'bigint',
  held_nanos: 'bigint',
  expires_at_ms: 'bigint',
  revoked_at_ms: 'bigint',
}

/** The whole set of budgets is compared, so that an added budget is found as well as a removed one. */
const WITHOUT_BUDGETS = Object.values(BUDGETS).map((of) => `NOT EXISTS (SELECT FROM budgets WHERE ${of})`)
const SAME_BUDGETS = Object.entries(BUDGETS).map(
  ([name, of]) =>
    `(SELECT jsonb_agg(jsonb_build_array(${BUDGET_COLUMNS}) ORDER BY id) FROM budgets WHERE ${of}) IS NOT DISTINCT FROM changed.${name}`,
)

const SAME_HOLD = columnsWithoutId(holds)
  .map((name) => `holds.${name} IS NOT DISTINCT FROM known.${name}`)
  .join(' AND ')

/** Returns an UPDATE of rows that still have their known values. */
function updateOf(
  table: string,
  changed: readonly string[],
  known: Readonly<Record<string, string>>,
  others: readonly string[],
): string {
  const columns = [
    ...changed.map((name) => `${name} bigint`),
    ...Object.entries(known).map(([name, type]) => `known_${name} ${type}`),
    ...Object.keys(BUDGETS).map((name) => `${name} jsonb`),
  ]
  const same = Object.keys(known).map((name) => `${table}.${name} IS NOT DISTINCT FROM changed.known_${name}`)
  return `
    UPDATE ${table} SET ${changed.map((name) => `${name} = changed.${name}`).join()}
      FROM json_to_recordset($1::text::json) AS changed (id bigint, ${columns.join()})
     WHERE ${[`${table}.id = changed.id`, ...same, ...others].join(' AND ')} RETURNING 1`
}

const UPDATE_ACCOUNTS = updateOf('accounts', CHANGED_OF_ACCOUNT, OF_ACCOUNT, [])
const UPDATE_KEYS = updateOf('keys', CHANGED_OF_KEY, OF_KEY, WITHOUT_BUDGETS)
const UPDATE_BUDGETED_KEYS = updateOf('keys', CHANGED_OF_KEY, OF_KEY, SAME_BUDGETS)

/** Checks that the holds are unresolved and the gateway is not ended. After a failover the numbers may belong to other holds. */
const COMPARE = `SELECT ${isAlive('$2')}
  AND NOT EXISTS (SELECT FROM json_populate_recordset(NULL::holds, $1::text::json) AS known
                   WHERE NOT EXISTS (SELECT FROM holds WHERE holds.id = known.id AND ${SAME_HOLD})) AS are_same`

/** Every account and key of a batch is updated: each call that it starts or ends changes their held amounts, maybe by 0. */
function updateParts({ accounts, keys }: BatchRows, known: KnownRows, book: Book): Part[] {
  const of_account = new Map(accounts.map(({ id, budgets }) => [id, budgetArrays(budgets)]))
  const changed_keys = keys.map((key) => ({
    ...changedRow(book.keys.get(key.id) ?? key, CHANGED_OF_KEY, key, Object.keys(OF_KEY)),
    of_key: budgetArrays(key.budgets),
    of_person: budgetArrays(known.personBudgetsOf(key)),
    of_account: of_account.get(key.account_id) ?? null,
  }))
  const are_budgeted = changed_keys.some(
    ({ of_key, of_person, of_account }) => of_key ?? of_person ?? of_account,
  )
  const changed_accounts = accounts.map((account) =>
    changedRow(
      book.accounts.get(account.id) ?? account,
      CHANGED_OF_ACCOUNT,
      account,
      Object.keys(OF_ACCOUNT),
    ),
  )
  return [
    partForEachRow('same_accounts', UPDATE_ACCOUNTS, changed_accounts),
    are_budgeted
      ? partForEachRow('same_budgeted_keys', UPDATE_BUDGETED_KEYS, changed_keys)
      : partForEachRow('same_keys', UPDATE_KEYS, changed_keys),
  ]
}

/** Makes a part that must change every row: otherwise the statement is refused. */
const partForEachRow = (name: string, text: string, rows: readonly object[]): Part => ({
  name,
  text,
  values: [jsonOf(rows)],
  condition: `(SELECT count(*) FROM ${name}) = json_array_length($1::text::json)`,
})

const changedRow = <Row extends { id: number }>(
  row: Row,
  changed: readonly (keyof Row)[],
  known: Row,
  compared: readonly string[],
) => ({
  id: row.id,
  ...Object.fromEntries(changed.map((name) => [name, row[name]])),
  ...Object.fromEntries(compared.map((name) => [`known_${name}`, known[name as keyof Row]])),
})

const comparePart = (known: BatchRows, gateway_id: number | null): Part => ({
  name: 'compared',
  text: COMPARE,
  values: [jsonOf(known.holds), gateway_id],
  condition: '(SELECT are_same FROM compared)',
})

/** Lists budgets as the server does, by number; null for an empty list. */
const budgetArrays = (budgets: readonly BookBudget[]) =>
  budgets.length === 0
    ? null
    : budgets
        .toSorted((one, other) => one.id - other.id)
        .map((budget) => [
          budget.id,
          budget.period,
          budget.limit_nanos,
          budget.started_ms,
          budget.first_hold_id,
          budget.used_nanos,
        ])

function assignedIds(written: Answer | undefined): number[] {
  const [row] = written ? objectsOf<{ inserted_holds?: string }>(written) : []
  return (row?.inserted_holds ?? '').split(',').filter(Boolean).map(Number)
}

/** Replaces provisional numbers by assigned ones. Holds and the outcomes that opened them have the same order. */
function setHoldIds(
  { new_holds }: Book,
  outcomes: readonly Outcome[],
  ids: readonly (number | undefined)[],
): void {
  const opening = outcomes.filter((outcome) => 'hold_id' in outcome)
  for (const [at, hold] of [...new_holds].entries()) {
    const id = ids[at]
    const outcome = opening[at]
    if (id === undefined || !outcome) throw new Error('a hold was opened that has no number')
    hold.id = id
    outcome.hold_id = id
  }
}

/** The columns that identify a hold. */
const OF_HOLD = ['account_id', 'key_id', 'request_id', 'amount_nanos', 'created_at_ms', 'gateway_id'] as const

const OPENED = `SELECT id, ${OF_HOLD.join()} FROM holds
  WHERE account_id = ANY($1::bigint[]) AND request_id = ANY(ARRAY(SELECT json_array_elements_text($2::text::json))) ORDER BY id DESC`

/** Finds the numbers of newly opened holds. Of equal rows the newest are taken, and these are interchangeable. */
async function idsOf(opened: readonly HoldRow[], connection: Connection): Promise<(number | undefined)[]> {
  const accounts = new Set(opened.map(({ account_id }) => account_id))
  const requests = opened.map(({ request_id }) => request_id)
  const found = objectsOf<HoldRow>(
    await connection.ask(OPENED, [`{${[...accounts].join()}}`, JSON.stringify(requests)]),
  )
  const ids = opened.toReversed().map((hold) => {
    const at = found.findIndex((row) => OF_HOLD.every((name) => row[name] === hold[name]))
    return at < 0 ? undefined : found.splice(at, 1)[0]?.id
  })
  return ids.toReversed()
}
