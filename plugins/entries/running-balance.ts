// The running balance of an account: at each entry the sum of all entries up to it, in the order of lists. Reads only.
import { and, desc, sql } from 'drizzle-orm'
import type { ListPageRequest } from '../../src/app/list/list.ts'
import type { Nanos } from '../../src/domain/money.ts'
import type { Db } from '../../src/store/db.ts'
import type { Page } from '../../src/store/page.ts'
import { equals, placeholder } from '../../src/store/placeholders.ts'
import { perConnection } from '../../src/store/prepared.ts'
import { accounts, entries } from '../../src/store/schema.ts'
import { endOfTurn } from '../../src/utilities/end-of-turn.ts'
import {
  allEntries,
  type EntryFilter,
  type EntryPlace,
  isUpToNewest,
  LAST_PLACE,
  type ListedEntry,
  listEntries,
  newestEntryId,
} from './listing.ts'
import { amountBetween } from './sums.ts'

/** An entry with the balance of its account after it; null in lists of all accounts. */
export interface EntryWithBalance extends ListedEntry {
  balance_nanos: Nanos | null
}

const queries = perConnection({
  balance: (orm) =>
    orm
      .select({ balance_nanos: accounts.balance_nanos })
      .from(accounts)
      .where(equals(accounts.id, 'account_id')),
  amounts: (orm) =>
    orm
      .select({
        id: entries.id,
        created_at_ms: entries.created_at_ms,
        amount_nanos: entries.amount_nanos,
      })
      .from(entries)
      .where(
        and(
          equals(entries.account_id, 'account_id'),
          isUpToNewest,
          sql`(${entries.created_at_ms}, ${entries.id}) < (${placeholder('before_ms')}, ${placeholder('below_id')})`,
          sql`(${entries.created_at_ms}, ${entries.id}) >= (${placeholder('from_ms')}, ${placeholder('from_id')})`,
        ),
      )
      .orderBy(desc(entries.created_at_ms), desc(entries.id))
      .limit(placeholder('row_limit')),
})

/** The current balance of an account, which equals the sum of its entries (src/money/ledger/invariants.ts). */
export async function balanceOf(db: Db, account_id: number): Promise<Nanos> {
  return (await queries(db).balance.get({ account_id }))?.balance_nanos ?? 0
}

/** Like `listEntries`, with the balance after each entry if the filter has an account. */
export async function listWithBalances(
  db: Db,
  filter: EntryFilter,
  request: ListPageRequest,
): Promise<Page<EntryWithBalance> | undefined> {
  const page = await listEntries(db, filter, request)
  return page && { ...page, rows: await withBalances(db, filter, page.rows) }
}

/** Like `allEntries`, with balances; all as of the time of the first call. */
export async function* allWithBalances(db: Db, filter: EntryFilter): AsyncGenerator<EntryWithBalance[]> {
  const { account_id } = filter
  const initial = await db.snapshot(async (then) => ({
    newest_id: await newestEntryId(then, account_id),
    balance_nanos: account_id === undefined ? 0 : await balanceOf(then, account_id),
  }))
  let newer: KnownBalance = { ...LAST_PLACE, balance_nanos: initial.balance_nanos }
  const all = { ...filter, newest_id: initial.newest_id }
  for await (const part of allEntries(db, all)) {
    const rows = await withBalances(db, all, part, newer)
    newer = rows.at(-1) ?? newer
    yield rows
  }
}

/** A place in the order of entries, and the balance after it. */
type KnownBalance = EntryPlace & Pick<EntryWithBalance, 'balance_nanos'>

/**
 * Adds balances, going back from a known one: the current balance, or the balance after a newer entry. Counts also entries that the filter excludes.
 *
 * @param rows all rows of the filter between the first and the last, newest first
 */
async function withBalances(
  db: Db,
  { account_id, kind, newest_id }: EntryFilter,
  rows: readonly ListedEntry[],
  newer?: KnownBalance,
): Promise<EntryWithBalance[]> {
  const [first] = rows
  if (account_id === undefined || !first) return rows.map((row) => ({ ...row, balance_nanos: null }))
  // In one snapshot, so that an entry that is written meanwhile is in both values or in neither.
  const balance_nanos = await db.snapshot(async (then) => {
    const known_nanos = newer?.balance_nanos ?? (await balanceOf(then, account_id))
    const span = { after: first, upTo: newer ?? LAST_PLACE, newest_id }
    return known_nanos - (await amountBetween(then, account_id, span))
  })
  const between = kind === undefined ? rows : amountsOf(db, account_id, rows, newest_id)
  return addBalances(rows, between, balance_nanos)
}

interface Amount {
  id: number
  amount_nanos: Nanos
}

/** @param all all entries from the first row to the last, newest first */
async function addBalances(
  rows: readonly ListedEntry[],
  all: Iterable<Amount> | AsyncIterable<Amount>,
  first_nanos: Nanos,
): Promise<EntryWithBalance[]> {
  const found = new Map<number, Nanos>()
  let balance_nanos = first_nanos
  for await (const { id, amount_nanos } of all) {
    found.set(id, balance_nanos)
    balance_nanos -= amount_nanos
  }
  return rows.map((row) => ({ ...row, balance_nanos: found.get(row.id) ?? null }))
}

/** Entries per query, which takes about 5 ms. */
const ENTRY_BATCH = 2_500

/** Yields the entries of any kind from the first of some rows to the last. */
async function* amountsOf(
  db: Db,
  account_id: number,
  rows: readonly EntryPlace[],
  newest_id = Number.MAX_SAFE_INTEGER,
): AsyncGenerator<Amount> {
  const oldest = rows.at(-1) ?? LAST_PLACE
  let before: EntryPlace = rows[0] ? { ...rows[0], id: rows[0].id + 1 } : LAST_PLACE
  for (;;) {
    const part = await queries(db).amounts.all({
      account_id,
      newest_id,
      before_ms: before.created_at_ms,
      below_id: before.id,
      from_ms: oldest.created_at_ms,
      from_id: oldest.id,
      row_limit: ENTRY_BATCH,
    })
    yield* part
    before = part.at(-1) ?? before
    if (part.length < ENTRY_BATCH) return
    await endOfTurn()
  }
}
