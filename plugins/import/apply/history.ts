// The calls of a source before the import, as sums by day, account and model: history, never charges. A later import renews the sums.
import { sql } from 'drizzle-orm'
import type { Db } from '../../../src/store/db.ts'
import { bareColumns } from '../../../src/store/placeholders.ts'
import { counted } from '../../../src/utilities/counted.ts'
import type { HistoryRow, LeftOut } from '../move-in.ts'
import { imported_usage } from '../tables.ts'
import type { Applying } from './applying.ts'
import { accountIds } from './money.ts'

const ROWS_A_BATCH = 500

const ERASED = `SELECT account_id FROM erased_accounts`

/** What a source's log had, of accounts that came in and of others. */
export interface HistorySums {
  rows: number
  calls: number
  charged_nanos: number
  /** Calls of users that the source has deleted. */
  unowned_calls: number
}

/** The rows of a history with their sums, counted while they are read. */
export async function* countedRows(
  rows: AsyncIterable<HistoryRow>,
  isKnown: (account: string) => boolean,
  sums: HistorySums,
): AsyncGenerator<HistoryRow> {
  for await (const row of rows) {
    if (isKnown(row.account)) {
      sums.rows += 1
      sums.calls += row.calls
      sums.charged_nanos += row.charged_nanos
      yield row
    } else sums.unowned_calls += row.calls
  }
}

export const noSums = (): HistorySums => ({ rows: 0, calls: 0, charged_nanos: 0, unowned_calls: 0 })

export function unownedHistory({ unowned_calls }: HistorySums): LeftOut[] {
  if (unowned_calls === 0) return []
  const reason = 'Their users are deleted in the source, or do not come in.'
  return [{ kind: 'history', row: counted(unowned_calls, 'call'), reason }]
}

/** @throws StorageFailure */
export async function applyHistory(
  db: Db,
  rows: AsyncIterable<HistoryRow>,
  { plan: { source }, show, check, probe }: Applying,
): Promise<HistorySums> {
  const ids = await accountIds(db, source)
  const erased = new Set((await db.rows<{ account_id: number }>(ERASED)).map(({ account_id }) => account_id))
  const sums = noSums()
  const isKnown = (account: string) => !erased.has(ids.get(account) ?? 0) && ids.has(account)
  let batch: (typeof imported_usage.$inferInsert)[] = []
  const write = async () => {
    const values = batch
    batch = []
    if (values.length > 0) await db.begin((tx) => renewHistory(tx, values), { durable: false })
    check()
    show({ what: 'Importing history', done: sums.rows, unit: 'rows' })
    probe('history')
  }
  for await (const { account, ...row } of countedRows(rows, isKnown, sums)) {
    batch.push({ ...row, source, account_id: ids.get(account) ?? 0 })
    if (batch.length >= ROWS_A_BATCH) await write()
  }
  await write()
  return sums
}

const renewHistory = ({ orm }: Pick<Db, 'orm'>, values: (typeof imported_usage.$inferInsert)[]) =>
  orm
    .insert(imported_usage)
    .values(values)
    .onConflictDoUpdate({
      target: bareColumns('source', 'account_id', 'day_s', 'model'),
      set: {
        calls: sql`excluded.calls`,
        input_tokens: sql`excluded.input_tokens`,
        output_tokens: sql`excluded.output_tokens`,
        charged_nanos: sql`excluded.charged_nanos`,
      },
    })
