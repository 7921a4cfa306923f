// Database queries on refunds of orders: creation, search, the schedule, and sums.
import { and, asc, eq, isNotNull, lte, sql } from 'drizzle-orm'
import { notFound } from '../../src/domain/errors.ts'
import type { Awaitable, Db, Tx } from '../../src/store/db.ts'
import {
  equals,
  placeholder,
  placeholders,
  rawPlaceholder,
  rawPlaceholders,
} from '../../src/store/placeholders.ts'
import { perConnection } from '../../src/store/prepared.ts'
import { type OrderRefund, order_refunds, orders } from './tables.ts'

/** The refunds of an order, oldest first. */
export const refundsOf = (db: Db, order_id: number): Awaitable<OrderRefund[]> =>
  queries(db).refundsOf.all({ order_id })

/** @throws GatewayError not_found */
export async function refundById(db: Db, id: number): Promise<OrderRefund> {
  const refund = await queries(db).refundById.get({ id })
  if (!refund) throw notFound('Refund not found. Look at its order.', { param: 'refund' })
  return refund
}

type NewRefund = Omit<OrderRefund, 'id' | 'state' | 'changed_at_ms'>

export async function insertRefund(tx: Tx, refund: NewRefund): Promise<OrderRefund> {
  const made = await queries(tx).insertRefund.get(refund)
  if (!made) throw new Error('a refund was not inserted')
  return made
}

export const setRefund = (
  db: Db,
  id: number,
  refund: Pick<OrderRefund, 'reference' | 'next_look_at_ms'>,
): Promise<unknown> => db.write((db) => queries(db).setRefund.run({ id, ...refund }))

/** Recomputes `refunded_minor` of an order, in the transaction that ends a refund. @returns the sum */
export async function sumRefunds(tx: Tx, order_id: number): Promise<number> {
  const summed = await queries(tx).sumRefunds.get({ id: order_id })
  return summed?.refunded_minor ?? 0
}

export const dueRefunds = (db: Db, now_ms: number, row_limit: number): Awaitable<OrderRefund[]> =>
  queries(db).dueRefunds.all({ now_ms, row_limit })

export const claimRefund = async (
  db: Db,
  { id, next_look_at_ms }: OrderRefund,
  until_ms: number,
): Promise<boolean> =>
  (await db.write((db) => queries(db).claimRefund.get({ id, read_ms: next_look_at_ms, until_ms }))) !==
  undefined

const queries = perConnection({
  refundsOf: (orm) =>
    orm
      .select()
      .from(order_refunds)
      .where(equals(order_refunds.order_id, 'order_id'))
      .orderBy(asc(order_refunds.id)),
  refundById: (orm) => orm.select().from(order_refunds).where(equals(order_refunds.id, 'id')),
  dueRefunds: (orm) =>
    orm
      .select()
      .from(order_refunds)
      .where(
        and(
          isNotNull(order_refunds.next_look_at_ms),
          lte(order_refunds.next_look_at_ms, placeholder('now_ms')),
        ),
      )
      .orderBy(asc(order_refunds.next_look_at_ms), asc(order_refunds.id))
      .limit(placeholder('row_limit')),
  claimRefund: (orm) =>
    orm
      .update(order_refunds)
      .set({ next_look_at_ms: rawPlaceholder('until_ms') })
      .where(and(equals(order_refunds.id, 'id'), eq(order_refunds.next_look_at_ms, placeholder('read_ms'))))
      .returning({ id: order_refunds.id }),
  insertRefund: (orm) =>
    orm
      .insert(order_refunds)
      .values({
        ...placeholders('order_id', 'account_id', 'amount_minor', 'debit_nanos', 'into_debt', 'reason'),
        ...placeholders('reference', 'created_at_ms', 'next_look_at_ms'),
        changed_at_ms: placeholder('created_at_ms'),
        state: 'begun',
      })
      .returning(),
  setRefund: (orm) =>
    orm
      .update(order_refunds)
      .set(rawPlaceholders('reference', 'next_look_at_ms'))
      .where(equals(order_refunds.id, 'id')),
  sumRefunds: (orm) =>
    orm
      .update(orders)
      .set({
        refunded_minor: sql`(SELECT coalesce(sum(order_refunds.amount_minor), 0) FROM order_refunds
          WHERE order_refunds.order_id = orders.id AND order_refunds.state = 'done')`,
      })
      .where(equals(orders.id, 'id'))
      .returning({ refunded_minor: orders.refunded_minor }),
})
