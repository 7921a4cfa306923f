// Database queries on orders: creation, search, the refresh schedule, and facts reported by the provider.
import { and, asc, eq, isNotNull, lte, sql } from 'drizzle-orm'
import { conflict, notFound } from '../../src/domain/errors.ts'
import type { Awaitable, Db, Tx } from '../../src/store/db.ts'
import {
  equals,
  placeholder,
  placeholders,
  rawPlaceholder,
  rawPlaceholders,
} from '../../src/store/placeholders.ts'
import { perConnection } from '../../src/store/prepared.ts'
import { accounts, erased_accounts } from '../../src/store/schema.ts'
import { type Order, orders } from './tables.ts'

type NewOrder = Pick<
  Order,
  | 'account_id'
  | 'person_id'
  | 'kind'
  | 'provider'
  | 'currency'
  | 'amount_minor'
  | 'rate_nanos'
  | 'credit_nanos'
  | 'bonus_nanos'
  | 'created_at_ms'
  | 'expires_at_ms'
  | 'next_look_at_ms'
  | 'is_live'
  | 'request_key'
  | 'plan_period_id'
>

export async function insertOrder(tx: Tx, order: NewOrder): Promise<Order> {
  const made = await queries(tx).insert.get(order)
  if (!made) throw new Error('an order was not inserted')
  return made
}

/** @throws GatewayError not_found */
export async function orderById(db: Db, id: number): Promise<Order> {
  const order = await queries(db).byId.get({ id })
  if (!order) throw notFound('Order not found. See the list of orders.', { param: 'order' })
  return order
}

/** The number of open orders of an account. */
export const countOpenOrders = async (db: Db, account_id: number): Promise<number> =>
  (await queries(db).countOpen.get({ account_id }))?.count ?? 0

/** The orders that pay for a plan month, oldest first. */
export const ordersOfPeriod = (db: Db, plan_period_id: number): Awaitable<Order[]> =>
  queries(db).ofPeriod.all({ plan_period_id })

export const orderByReference = (db: Db, provider: string, reference: string): Awaitable<Order | undefined> =>
  queries(db).byReference.get({ provider, reference })

/** Locks the account of an order, so that no other transaction changes the order or its refunds. @throws GatewayError not_found */
export async function lockedOrder(tx: Tx, id: number): Promise<Order> {
  await tx.lock((await orderById(tx, id)).account_id)
  return await orderById(tx, id)
}

/** The balance of an account minus its holds. */
export const freeBalanceOf = async (db: Db, account_id: number): Promise<number> =>
  (await queries(db).freeBalance.get({ id: account_id }))?.free_nanos ?? 0

export const isErased = async (db: Db, account_id: number): Promise<boolean> =>
  (await queries(db).erased.get({ account_id })) !== undefined

export const accountNameOf = async (db: Db, account_id: number): Promise<string> =>
  (await queries(db).accountName.get({ id: account_id }))?.name ?? ''

/** Saves the provider's ID of an order's payment. @throws GatewayError conflict if the order has another ID, or another order has this ID */
export async function saveReference(db: Db, { id, provider }: Order, reference: string): Promise<void> {
  const kept = await db.write((db) => queries(db).saveReference.get({ id, provider, reference }))
  if (!kept)
    throw conflict(`Order ${id} has another payment already. Look at the order.`, { code: 'paid_elsewhere' })
}

/** The payment methods that have orders due for a refresh. */
export const dueMethods = async (db: Db, now_ms: number): Promise<string[]> =>
  (await queries(db).dueMethods.all({ now_ms })).map(({ provider }) => provider)

/** The orders of a method that are due for a refresh, longest overdue first. */
export const dueOrders = (
  db: Db,
  due: { provider: string; now_ms: number; row_limit: number },
): Awaitable<Order[]> => queries(db).due.all(due)

/** Claims a due order, so that no other gateway refreshes it before `until_ms`. @returns false if another gateway claimed it */
export const claimOrder = async (
  db: Db,
  { id, next_look_at_ms }: Order,
  until_ms: number,
): Promise<boolean> =>
  (await db.write((db) => queries(db).take.get({ id, read_ms: next_look_at_ms, until_ms }))) !== undefined

/** Schedules the next refresh of an order, and saves since when its provider is silent and its payment pending. */
export const setRefresh = (
  db: Db,
  id: number,
  look: Pick<Order, 'next_look_at_ms' | 'unanswered_since_ms' | 'pending_since_ms'>,
): Promise<unknown> => db.write((db) => queries(db).setRefresh.run({ id, ...look }))

/** Facts that the provider reports on a payment, without its state. */
type PaymentFacts = Pick<
  Order,
  'paid_at_ms' | 'payment_reference' | 'fee_minor' | 'tax_minor' | 'tax_country' | 'receipt_url'
>

/** Saves reported facts. The first `paid_at_ms` and `payment_reference` stay; of other facts the last. Null (not reported) changes nothing. */
export const savePaymentFacts = (db: Db, id: number, facts: PaymentFacts): Promise<unknown> =>
  db.write((db) => queries(db).savePaymentFacts.run({ id, ...facts }))

export const setTrouble = (db: Db, id: number, trouble: string | null): Promise<unknown> =>
  db.write((db) => queries(db).setTrouble.run({ id, trouble }))

/** The order that was marked as paid by a bank transfer with this reference. */
export const orderByPayment = (
  db: Db,
  provider: string,
  payment_reference: string,
): Awaitable<Order | undefined> => queries(db).byPayment.get({ provider, payment_reference })

/** Saves the operator's mark that an order was paid by a transfer. */
export const saveMark = (
  db: Db,
  id: number,
  mark: { payment_reference: string; next_look_at_ms: number },
): Promise<unknown> => db.write((db) => queries(db).saveMark.run({ id, ...mark }))

const isDue = () => and(isNotNull(orders.next_look_at_ms), lte(orders.next_look_at_ms, placeholder('now_ms')))

const queries = perConnection({
  insert: (orm) =>
    orm
      .insert(orders)
      .values({
        ...placeholders(
          'account_id',
          'person_id',
          'kind',
          'provider',
          'currency',
          'amount_minor',
          'rate_nanos',
        ),
        ...placeholders('credit_nanos', 'bonus_nanos', 'created_at_ms', 'expires_at_ms', 'next_look_at_ms'),
        ...placeholders('is_live', 'request_key', 'plan_period_id'),
        changed_at_ms: placeholder('created_at_ms'),
        state: 'open',
        looks: 0,
        refunded_minor: 0,
      })
      .returning(),
  byId: (orm) => orm.select().from(orders).where(equals(orders.id, 'id')),
  byReference: (orm) =>
    orm
      .select()
      .from(orders)
      .where(and(equals(orders.provider, 'provider'), equals(orders.reference, 'reference'))),
  ofPeriod: (orm) =>
    orm.select().from(orders).where(equals(orders.plan_period_id, 'plan_period_id')).orderBy(asc(orders.id)),
  countOpen: (orm) =>
    orm
      .select({ count: sql<number>`count(*)` })
      .from(orders)
      .where(and(equals(orders.account_id, 'account_id'), eq(orders.state, 'open'))),
  accountName: (orm) => orm.select({ name: accounts.name }).from(accounts).where(equals(accounts.id, 'id')),
  freeBalance: (orm) =>
    orm
      .select({ free_nanos: sql<number>`${accounts.balance_nanos} - ${accounts.held_nanos}` })
      .from(accounts)
      .where(equals(accounts.id, 'id')),
  erased: (orm) =>
    orm
      .select({ account_id: erased_accounts.account_id })
      .from(erased_accounts)
      .where(equals(erased_accounts.account_id, 'account_id')),
  saveReference: (orm) =>
    orm
      .update(orders)
      .set(rawPlaceholders('reference'))
      .where(
        and(
          equals(orders.id, 'id'),
          sql`(${orders.reference} IS NULL OR ${orders.reference} = ${placeholder('reference')})`,
          sql`NOT EXISTS (SELECT 1 FROM orders AS others WHERE others.provider = ${placeholder('provider')}
                AND others.reference = ${placeholder('reference')} AND others.id <> ${placeholder('id')})`,
        ),
      )
      .returning({ id: orders.id }),
  dueMethods: (orm) => orm.selectDistinct({ provider: orders.provider }).from(orders).where(isDue()),
  due: (orm) =>
    orm
      .select()
      .from(orders)
      .where(and(isDue(), equals(orders.provider, 'provider')))
      .orderBy(asc(orders.next_look_at_ms), asc(orders.id))
      .limit(placeholder('row_limit')),
  take: (orm) =>
    orm
      .update(orders)
      .set({ next_look_at_ms: rawPlaceholder('until_ms'), looks: sql`${orders.looks} + 1` })
      .where(and(equals(orders.id, 'id'), eq(orders.next_look_at_ms, placeholder('read_ms'))))
      .returning({ id: orders.id }),
  setRefresh: (orm) =>
    orm
      .update(orders)
      .set(rawPlaceholders('next_look_at_ms', 'unanswered_since_ms', 'pending_since_ms'))
      .where(equals(orders.id, 'id')),
  savePaymentFacts: (orm) =>
    orm
      .update(orders)
      .set({
        paid_at_ms: sql`coalesce(${orders.paid_at_ms}, ${placeholder('paid_at_ms')})`,
        payment_reference: sql`coalesce(${orders.payment_reference}, ${placeholder('payment_reference')})`,
        fee_minor: sql`coalesce(${placeholder('fee_minor')}, ${orders.fee_minor})`,
        tax_minor: sql`coalesce(${placeholder('tax_minor')}, ${orders.tax_minor})`,
        tax_country: sql`coalesce(${placeholder('tax_country')}, ${orders.tax_country})`,
        receipt_url: sql`coalesce(${placeholder('receipt_url')}, ${orders.receipt_url})`,
      })
      .where(equals(orders.id, 'id')),
  setTrouble: (orm) => orm.update(orders).set(rawPlaceholders('trouble')).where(equals(orders.id, 'id')),
  byPayment: (orm) =>
    orm
      .select()
      .from(orders)
      .where(and(equals(orders.provider, 'provider'), equals(orders.payment_reference, 'payment_reference')))
      .limit(1),
  saveMark: (orm) =>
    orm
      .update(orders)
      .set(rawPlaceholders('payment_reference', 'next_look_at_ms'))
      .where(equals(orders.id, 'id')),
})
