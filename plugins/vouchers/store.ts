// Database queries on vouchers and their batches.
import { and, asc, eq, sql } from 'drizzle-orm'
import { notFound } from '../../src/domain/errors.ts'
import type { Nanos } from '../../src/domain/money.ts'
import type { Awaitable, Db, Tx } from '../../src/store/db.ts'
import { bareColumns, equals, placeholder, placeholders } from '../../src/store/placeholders.ts'
import { perConnection } from '../../src/store/prepared.ts'
import { batchesOf } from '../../src/utilities/batches.ts'
import { type VoucherBatchRow, type VoucherRow, voucher_batches, vouchers } from './tables.ts'

const ROWS_A_STATEMENT = 250

type NewBatch = Pick<VoucherBatchRow, 'note' | 'once_each' | 'created_at_ms'>
export type NewVoucher = Pick<VoucherRow, 'sha256' | 'hint' | 'amount_nanos' | 'expires_at_ms'>

export async function insertBatch(tx: Tx, batch: NewBatch): Promise<VoucherBatchRow> {
  const made = await queries(tx).insertBatch.get(batch)
  if (!made) throw new Error('a batch of vouchers was not inserted')
  return made
}

/** Inserts vouchers of a batch, except those whose code exists. @returns the number of inserted vouchers */
export async function insertVouchers(
  tx: Tx,
  { id: batch_id, created_at_ms: changed_at_ms }: VoucherBatchRow,
  added: readonly NewVoucher[],
): Promise<number> {
  let count = 0
  for (const part of batchesOf(added, ROWS_A_STATEMENT)) {
    const rows = part.map((voucher) => ({ ...voucher, batch_id, state: 'new' as const, changed_at_ms }))
    const inserted = await tx.orm
      .insert(vouchers)
      .values(rows)
      .onConflictDoNothing({ target: bareColumns('sha256') })
      .returning({ id: vouchers.id })
    count += inserted.length
  }
  return count
}

/** A voucher with the terms of its batch. */
export type VoucherOfBatch = VoucherRow & Pick<VoucherBatchRow, 'once_each'>

export const voucherByHash = (db: Db, sha256: Buffer): Awaitable<VoucherOfBatch | undefined> =>
  queries(db).byHash.get({ sha256 })

/** @throws GatewayError not_found */
export async function voucherById(db: Db, id: number): Promise<VoucherRow> {
  const voucher = await queries(db).byId.get({ id })
  if (!voucher) throw notFound('Voucher not found. See the list of vouchers.', { param: 'voucher' })
  return voucher
}

/** @throws GatewayError not_found */
export async function batchById(db: Db, id: number): Promise<VoucherBatchRow> {
  const batch = await queries(db).batchById.get({ id })
  if (!batch) throw notFound('Batch not found. See the list of batches.', { param: 'batch' })
  return batch
}

/** The IDs of the unused vouchers of a batch. */
export const unusedOfBatch = async (db: Db, batch_id: number): Promise<number[]> =>
  (await queries(db).unusedOfBatch.all({ batch_id })).map(({ id }) => id)

/** The unused vouchers of batches with a note. */
export const unusedOfNote = (db: Db, note: string): Awaitable<Pick<VoucherRow, 'id' | 'sha256'>[]> =>
  queries(db).unusedOfNote.all({ note })

/** The IDs of unused vouchers past their expiry, longest expired first. */
export const overdueVouchers = async (db: Db, now_ms: number, row_limit: number): Promise<number[]> =>
  (await queries(db).overdue.all({ now_ms, row_limit })).map(({ id }) => id)

/** The value of unused vouchers, which the operator owes to the holders of their codes. */
export const unusedVoucherNanos = async (db: Db, now_ms: number): Promise<Nanos> =>
  Number((await queries(db).unusedNanos.get({ now_ms }))?.nanos ?? 0)

const is_unused = sql`${vouchers.state} = 'new'`

const queries = perConnection({
  insertBatch: (orm) =>
    orm
      .insert(voucher_batches)
      .values(placeholders('note', 'once_each', 'created_at_ms'))
      .returning(),
  byHash: (orm) =>
    orm
      .select({
        id: vouchers.id,
        batch_id: vouchers.batch_id,
        account_id: vouchers.account_id,
        sha256: vouchers.sha256,
        hint: vouchers.hint,
        amount_nanos: vouchers.amount_nanos,
        state: vouchers.state,
        changed_at_ms: vouchers.changed_at_ms,
        expires_at_ms: vouchers.expires_at_ms,
        once_each: voucher_batches.once_each,
      })
      .from(vouchers)
      .innerJoin(voucher_batches, eq(voucher_batches.id, vouchers.batch_id))
      .where(equals(vouchers.sha256, 'sha256')),
  byId: (orm) => orm.select().from(vouchers).where(equals(vouchers.id, 'id')),
  batchById: (orm) => orm.select().from(voucher_batches).where(equals(voucher_batches.id, 'id')),
  unusedOfBatch: (orm) =>
    orm
      .select({ id: vouchers.id })
      .from(vouchers)
      .where(and(equals(vouchers.batch_id, 'batch_id'), is_unused))
      .orderBy(asc(vouchers.id)),
  unusedOfNote: (orm) =>
    orm
      .select({ id: vouchers.id, sha256: vouchers.sha256 })
      .from(vouchers)
      .innerJoin(voucher_batches, eq(voucher_batches.id, vouchers.batch_id))
      .where(and(equals(voucher_batches.note, 'note'), is_unused))
      .orderBy(asc(vouchers.id)),
  overdue: (orm) =>
    orm
      .select({ id: vouchers.id })
      .from(vouchers)
      .where(and(is_unused, sql`${vouchers.expires_at_ms} <= ${placeholder('now_ms')}`))
      .orderBy(asc(vouchers.expires_at_ms))
      .limit(placeholder('row_limit')),
  unusedNanos: (orm) =>
    orm
      .select({ nanos: sql<number>`CAST(COALESCE(SUM(${vouchers.amount_nanos}), 0) AS BIGINT)` })
      .from(vouchers)
      .where(
        and(
          is_unused,
          sql`(${vouchers.expires_at_ms} IS NULL OR ${vouchers.expires_at_ms} > ${placeholder('now_ms')})`,
        ),
      ),
})
