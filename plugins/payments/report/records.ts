// Accounting records: payments, refunds and lost disputes, with tax and fees. Without test payments.
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

/** A money movement between a payer and the operator. Refunds and lost disputes are negative. */
export interface MoneyRecord {
  type: 'payment' | 'refund' | 'lost_dispute'
  at_ms: number
  /** Receipt number: the order ID, with a suffix for a refund or a lost dispute. */
  receipt: string
  order: Order
  account: string
  amount_minor: number
  /** The tax in the amount, in proportion for a part of a payment. */
  tax_minor: number
  /** Fee of the payment method; null: not reported. 0 for refunds and disputes. */
  fee_minor: number | null
  /** The change of the balance. */
  credit_nanos: Nanos
}

/** The net amount of a record: without tax, and without the fee where it is known. */
export const netOf = ({ amount_minor, tax_minor, fee_minor }: MoneyRecord): number =>
  amount_minor - tax_minor - (fee_minor ?? 0)

/** About 5 ms per batch. */
const BATCH_RECORDS = 250

interface Cursor {
  at_ms: number
  rank: number
  id: number
}

interface RecordRow extends Cursor {
  order_id: number
  /** Amount of a refund; otherwise unused. */
  amount_minor: number
  /** Sum of the order's earlier refunds. */
  before_minor: number
  /** Debit of a refund; for a lost dispute, the sum of the debits of earlier refunds. */
  debit_nanos: Nanos
}

/** Yields the records of a period in batches, oldest first. */
export async function* recordsOf(db: Db, { since_ms, until_ms }: Period): AsyncGenerator<MoneyRecord[]> {
  for (let cursor: Cursor = { at_ms: since_ms, rank: -1, id: 0 }; ; ) {
    const rows = await db.rows<RecordRow>(RECORDS, { ...cursor, until_ms, row_limit: BATCH_RECORDS })
    const ids = JSON.stringify([...new Set(rows.map(({ order_id }) => order_id))])
    const found = new Map((await queries(db).ofIds.all({ ids })).map((row) => [row.order.id, row]))
    yield rows.flatMap((row) => {
      const of = found.get(row.order_id)
      return of ? recordOf(row, of.order, of.account) : []
    })
    const last = rows.at(-1)
    if (!last || rows.length < BATCH_RECORDS) return
    cursor = { at_ms: last.at_ms, rank: last.rank, id: last.id }
    await endOfTurn()
  }
}

function recordOf(
  { at_ms, rank, id, amount_minor, before_minor, debit_nanos }: RecordRow,
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
    // A lost dispute debited the rest after refunds.
    credit_nanos: -(rank === 1 ? debit_nanos : Math.max(0, credit_nanos + bonus_nanos - debit_nanos)),
  }
}

/** Returns the tax in a part of a payment. The taxes of all parts add up to the whole tax. */
function taxIn(
  { tax_minor, amount_minor: paid_minor }: Order,
  before_minor: number,
  part_minor: number,
): number {
  const upTo = (minor: number) => shareOf(tax_minor ?? 0, minor, paid_minor)
  return upTo(before_minor + part_minor) - upTo(before_minor)
}

/** Raw SQL, because Drizzle cannot limit each part of a union. Each part has an index on its time. */
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
