// Texts on orders and refunds: states, their meaning for the payer and the staff, and sources of changes.
import type { AnswerOf, api } from '../../console/web/app/client.ts'
import type { Tone } from '../../console/web/parts/status.tsx'
import type { OrderRow } from '../list.ts'

export type Order = AnswerOf<ReturnType<typeof api.orders>['get']>

export const STATES: Readonly<Record<OrderRow['state'], { tone: Tone; word: string }>> = {
  open: { tone: 'busy', word: 'Waiting for payment' },
  paid: { tone: 'good', word: 'Paid' },
  partly_refunded: { tone: 'idle', word: 'Partly refunded' },
  refunded: { tone: 'idle', word: 'Refunded' },
  refund_failed: { tone: 'bad', word: 'Refund failed' },
  disputed: { tone: 'warn', word: 'Disputed' },
  won: { tone: 'good', word: 'Dispute won' },
  lost: { tone: 'bad', word: 'Dispute lost' },
  expired: { tone: 'idle', word: 'Expired' },
  cancelled: { tone: 'idle', word: 'Cancelled' },
}

export const PENDING = { tone: 'busy', word: 'Waiting for the bank' } as const

export const REFUND_STATES: Readonly<
  Record<Order['refunds'][number]['state'], { tone: Tone; word: string }>
> = {
  begun: { tone: 'busy', word: 'Started' },
  debited: { tone: 'busy', word: 'On its way' },
  done: { tone: 'good', word: 'Refunded' },
  failed: { tone: 'bad', word: 'Failed' },
  cancelled: { tone: 'idle', word: 'Cancelled' },
}

const SOURCES: Readonly<Record<string, string>> = {
  webhook: 'reported by the payment method',
  poll: 'found by asking the payment method',
  page: 'found when the page was open',
  command: 'by a command',
  operator: 'by an operator',
  system: 'by the gateway',
}

export const sourceWords = (source: string | undefined): string | undefined =>
  source === undefined ? undefined : (SOURCES[source] ?? source)

export const amountOf = ({ amount, currency }: Pick<OrderRow, 'amount' | 'currency'>): string =>
  `${amount} ${currency}`

/** Explains an order's state to the staff, if the name of the state does not suffice. */
export const staffSentence = ({ state, account }: Order): string | undefined =>
  state === 'lost'
    ? `The bank took the payment back, so its credit was taken from ${account}’s balance. If the balance lacked a part of it, that part is debt, and the account is suspended.`
    : undefined

/** Explains the state of a plan's order, unless it is refunded or disputed. */
function planSentence(order: Order): string | undefined {
  const { plan, state } = order
  if (plan === null) return undefined
  if (order.is_pending)
    return `Waiting for your bank. ${plan.title} begins once the money arrives, which can take a few days.`
  if (state === 'open')
    return order.kind === 'automatic'
      ? `Your saved card is being charged for ${plan.title}.`
      : order.instructions === null
        ? `Pay ${amountOf(order)}, and ${plan.title} begins.`
        : `Send ${amountOf(order)} as below. ${plan.title} begins once the money has arrived.`
  if (state !== 'paid' && state !== 'won') return undefined
  return plan.has_started
    ? `Paid. The month of ${plan.title} has started.`
    : `Paid, but too late to start ${plan.title}. ${order.credit_usd} USD was added to your balance.`
}

export function stateSentence(order: Order): string {
  const paid = amountOf(order)
  const credit = `${order.credit_usd} USD`
  const plan = planSentence(order)
  if (plan !== undefined) return plan
  if (order.is_pending)
    return `Waiting for your bank. ${credit} is added to your balance once the money arrives, which can take a few days.`
  switch (order.state) {
    case 'open':
      return order.instructions === null
        ? `Pay ${paid}, and ${credit} is added to your balance.`
        : `Send ${paid} as below. ${credit} is added to your balance once the money has arrived.`
    case 'paid':
    case 'won':
      return `Paid. ${credit} was added to your balance${order.welcome_nanos > 0 ? `, plus ${order.welcome_usd} USD welcome credit` : ''}.`
    case 'partly_refunded':
      return `${order.refunded} ${order.currency} of ${paid} was refunded.`
    case 'refunded':
      return `${paid} was refunded.`
    case 'refund_failed':
      return 'The payment method could not give the money back. It is on your balance again. Ask the operator of this gateway.'
    case 'disputed':
      return 'The payment is disputed at your bank. If the bank takes the money back, the credit is taken from your balance.'
    case 'lost':
      return 'Your bank took the payment back, so its credit was taken from your balance.'
    case 'expired':
      return 'This order expired without a payment. You were not charged.'
    case 'cancelled':
      return 'This order was cancelled. You were not charged.'
  }
}
