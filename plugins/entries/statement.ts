// The statement of an account for a time range: opening and closing balance, and the entries between them. Reads only.
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
  /** Each kind of entry except charges, also without entries. */
  movements: { kind: Exclude<Entry['kind'], 'charge'>; entries: number; amount_nanos: Nanos }[]
  /** Charged calls by model, most expensive first. Amounts are negative. */
  charges: { model: string; calls: number; amount_nanos: Nanos }[]
  charged: { calls: number; amount_nanos: Nanos }
  /** Calls covered by a plan, which cost nothing, by model, most expensive first. */
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

/** Time of the first entry of an account; undefined without entries. */
export async function firstEntryAt(db: Db, account_id: number): Promise<number | undefined> {
  const first = await queries(db).first.get({ account_id })
  return first?.created_at_ms
}

/**
 * Returns the statement of an account. Goes back from the current balance, so that recent months, which people read most, need few
 * entries. Opening balance, entries and closing balance add up exactly, since all is read in one snapshot: the highest ID would not
 * determine which entries are part of a balance, since IDs are assigned before their transaction ends.
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
  /** By kind and model. */
  sums: EntrySum[]
}

/** Sums the entries of an account in a time range, with the balances before and after it, in one snapshot. */
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

/** Fields that all lines of a statement repeat. */
interface StatementHead extends Parties {
  account: string
  month: string
}

/** A line of a statement. */
export interface StatementLine extends StatementHead {
  line: Entry['kind'] | 'opening_balance' | 'plan' | 'closing_balance'
  /** Set for charges and covered calls. */
  model: string | null
  /** Null for balances. */
  count: number | null
  amount_nanos: Nanos
  /** Covered calls at the account's price; null for other lines. */
  covered_nanos: Nanos | null
}

/** Returns the lines from the opening to the closing balance, which is the sum of the others. */
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
