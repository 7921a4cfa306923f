// Orders, payment methods and offers in requests and answers of the console.
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
/** As it is typed; read with the digits of its currency. */
export const Amount = Type.String({ maxLength: 20, must: 'an amount as text, such as "25" or "25.50"' })

export const OfferQuery = Closed({
  account: Type.Optional(AccountRef),
  method: methodName,
  currency: Currency,
  amount: Amount,
})

export const OrderBody = OfferQuery

export const RefundBody = Closed({
  /** Absent: all that is left. */
  amount: Type.Optional(Amount),
  into_debt: Type.Optional(
    Type.Boolean({ description: 'what the free balance lacks becomes debt; otherwise it is refused' }),
  ),
  reason: Type.String({
    maxLength: MAX_NOTE_CHARS,
    must: `a reason of at most ${MAX_NOTE_CHARS} characters`,
  }),
  end_plan: Type.Optional(
    Type.Boolean({ description: 'ends the plan that it paid for, out of whose price the refund comes then' }),
  ),
  /** The rest of the payment as the page showed it: a second click refunds nothing. */
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
          min: Decimal('the least amount of one payment'),
          max: Decimal('the greatest'),
          rate_usd: Decimal('USD of credit for one unit of the currency'),
        }),
      ),
    }),
  ),
  presets: Type.Array(Decimal('a proposed amount')),
  bonuses: Type.Array(
    Closed({ ...MoneyFields('from', 'The least credit that it is for'), percent: Type.Number() }),
    { description: 'the smallest first' },
  ),
})

export const OfferView = Closed({
  currency: Type.String(),
  amount: Decimal('what is paid'),
  rate_usd: Decimal('USD of credit for one unit of the currency'),
  ...MoneyFields('credit', 'What the payment adds to the balance, with its bonus'),
  ...MoneyFields('bonus', 'The part of it that is a bonus'),
  ...MoneyFields('welcome', 'What it brings beside that, as the first payment'),
})

const ChangeView = Closed({
  ...TimeFields('changed'),
  subject: OneOf(['order', 'refund']),
  refund_id: Nullable(Type.Integer()),
  from: OneOf([...ORDER_STATES, ...REFUND_STATES]),
  to: OneOf([...ORDER_STATES, ...REFUND_STATES]),
  source: Type.Optional(OneOf(CHANGE_SOURCES, { description: 'for the staff' })),
  detail: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), { description: 'what was told of it; for the staff' }),
  ),
})

const RefundView = Closed({
  id: Type.Integer(),
  amount: Decimal('the amount that was refunded, in the currency of the order'),
  ...MoneyFields('debit', 'What was taken from the balance for it'),
  state: OneOf(REFUND_STATES),
  reason: Type.String(),
  entry_id: Nullable(Type.Integer()),
  ...TimeFields('created'),
})

/** The payment method's word on an order, and the time of the next look: for the staff. */
const ReportView = Closed({
  payment_reference: Nullable(Type.String()),
  fee: Nullable(Decimal('what the payment method keeps')),
  looks: Type.Integer({ description: 'how often it was asked' }),
  ...NullableTimeFields('next_look'),
  ...NullableTimeFields('unanswered_since'),
})

export const OrderView = Closed({
  ...consoleFields(order_list),
  method_title: Type.String(),
  can_check: Type.Boolean({ description: 'for the staff: whether its payment method can be asked' }),
  rate_usd: Decimal('USD of credit for one unit of the currency'),
  tax: Nullable(Decimal('the tax in the amount')),
  tax_country: Nullable(Type.String()),
  ...NullableTimeFields('pending_since'),
  entry_id: Nullable(Type.Integer({ description: 'the number of the transaction that credited it' })),
  ...MoneyFields('welcome', 'The welcome credit that came beside its credit'),
  seller: Type.String({ description: 'as [billing] seller has it; empty without' }),
  buyer: Type.String({ description: 'the billing details of the account, or its name' }),
  changes: Type.Array(ChangeView, { description: 'the oldest first' }),
  refunds: Type.Array(RefundView, { description: 'the oldest first' }),
  can_pay: Type.Boolean({ description: 'open, and its payment method leads somewhere to pay' }),
  can_cancel: Type.Boolean(),
  can_mark_paid: Type.Boolean({
    description: 'for the staff: whether its payment is marked by hand, as that of a bank transfer',
  }),
  plan: Nullable(
    Closed(
      {
        title: Type.String(),
        has_begun: Type.Boolean({
          description: 'whether this payment began it; otherwise a payment is balance',
        }),
        can_end: Type.Boolean({ description: 'whether a refund may end it' }),
      },
      { description: 'the plan that it pays for' },
    ),
  ),
  can_refund: Type.Boolean({ description: 'for the staff: whether its payment method gives money back' }),
  left: Decimal('what of the payment was not refunded, and is not being'),
  instructions: Nullable(
    Type.String({ description: 'what the payer does, while it is open: bank details and the like' }),
  ),
  report: Type.Optional(ReportView),
})

export const RefundQuery = Closed({
  amount: Type.Optional(Amount),
  end_plan: Type.Optional(OneOf(['yes'], { description: 'the plan that it paid for ends with it' })),
})
export const RefundPreview = Closed({
  ...MoneyFields('debit', 'What leaves the balance, without the price of a plan that ends with it'),
  ...MoneyFields('lacking', 'What of it the free balance lacks: it becomes debt, or the refund is refused'),
  ...MoneyFields('balance', 'The balance once the refund is made'),
  ...MoneyFields('debt', 'The debt then'),
  fee: Nullable(Decimal('the fee of the payment; null: not reported')),
  ...MoneyFields(
    'gifts',
    'Credit that came with the payment, such as a welcome credit, and is taken back within a minute: as debt where the balance lacks it',
  ),
})

export const StartedView = Closed({
  order: OrderView,
  go_to: Nullable(Type.String({ description: 'where it is paid; null: see its page' })),
  problem: Nullable(Type.String({ description: 'why the payment could not be started' })),
})
