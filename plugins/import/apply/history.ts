// History of calls before the import: sums by day, account and model, never charged. A later import replaces the sums.
import { type Placeholder, sql } from 'drizzle-orm'
import type { Db, Orm, Tx } from '../../../src/store/db.ts'
import { bareColumns, placeholder } from '../../../src/store/placeholders.ts'
import { perConnection } from '../../../src/store/prepared.ts'
import { batchesOf } from '../../../src/utilities/batches.ts'
import { counted } from '../../../src/utilities/counted.ts'
import type { HistoryRow, LeftOut } from '../move-in.ts'
import { type ImportedUsage, imported_usage } from '../tables.ts'
import type { ImportRun } from './import-run.ts'
import { accountIds } from './money.ts'

const ROWS_A_BATCH = 500
/** Rows of one prepared statement. Preparing it takes ten times as long as running it. */
const ROWS_A_STATEMENT = 50

/** Sums of the source's log: rows, calls and charges of imported accounts, and the number of other calls. */
export interface HistorySums {
  rows: number
  calls: number
  charged_nanos: number
  /** Calls of users that are deleted in the source, or are not imported. */
  unowned_calls: number
}

/** Yields the rows of imported accounts. Adds all rows to the sums. */
export async function* countedRows(
  rows: AsyncIterable<HistoryRow>,
  rows_here: ReadonlySet<string>,
  sums: HistorySums,
): AsyncGenerator<HistoryRow> {
  for await (const row of rows) {
    if (rows_here.has(row.account)) {
      sums.rows += 1
      sums.calls += row.calls
      sums.charged_nanos += row.charged_nanos
      yield row
    } else sums.unowned_calls += row.calls
  }
}

export const emptySums = (): HistorySums => ({ rows: 0, calls: 0, charged_nanos: 0, unowned_calls: 0 })

export function unownedHistory({ unowned_calls }: HistorySums): LeftOut[] {
  if (unowned_calls === 0) return []
  const reason = 'Their users are deleted in the source, or are not imported.'
  return [{ kind: 'history', row: counted(unowned_calls, 'call'), reason }]
}

/** @throws StorageFailure */
export async function applyHistory(
  db: Db,
  rows: AsyncIterable<HistoryRow>,
  { plan: { source, rows_here }, show, check, probe }: ImportRun,
): Promise<HistorySums> {
  const ids = await accountIds(db, source)
  const sums = emptySums()
  let batch: NewRow[] = []
  const write = async () => {
    const values = batch
    batch = []
    if (values.length > 0) await db.begin((tx) => renewHistory(tx, values), { durable: false })
    check()
    show({ what: 'Importing history', done: sums.rows, unit: 'rows' })
    probe('history')
  }
  for await (const { account, ...row } of countedRows(rows, rows_here, sums)) {
    batch.push({ ...row, source, account_id: ids.get(account) ?? 0 })
    if (batch.length >= ROWS_A_BATCH) await write()
  }
  await write()
  return sums
}

type NewRow = Omit<ImportedUsage, 'id'>

const COLUMNS = [
  'source',
  'account_id',
  'day_s',
  'model',
  'calls',
  'input_tokens',
  'output_tokens',
  'charged_nanos',
] as const

const insertion = (orm: Orm, rows: Record<(typeof COLUMNS)[number], Placeholder>[]) =>
  orm
    .insert(imported_usage)
    .values(rows)
    .onConflictDoUpdate({
      target: bareColumns('source', 'account_id', 'day_s', 'model'),
      set: {
        calls: sql`excluded.calls`,
        input_tokens: sql`excluded.input_tokens`,
        output_tokens: sql`excluded.output_tokens`,
        charged_nanos: sql`excluded.charged_nanos`,
      },
    })

/** Columns with the names of their placeholders for the row at this index. */
const namesAt = (at: number) => COLUMNS.map((column) => [column, `${column}_${at}`] as const)

const placeholdersOf = (at: number) =>
  Object.fromEntries(namesAt(at).map(([column, name]) => [column, placeholder(name)])) as Record<
    (typeof COLUMNS)[number],
    Placeholder
  >

const historyQueries = perConnection({
  one: (orm) => insertion(orm, [placeholdersOf(0)]),
  many: (orm) =>
    insertion(
      orm,
      Array.from({ length: ROWS_A_STATEMENT }, (_, at) => placeholdersOf(at)),
    ),
})

async function renewHistory(tx: Tx, rows: readonly NewRow[]): Promise<void> {
  const { one, many } = historyQueries(tx)
  const whole = rows.length - (rows.length % ROWS_A_STATEMENT)
  for (const part of batchesOf(rows.slice(0, whole), ROWS_A_STATEMENT)) await many.run(parametersOf(part))
  for (const row of rows.slice(whole)) await one.run(parametersOf([row]))
}

const parametersOf = (rows: readonly NewRow[]): Record<string, unknown> =>
  Object.fromEntries(rows.flatMap((row, at) => namesAt(at).map(([column, name]) => [name, row[column]])))
