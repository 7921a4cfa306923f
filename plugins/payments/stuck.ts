// Stuck orders, which need the operator's attention: the condition, the problem and the advice.
import { sql } from 'drizzle-orm'
import { placeholder } from '../../src/store/placeholders.ts'
import { isLateCharge } from './automatic/charging.ts'
import { type Order, orders } from './tables.ts'

/** The same delay as for the alert of a silent payment method. */
const UNANSWERED_MS = 10 * 60_000

/** SQL condition of stuck orders, with a parameter `now_ms`. */
export const STUCK = sql`(${orders.trouble} IS NOT NULL OR ${orders.state} IN ('disputed', 'refund_failed')
  OR ${orders.unanswered_since_ms} <= CAST(${placeholder('now_ms')} AS bigint) - ${sql.raw(String(UNANSWERED_MS))})`

export interface Attention {
  /** The problem: a sentence. */
  why: string
  /** The fix: a sentence or two. */
  advice: string
}

type CheckedOrder = Pick<
  Order,
  'id' | 'state' | 'trouble' | 'unanswered_since_ms' | 'kind' | 'reference' | 'expires_at_ms'
>

/** @returns undefined for an order that is not stuck; same condition as `STUCK` */
export function attentionOf(order: CheckedOrder, now_ms: number): Attention | undefined {
  const { id, state, trouble, unanswered_since_ms } = order
  if (trouble !== null)
    return {
      why: trouble,
      advice: 'Compare the order with the payment at its payment method, and correct one of them.',
    }
  if (state === 'disputed')
    return {
      why: 'The payer has disputed the payment at their bank.',
      advice:
        'Find the payment at the payment method by its payment reference, and answer the dispute before the deadline. If it is lost, the credit is taken from the balance, and an account that owes then is suspended.',
    }
  if (state === 'refund_failed')
    return {
      why: 'The payment method could not give the money back. It is on the balance again.',
      advice: `Refund it again, or send the money another way and debit the account, with "order ${id}" as the reason.`,
    }
  if (unanswered_since_ms !== null && unanswered_since_ms <= now_ms - UNANSWERED_MS)
    return {
      why: 'Its payment method does not answer.',
      advice: `Check the credentials in [payments], and the status page of the payment method. The gateway retries by itself.${
        isLateCharge(order, now_ms)
          ? ' No card is charged for this order any more. If the payment method stays away, make sure that it has no payment of it, and cancel it.'
          : ''
      }`,
    }
  return undefined
}
