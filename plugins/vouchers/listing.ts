// Pages of vouchers and batches, newest first. A voucher past its expiry counts as expired, marked or not.
import { and, desc, eq, getTableColumns, lt, sql } from 'drizzle-orm'
import type { Db, Orm } from '../../src/store/db.ts'
import { type Page, type PageRequest, pageOf, pageValues } from '../../src/store/page.ts'
import { equalsUnlessNull, placeholder } from '../../src/store/placeholders.ts'
import { perAccount, perConnection } from '../../src/store/prepared.ts'
import { accounts } from '../../src/store/schema.ts'
import {
  type VoucherBatchRow,
  type VoucherRow,
  type VoucherState,
  voucher_batches,
  vouchers,
} from './tables.ts'

export type ListedVoucher = Omit<VoucherRow, 'sha256'> & { account_name: string | null }

export interface ListedBatch extends VoucherBatchRow {
  vouchers: number
  unused: number
  redeemed: number
  total_nanos: number
  unused_nanos: number
  /** Expiry of the last voucher; null: never. */
  expires_at_ms: number | null
}

interface VoucherFilter {
  account_id: number | undefined
  state: VoucherState | undefined
  batch: string | undefined
}

export const listVouchers = async (
  db: Db,
  { account_id, state = undefined, batch }: VoucherFilter,
  request: PageRequest,
  now_ms: number,
): Promise<Page<ListedVoucher>> => {
  const values = {
    ...pageValues(request),
    account_id,
    now_ms,
    wanted: state ?? null,
    batch_id: batch === undefined ? null : Number(batch),
  }
  return pageOf(await pages(db, account_id).page.all(values), request)
}

export const listBatches = async (db: Db, request: PageRequest, now_ms: number): Promise<Page<ListedBatch>> =>
  pageOf(await batches(db).page.all({ ...pageValues(request), now_ms }), request)

const state_now = sql<VoucherState>`CASE WHEN ${vouchers.state} = 'new' AND ${vouchers.expires_at_ms} <= ${placeholder('now_ms')}
  THEN 'expired' ELSE ${vouchers.state} END`

const pages = perAccount((account) => ({
  page: (orm: Orm) => {
    const { sha256: _, ...columns } = getTableColumns(vouchers)
    return orm
      .select({ ...columns, state: state_now, account_name: accounts.name })
      .from(vouchers)
      .leftJoin(accounts, eq(accounts.id, vouchers.account_id))
      .where(
        and(
          account(vouchers),
          lt(vouchers.id, placeholder('below_id')),
          equalsUnlessNull(vouchers.batch_id, 'batch_id'),
          sql`(CAST(${placeholder('wanted')} AS TEXT) IS NULL OR ${state_now} = ${placeholder('wanted')})`,
        ),
      )
      .orderBy(desc(vouchers.id))
      .limit(placeholder('row_limit'))
  },
}))

const is_unused = sql`${state_now} = 'new'`
const countOf = (condition: ReturnType<typeof sql>) =>
  sql<number>`CAST(SUM(CASE WHEN ${condition} THEN 1 ELSE 0 END) AS BIGINT)`

const batches = perConnection({
  page: (orm) =>
    orm
      .select({
        ...getTableColumns(voucher_batches),
        vouchers: sql<number>`COUNT(*)`,
        unused: countOf(is_unused),
        redeemed: countOf(sql`${vouchers.state} = 'redeemed'`),
        total_nanos: sql<number>`CAST(SUM(${vouchers.amount_nanos}) AS BIGINT)`,
        unused_nanos: sql<number>`CAST(SUM(CASE WHEN ${is_unused} THEN ${vouchers.amount_nanos} ELSE 0 END) AS BIGINT)`,
        expires_at_ms: sql<
          number | null
        >`CASE WHEN COUNT(*) = COUNT(${vouchers.expires_at_ms}) THEN MAX(${vouchers.expires_at_ms}) END`,
      })
      .from(voucher_batches)
      .innerJoin(vouchers, eq(vouchers.batch_id, voucher_batches.id))
      .where(lt(voucher_batches.id, placeholder('below_id')))
      .groupBy(voucher_batches.id)
      .orderBy(desc(voucher_batches.id))
      .limit(placeholder('row_limit')),
})
