// Checks of payments: stuck orders, unavailable payment methods, accounts that paid the debt of a lost dispute, and consistency of orders and ledger.
import { and, asc, isNotNull, sql } from 'drizzle-orm'
import { type CheckTime, type Diagnosis, diagnosesOf } from '../../src/app/checks/check.ts'
import { DAY_MS } from '../../src/domain/ranges.ts'
import type { Db } from '../../src/store/db.ts'
import { placeholder } from '../../src/store/placeholders.ts'
import { perConnection } from '../../src/store/prepared.ts'
import { account_suspensions, accounts, erased_accounts } from '../../src/store/schema.ts'
import { counted } from '../../src/utilities/counted.ts'
import type { RefusedWebhooks } from './payments.ts'
import { erasedCustomers, isUnknown } from './stripe/customers.ts'
import { attentionOf, STUCK } from './stuck.ts'
import { orders } from './tables.ts'

/** The first orders suffice to show a common cause, such as a method that reports wrong amounts. */
const MAX_ORDERS_NAMED = 20
/** Longer than any refresh takes: an order that is due for longer is not being polled. */
const OVERDUE_MS = 10 * 60_000
/** Duration of the alert of a refused webhook. */
const REFUSED_MS = 60 * 60_000

const of_payments = diagnosesOf('payments')

/** Runs the checks; those that read all orders only for the doctor. */
export async function checkPayments(
  { db, now }: { db: Db; now: () => number },
  time: CheckTime,
): Promise<Diagnosis[]> {
  const now_ms = now()
  const found = [
    ...(await unavailableMethods(db, now_ms)),
    ...(await stuckOrders(db, now_ms)),
    ...(await overdueRefreshes(db, now_ms)),
    ...(await suspendedAndPaid(db)),
    ...(await undeletedCustomers(db, now_ms)),
    ...(time === 'doctor' ? await ledgerMismatches(db) : []),
  ]
  return found.length > 0 ? found : [of_payments.ok('orders and the ledger agree')]
}

async function unavailableMethods(db: Db, now_ms: number): Promise<Diagnosis[]> {
  const away = await queries(db).away.all({ now_ms })
  return away.map(({ method, count }) =>
    diagnosesOf(`payment method ${method}`).fail(
      `${method} has not answered for more than ten minutes: ${counted(count, 'order')} waiting`,
      'Check its credentials in [payments], and its status page. The gateway retries by itself.',
    ),
  )
}

/** Leaves out orders whose only problem is a silent method, which `unavailableMethods` reports once. */
async function stuckOrders(db: Db, now_ms: number): Promise<Diagnosis[]> {
  const stuck = await queries(db).stuck.all({ now_ms, row_limit: MAX_ORDERS_NAMED })
  return stuck.flatMap((order) => {
    const attention = attentionOf({ ...order, unanswered_since_ms: null }, now_ms)
    return attention
      ? [
          diagnosesOf(`order ${order.id}`, order.account_id).warn(
            `order ${order.id}: ${attention.why}`,
            attention.advice,
          ),
        ]
      : []
  })
}

async function overdueRefreshes(db: Db, now_ms: number): Promise<Diagnosis[]> {
  const overdue = (await queries(db).overdue.get({ due_ms: now_ms - OVERDUE_MS }))?.count ?? 0
  if (overdue === 0) return []
  return [
    of_payments.fail(
      `${counted(overdue, 'order')} waiting for a check for more than ten minutes`,
      'Is a gateway running? Its log says why orders cannot be checked.',
    ),
  ]
}

/** Accounts that paid the debt of a lost dispute: the operator decides whether to resume them. */
async function suspendedAndPaid(db: Db): Promise<Diagnosis[]> {
  const paid = await queries(db).suspended_and_paid.all()
  return paid.map(({ id, name }) =>
    diagnosesOf(`account ${name}`, id).warn(
      `account ${name}, suspended after a lost dispute, has paid what it owed`,
      `Resume it: tollgate account resume ${name}. Or keep it suspended by a reason of your own: tollgate account suspend ${name} --reason TEXT. Both end this alert.`,
    ),
  )
}

/** Customers of accounts that were erased more than a day ago. */
async function undeletedCustomers(db: Db, now_ms: number): Promise<Diagnosis[]> {
  const left = (await erasedCustomers(db)).filter(({ erased_at_ms }) => now_ms - erased_at_ms >= DAY_MS)
  return left.slice(0, MAX_ORDERS_NAMED).map(({ account_id, is_live, ...customer }) => {
    const name = isUnknown(customer) ? `of account ${account_id}` : customer.reference
    return diagnosesOf(`customer ${name}`).warn(
      `account ${account_id} is erased, but after a day its customer ${isUnknown(customer) ? 'may still be' : `${name} is still`} at Stripe`,
      `The log of the gateway says why. The gateway retries while [payments.stripe] has a ${is_live === 1 ? 'live' : 'test'} key that may write Customers. You can also delete the customer in Stripe’s dashboard. Without such a key, this warning ends 30 days after the erasure.`,
    )
  })
}

/** Paid orders without a ledger entry, and entries without a paid order. Entries of erased accounts have no keys. */
async function ledgerMismatches(db: Db): Promise<Diagnosis[]> {
  const [uncredited, unpaid] = [await queries(db).uncredited.all(), await queries(db).unpaid.all()]
  return [
    ...uncredited.map(({ id }) =>
      diagnosesOf(`order ${id}`).fail(
        `order ${id} is paid, and its account has no entry of its amount`,
        'Was the database restored in part? Compare the order with its payment method, and add the funds by hand.',
      ),
    ),
    ...unpaid.map(({ request_key, account_id }) =>
      diagnosesOf('payments').fail(
        `account ${account_id} has an entry ${request_key}, and no such order is paid`,
        'Was the database restored in part? Compare the entry with the payment method, and debit the account if nothing was paid.',
      ),
    ),
  ]
}

/** Warns of a webhook without a valid signature in the last hour. @param refused counts of a running gateway */
export function checkWebhooks(now_ms: number, refused: RefusedWebhooks | undefined): Diagnosis[] {
  const last = refused?.last
  if (!last || last.at_ms <= now_ms - REFUSED_MS) return []
  return [
    diagnosesOf('payment webhooks').warn(
      `a webhook of ${last.method} came without a valid signature`,
      'Nothing was credited by it. If payments are credited late, compare the webhook secret in [payments] with the one at the payment method; else somebody tries to forge them.',
    ),
  ]
}

const WAS_PAID = sql.raw("orders.state NOT IN ('open', 'expired', 'cancelled')")
const IS_OF_ORDER = sql.raw(
  "entries.account_id = orders.account_id AND entries.request_key = 'order:' || CAST(orders.id AS TEXT)",
)
const MAX_DISAGREEMENTS = 20

const queries = perConnection({
  away: (orm) =>
    orm
      .select({ method: orders.provider, count: sql<number>`count(*)` })
      .from(orders)
      .where(
        and(
          isNotNull(orders.unanswered_since_ms),
          sql`${orders.unanswered_since_ms} + ${sql.raw(String(OVERDUE_MS))} <= ${placeholder('now_ms')}`,
        ),
      )
      .groupBy(orders.provider),
  stuck: (orm) =>
    orm
      .select()
      .from(orders)
      .where(
        sql`${STUCK} AND (${orders.trouble} IS NOT NULL OR ${orders.state} IN ('disputed', 'refund_failed'))`,
      )
      .orderBy(asc(orders.id))
      .limit(placeholder('row_limit')),
  overdue: (orm) =>
    orm
      .select({ count: sql<number>`count(*)` })
      .from(orders)
      .where(
        sql`${orders.next_look_at_ms} IS NOT NULL AND ${orders.next_look_at_ms} < ${placeholder('due_ms')}`,
      ),
  suspended_and_paid: (orm) =>
    orm
      .select({ id: accounts.id, name: accounts.name })
      .from(account_suspensions)
      .innerJoin(accounts, sql`${accounts.id} = ${account_suspensions.account_id}`)
      .where(
        sql`${account_suspensions.reason} = 'lost_dispute' AND ${accounts.status} = 'suspended' AND ${accounts.debt_nanos} = 0`,
      )
      .orderBy(asc(accounts.id))
      .limit(MAX_ORDERS_NAMED),
  uncredited: (orm) =>
    orm
      .select({ id: orders.id })
      .from(orders)
      .where(
        sql`${WAS_PAID} AND NOT EXISTS (SELECT 1 FROM ${erased_accounts} WHERE erased_accounts.account_id = orders.account_id)
          AND NOT EXISTS (SELECT 1 FROM entries WHERE ${IS_OF_ORDER}
            AND entries.amount_nanos = orders.credit_nanos + orders.bonus_nanos)`,
      )
      .orderBy(asc(orders.id))
      .limit(MAX_DISAGREEMENTS),
  unpaid: (orm) =>
    orm
      .select({ request_key: sql<string>`entries.request_key`, account_id: sql<number>`entries.account_id` })
      .from(sql`entries`)
      .where(
        sql`entries.request_key LIKE 'order:%' AND NOT EXISTS (SELECT 1 FROM orders WHERE ${IS_OF_ORDER} AND ${WAS_PAID})`,
      )
      .limit(MAX_DISAGREEMENTS),
})
