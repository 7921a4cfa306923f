// Records of money that moved, for accounting: payments, refunds and lost disputes, with their tax and fees. Test payments are none.
import { eq } from 'drizzle-orm'
import { shareOf } from '../../../src/domain/currencies.ts'
import type { Nanos } from '../../../src/domain/money.ts'
import type { Db } from '../../../src/store/db.ts'
import { isOneOf } from '../../../src/store/placeholders.ts'
import { perConnection } from '../../../src/store/prepared.ts'
import { accounts } from '../../../src/store/schema.ts'
import { endOfTurn } from '../../../src/utilities/end-of-turn.ts'
import { type Order, orders } from '../tables.ts'

export interface Period {
  since_ms: number
  until_ms: number
}

/** A movement of money between a payer and the operator. What goes back is negative. */
export interface MoneyRecord {
  type: 'payment' | 'refund' | 'lost_dispute'
  at_ms: number
  /** The number of its receipt: the order's, and of a refund its own, too. */
  receipt: string
  order: Order
  account: string
  amount_minor: number
  /** The tax in the amount: of a part of a payment, the same part of its tax. */
  tax_minor: number
  /** The fee of the payment method; null: not reported. Refunds and disputes add none. */
  fee_minor: number | null
  /** The change of the balance. */
  credit_nanos: Nanos
}

/** The net amount of a record: without tax, and without the fee where it is known. */
export const netOf = ({ amount_minor, tax_minor, fee_minor }: MoneyRecord): number =>
  amount_minor - tax_minor - (fee_minor ?? 0)

/** Some 5 ms. */
const RECORDS_AT_ONCE = 250

interface Place {
  at_ms: number
  rank: number
  id: number
}

interface Moved extends Place {
  order_id: number
  /** Of a refund, and of those of its order that were done before it. */
  amount_minor: number
  before_minor: number
  /** Of a refund; of a lost dispute that of the refunds before it. */
  debit_nanos: Nanos
}

/** The records of a period, the oldest first, a part at a time. */
export async function* recordsOf(db: Db, { since_ms, until_ms }: Period): AsyncGenerator<MoneyRecord[]> {
  for (let place: Place = { at_ms: since_ms, rank: -1, id: 0 }; ; ) {
    const moved = await db.rows<Moved>(RECORDS, { ...place, until_ms, row_limit: RECORDS_AT_ONCE })
    const ids = JSON.stringify([...new Set(moved.map(({ order_id }) => order_id))])
    const found = new Map((await queries(db).ofIds.all({ ids })).map((row) => [row.order.id, row]))
    yield moved.flatMap((row) => {
      const of = found.get(row.order_id)
      return of ? recordOf(row, of.order, of.account) : []
    })
    const last = moved.at(-1)
    if (!last || moved.length < RECORDS_AT_ONCE) return
    place = { at_ms: last.at_ms, rank: last.rank, id: last.id }
    await endOfTurn()
  }
}

function recordOf(
  { at_ms, rank, id, amount_minor, before_minor, debit_nanos }: Moved,
  order: Order,
  account: string,
): MoneyRecord {
  const { credit_nanos, bonus_nanos, tax_minor, fee_minor, refunded_minor } = order
  if (rank === 0)
    return {
      ...{ type: 'payment', at_ms, receipt: String(order.id), order, account, fee_minor },
      amount_minor: order.amount_minor,
      tax_minor: tax_minor ?? 0,
      credit_nanos: credit_nanos + bonus_nanos,
    }
  const left_minor = order.amount_minor - refunded_minor
  const back_minor = rank === 1 ? amount_minor : left_minor
  return {
    ...{ type: rank === 1 ? 'refund' : 'lost_dispute', at_ms, order, account, fee_minor: 0 },
    receipt: rank === 1 ? `${order.id}-R${id}` : `${order.id}-D`,
    amount_minor: -back_minor,
    tax_minor: -taxIn(order, rank === 1 ? before_minor : refunded_minor, back_minor),
    // A lost dispute took the rest that refunds had left.
    credit_nanos: -(rank === 1 ? debit_nanos : Math.max(0, credit_nanos + bonus_nanos - debit_nanos)),
  }
}

/** The tax in a part of a payment: the parts of all refunds are the whole. */
function taxIn(
  { tax_minor, amount_minor: paid_minor }: Order,
  before_minor: number,
  part_minor: number,
): number {
  const upTo = (minor: number) => shareOf(tax_minor ?? 0, minor, paid_minor)
  return upTo(before_minor + part_minor) - upTo(before_minor)
}

/** Raw SQL, because Drizzle has no union of parts that are limited each. Each part has an index by its time. */
const RECORDS = `
  SELECT * FROM (
    SELECT * FROM (
      SELECT paid_at_ms AS at_ms, 0 AS rank, id, id AS order_id, amount_minor, 0 AS before_minor, 0 AS debit_nanos FROM orders
       WHERE paid_at_ms >= $at_ms AND paid_at_ms < $until_ms AND (paid_at_ms, 0, id) > ($at_ms, $rank, $id)
         AND is_live = 1 AND state NOT IN ('open', 'expired', 'cancelled')
       ORDER BY paid_at_ms, id LIMIT $row_limit) AS payments
    UNION ALL SELECT * FROM (
      SELECT changed_at_ms AS at_ms, 1 AS rank, id, order_id, amount_minor,
             (SELECT coalesce(sum(earlier.amount_minor), 0) FROM order_refunds AS earlier
               WHERE earlier.order_id = order_refunds.order_id AND earlier.state = 'done'
                 AND (earlier.changed_at_ms, earlier.id) < (order_refunds.changed_at_ms, order_refunds.id)) AS before_minor,
             debit_nanos
        FROM order_refunds
       WHERE state = 'done' AND changed_at_ms >= $at_ms AND changed_at_ms < $until_ms AND (changed_at_ms, 1, id) > ($at_ms, $rank, $id)
         AND EXISTS (SELECT 1 FROM orders WHERE orders.id = order_refunds.order_id AND orders.is_live = 1)
       ORDER BY changed_at_ms, id LIMIT $row_limit) AS refunds
    UNION ALL SELECT * FROM (
      SELECT changed_at_ms AS at_ms, 2 AS rank, id, id AS order_id, 0 AS amount_minor, 0 AS before_minor,
             (SELECT coalesce(sum(taken.debit_nanos), 0) FROM order_refunds AS taken
               WHERE taken.order_id = orders.id AND taken.state IN ('done', 'debited')) AS debit_nanos
        FROM orders
       WHERE state = 'lost' AND changed_at_ms >= $at_ms AND changed_at_ms < $until_ms AND (changed_at_ms, 2, id) > ($at_ms, $rank, $id)
         AND is_live = 1
       ORDER BY changed_at_ms, id LIMIT $row_limit) AS disputes
  ) AS records ORDER BY at_ms, rank, id LIMIT $row_limit`

const queries = perConnection({
  ofIds: (orm) =>
    orm
      .select({ order: orders, account: accounts.name })
      .from(orders)
      .innerJoin(accounts, eq(accounts.id, orders.account_id))
      .where(isOneOf(orders.id, 'ids')),
})
