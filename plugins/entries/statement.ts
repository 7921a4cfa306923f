// The statement of an account for a time: its balance at the begin and at the end, and what moved it between. Only reads.
import { asc } from 'drizzle-orm'
import type { Parties } from '../../src/access/account-details.ts'
import { formatUsd, type Nanos } from '../../src/domain/money.ts'
import { type CsvColumns, csvUsd } from '../../src/http/csv.ts'
import { type CoveredSum, coveredOf } from '../../src/money/ledger/covered.ts'
import type { Db } from '../../src/store/db.ts'
import { equals } from '../../src/store/placeholders.ts'
import { perConnection } from '../../src/store/prepared.ts'
import { ENTRY_KINDS, type Entry, entries } from '../../src/store/schema.ts'
import type { EntryFilter } from './listing.ts'
import { balanceOf } from './running-balance.ts'
import { type EntrySum, entrySums, totalOf } from './sums.ts'

interface Statement {
  opening_nanos: Nanos
  /** Each kind of entry but charges, also those that did not occur. */
  movements: { kind: Exclude<Entry['kind'], 'charge'>; entries: number; amount_nanos: Nanos }[]
  /** Calls that were charged, the most expensive model first. Amounts are negative. */
  charges: { model: string; calls: number; amount_nanos: Nanos }[]
  charged: { calls: number; amount_nanos: Nanos }
  /** Calls that a plan covered: they moved nothing. The dearest model first. */
  covered: CoveredSum[]
  closing_nanos: Nanos
}

const queries = perConnection({
  first: (orm) =>
    orm
      .select({ created_at_ms: entries.created_at_ms })
      .from(entries)
      .where(equals(entries.account_id, 'account_id'))
      .orderBy(asc(entries.created_at_ms))
      .limit(1),
})

/** When the first entry of an account was written; undefined if it has no entries. */
export async function firstEntryAt(db: Db, account_id: number): Promise<number | undefined> {
  const first = await queries(db).first.get({ account_id })
  return first?.created_at_ms
}

/**
 * The statement of an account. It goes back from the balance of this moment, so that the last months, which people read
 * most, need few entries. Begin, entries and end add up exactly: all is read as of one moment. An id is taken before its transaction
 * ends, so the highest one does not say which entries are part of a balance.
 *
 * @param from_ms up to, but not including, `until_ms`: an entry counts when it was written, a charge when its call ended
 */
export async function statementOf(
  db: Db,
  account_id: number,
  { from_ms, until_ms }: { from_ms: number; until_ms: number },
): Promise<Statement> {
  const { sums, opening_nanos, closing_nanos } = await balancedSums(db, account_id, {
    since_ms: from_ms,
    until_ms,
  })
  const charges = sums.filter(({ kind }) => kind === 'charge')
  const charged = totalOf(charges)
  return {
    opening_nanos,
    movements: ENTRY_KINDS.filter((kind) => kind !== 'charge').map((kind) => ({
      kind,
      ...totalOf(sums.filter((sum) => sum.kind === kind)),
    })),
    charges: charges
      .map(({ model, entries, amount_nanos }) => ({ model: model ?? '', calls: entries, amount_nanos }))
      .sort((one, other) => one.amount_nanos - other.amount_nanos || (one.model < other.model ? -1 : 1)),
    charged: { calls: charged.entries, amount_nanos: charged.amount_nanos },
    covered: await coveredOf(db, account_id, { from_ms, until_ms }),
    closing_nanos,
  }
}

interface BalancedSums extends Pick<Statement, 'opening_nanos' | 'closing_nanos'> {
  /** Of each kind and model. */
  sums: EntrySum[]
}

/** What moved the balance of an account in a time, and the balance before and after it, as of one moment. */
export const balancedSums = (
  db: Db,
  account_id: number,
  time: Pick<EntryFilter, 'since_ms' | 'until_ms'>,
): Promise<BalancedSums> =>
  db.snapshot(async (then) => {
    const { until_ms } = time
    const later = until_ms === undefined ? [] : await entrySums(then, { account_id, since_ms: until_ms })
    const sums = await entrySums(then, { account_id, ...time })
    const closing_nanos = (await balanceOf(then, account_id)) - totalOf(later).amount_nanos
    return { sums, opening_nanos: closing_nanos - totalOf(sums).amount_nanos, closing_nanos }
  })

/** The fields of all lines of a statement. */
interface StatementHead extends Parties {
  account: string
  month: string
}

/** A line of a statement as a table has it. */
export interface StatementLine extends StatementHead {
  line: Entry['kind'] | 'opening_balance' | 'plan' | 'closing_balance'
  /** Of charges, and of calls that a plan covered. */
  model: string | null
  /** Null for balances. */
  count: number | null
  amount_nanos: Nanos
  /** Calls that a plan covered, at the account's price; null for all else. */
  covered_nanos: Nanos | null
}

/** The lines from the opening to the closing balance: all but the last add up to the last. */
export function statementLines(
  { opening_nanos, movements, charges, covered, closing_nanos }: Statement,
  head: StatementHead,
): StatementLine[] {
  const line = (name: StatementLine['line'], amount_nanos: Nanos, count: number | null = null) => ({
    ...head,
    line: name,
    model: null,
    count,
    amount_nanos,
    covered_nanos: null,
  })
  return [
    line('opening_balance', opening_nanos),
    ...movements.map(({ kind, entries: count, amount_nanos }) => line(kind, amount_nanos, count)),
    ...charges.map(({ model, calls: count, amount_nanos }) => ({
      ...line('charge', amount_nanos, count),
      model,
    })),
    ...covered.map(({ model, calls: count, covered_nanos }) => ({
      ...line('plan', 0, count),
      ...{ model, covered_nanos },
    })),
    line('closing_balance', closing_nanos),
  ]
}

export const STATEMENT_COLUMNS: CsvColumns<StatementLine> = {
  account: ({ account }) => account,
  month_utc: ({ month }) => month,
  line: ({ line }) => line,
  model: ({ model }) => model,
  count: ({ count }) => count,
  amount_usd: ({ amount_nanos }) => formatUsd(amount_nanos),
  amount_nanos: ({ amount_nanos }) => amount_nanos,
  covered_usd: ({ covered_nanos }) => csvUsd(covered_nanos),
  covered_nanos: ({ covered_nanos }) => covered_nanos,
  seller: ({ seller }) => seller,
  buyer: ({ buyer }) => buyer,
}
