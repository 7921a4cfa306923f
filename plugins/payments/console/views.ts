// Schemas of orders, payment methods and offers in the console API.
import { Type } from '@sinclair/typebox'
import { consoleFields } from '../../../src/app/list/pages.ts'
import { AccountRef } from '../../../src/app/surface/console/fields.ts'
import { MAX_NOTE_CHARS } from '../../../src/domain/notes.ts'
import { WholeNumber } from '../../../src/http/parameters.ts'
import { Closed, Nullable, OneOf } from '../../../src/http/schema.ts'
import { MoneyFields, NullableTimeFields, TimeFields } from '../../../src/http/views.ts'
import { CHANGE_SOURCES } from '../../../src/store/state-changes.ts'
import { order_list } from '../list.ts'
import { methodName } from '../settings.ts'
import { ORDER_STATES, REFUND_STATES } from '../tables.ts'

export const OrderParams = Type.Object({ id: WholeNumber({ minimum: 1 }, 'the number of an order') })

export const Currency = Type.String({
  pattern: '^[A-Z]{3}$',
  must: 'the ISO 4217 code of a currency, such as EUR',
})
/** As a person typed it; parsed with the decimals of its currency. */
export const Amount = Type.String({ maxLength: 20, must: 'an amount as text, such as "25" or "25.50"' })

export const OfferQuery = Closed({
  account: Type.Optional(AccountRef),
  method: methodName,
  currency: Currency,
  amount: Amount,
})

export const OrderBody = OfferQuery

export const RefundBody = Closed({
  /** Default: the whole rest. */
  amount: Type.Optional(Amount),
  into_debt: Type.Optional(
    Type.Boolean({
      description: 'a missing balance becomes debt; otherwise the refund is refused',
    }),
  ),
  reason: Type.String({
    maxLength: MAX_NOTE_CHARS,
    must: `a reason of at most ${MAX_NOTE_CHARS} characters`,
  }),
  end_plan: Type.Optional(
    Type.Boolean({ description: 'ends the plan that the order paid for; its price then pays the refund' }),
  ),
  /** The rest of the payment that the page showed: a second click conflicts instead of refunding twice. */
  left: Type.Optional(Amount),
})

export const MarkBody = Closed({
  amount: Amount,
  currency: Currency,
  reference: Type.String({ maxLength: 200, must: 'the bank’s number of the transfer' }),
})

const Decimal = (description: string) => Type.String({ description })

export const MethodsView = Closed({
  methods: Type.Array(
    Closed({
      name: Type.String(),
      title: Type.String(),
      is_test: Type.Boolean({ description: 'no money moves' }),
      charges_cards: Type.Boolean({ description: 'whether it charges saved cards, as for automatic top-up' }),
      currencies: Type.Array(
        Closed({
          currency: Type.String(),
          min: Decimal('minimum amount of one payment'),
          max: Decimal('maximum amount'),
          rate_usd: Decimal('USD of credit for one unit of the currency'),
        }),
      ),
    }),
  ),
  presets: Type.Array(Decimal('a proposed amount')),
  bonuses: Type.Array(
    Closed({ ...MoneyFields('from', 'Minimum credit for the bonus'), percent: Type.Number() }),
    { description: 'smallest first' },
  ),
})

export const OfferView = Closed({
  currency: Type.String(),
  amount: Decimal('amount of the payment'),
  rate_usd: Decimal('USD of credit for one unit of the currency'),
  ...MoneyFields('credit', 'Credit to the balance, with the bonus'),
  ...MoneyFields('bonus', 'The bonus in it'),
  ...MoneyFields('welcome', 'Additional welcome credit for the first payment'),
})

const ChangeView = Closed({
  ...TimeFields('changed'),
  subject: OneOf(['order', 'refund']),
  refund_id: Nullable(Type.Integer()),
  from: OneOf([...ORDER_STATES, ...REFUND_STATES]),
  to: OneOf([...ORDER_STATES, ...REFUND_STATES]),
  source: Type.Optional(OneOf(CHANGE_SOURCES, { description: 'for the staff' })),
  detail: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), { description: 'details of the change; for the staff' }),
  ),
})

const RefundView = Closed({
  id: Type.Integer(),
  amount: Decimal('refunded amount, in the currency of the order'),
  ...MoneyFields('debit', 'Debit of the balance for the refund'),
  state: OneOf(REFUND_STATES),
  reason: Type.String(),
  entry_id: Nullable(Type.Integer()),
  ...TimeFields('created'),
})

/** Facts that the payment method reported, and the refresh schedule; only for the staff. */
const ReportView = Closed({
  payment_reference: Nullable(Type.String()),
  fee: Nullable(Decimal('fee of the payment method')),
  looks: Type.Integer({ description: 'number of refreshes' }),
  ...NullableTimeFields('next_look'),
  ...NullableTimeFields('unanswered_since'),
})

export const OrderView = Closed({
  ...consoleFields(order_list),
  method_title: Type.String(),
  can_check: Type.Boolean({
    description: 'for the staff: whether it can be refreshed',
  }),
  rate_usd: Decimal('USD of credit for one unit of the currency'),
  tax: Nullable(Decimal('the tax in the amount')),
  tax_country: Nullable(Type.String()),
  ...NullableTimeFields('pending_since'),
  entry_id: Nullable(Type.Integer({ description: 'ID of the transaction that credited it' })),
  ...MoneyFields('welcome', 'The welcome credit that came with the payment'),
  seller: Type.String({ description: '[billing] seller; empty if it is not set' }),
  buyer: Type.String({ description: 'billing details of the account, or its name' }),
  changes: Type.Array(ChangeView, { description: 'oldest first' }),
  refunds: Type.Array(RefundView, { description: 'oldest first' }),
  can_pay: Type.Boolean({ description: 'whether its payment can be started' }),
  can_cancel: Type.Boolean(),
  can_mark_paid: Type.Boolean({
    description: 'for the staff: whether it can be marked as paid, as for a bank transfer',
  }),
  plan: Nullable(
    Closed(
      {
        title: Type.String(),
        has_started: Type.Boolean({
          description: 'whether this payment started the plan; otherwise it only added balance',
        }),
        can_end: Type.Boolean({ description: 'whether a refund may end it' }),
      },
      { description: 'the plan that the order pays for' },
    ),
  ),
  can_refund: Type.Boolean({ description: 'for the staff: whether its payment method gives money back' }),
  left: Decimal('part of the payment that is neither refunded nor in a pending refund'),
  instructions: Nullable(
    Type.String({ description: 'payment instructions for an open order, such as bank details' }),
  ),
  report: Type.Optional(ReportView),
})

export const RefundQuery = Closed({
  amount: Type.Optional(Amount),
  end_plan: Type.Optional(OneOf(['yes'], { description: 'ends the plan that the order paid for' })),
})
export const RefundPreview = Closed({
  ...MoneyFields('debit', 'Debit of the balance, minus the returned price of an ended plan'),
  ...MoneyFields('lacking', 'The part above the free balance: it becomes debt, or the refund is refused'),
  ...MoneyFields('balance', 'Balance after the refund'),
  ...MoneyFields('debt', 'Debt after the refund'),
  fee: Nullable(Decimal('the fee of the payment; null: not reported')),
  ...MoneyFields(
    'gifts',
    'Credit that came with the payment, such as a welcome credit, and is debited within a minute, as debt if the balance is too low',
  ),
})

export const StartedView = Closed({
  order: OrderView,
  go_to: Nullable(Type.String({ description: 'the page to pay on; null: see the page of the order' })),
  problem: Nullable(Type.String({ description: 'reason why the payment could not be started' })),
})
