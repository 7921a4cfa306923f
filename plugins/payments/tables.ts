// The tables of payments as Drizzle sees them, with their personal data: orders and their refunds.
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import {
  accountTable,
  columns,
  EXPORTED,
  NOT_EXPORTED,
  type StoredTable,
} from '../../src/store/stored-table.ts'
import { automatic_tables } from './automatic/tables.ts'
import { customer_tables } from './stripe/tables.ts'

/** `refund_failed`: the provider refused a refund, whose money is back on the balance. `won` and `lost`: how a dispute ended. */
export const ORDER_STATES = [
  'open',
  'paid',
  'partly_refunded',
  'refunded',
  'refund_failed',
  'disputed',
  'won',
  'lost',
  'expired',
  'cancelled',
] as const
export type OrderState = (typeof ORDER_STATES)[number]

/** The purpose of an order: a top-up that somebody requested, a charge of the saved card by the gateway itself (also for a plan), or the price of a plan. */
export const ORDER_KINDS = ['top_up', 'automatic', 'plan'] as const
export type OrderKind = (typeof ORDER_KINDS)[number]

/** An order is one attempt to pay: bound to its payment method, currency and amount from the beginning. */
export const orders = sqliteTable('orders', {
  id: integer().primaryKey(),
  account_id: integer().notNull(),
  /** The person who made it. Null: the gateway itself, a command, or an erased person. */
  person_id: integer(),
  kind: text({ enum: ORDER_KINDS }).notNull(),
  /** The name of its payment method. */
  provider: text().notNull(),
  /** The provider's own number of it; null until the provider has given one. */
  reference: text(),
  currency: text().notNull(),
  /** In the smallest unit of the currency, as all `_minor`. */
  amount_minor: integer().notNull(),
  /** Nano-dollars of credit for one unit of the currency, as the payer was told. */
  rate_nanos: integer().notNull(),
  /** The credit of the payment, without the bonus. */
  credit_nanos: integer().notNull(),
  bonus_nanos: integer().notNull(),
  state: text({ enum: ORDER_STATES }).notNull(),
  created_at_ms: integer().notNull(),
  changed_at_ms: integer().notNull(),
  /** No payment is begun after it. One that comes all the same is credited. */
  expires_at_ms: integer().notNull(),
  paid_at_ms: integer(),
  /** When the provider is asked next what has become of it; null: when a webhook names it. */
  next_look_at_ms: integer(),
  looks: integer().notNull(),
  /** Since when the provider does not answer. */
  unanswered_since_ms: integer(),
  /** Why somebody has to look at it: a sentence. */
  trouble: text(),
  payment_reference: text(),
  fee_minor: integer(),
  tax_minor: integer(),
  tax_country: text(),
  receipt_url: text(),
  /** The sum of the provider's refunds. */
  refunded_minor: integer().notNull(),
  /** 0: no money moves, as in Stripe's test mode. */
  is_live: integer().notNull(),
  /** Asked for again under it, it is the same order. */
  request_key: text(),
  /** Since when the provider says that the money is on its way, as by a bank debit. */
  pending_since_ms: integer(),
  /** The month of a plan that it pays for. */
  plan_period_id: integer(),
})

export const REFUND_STATES = ['begun', 'debited', 'done', 'failed', 'cancelled'] as const

/** A refund: the money leaves the balance first (`debited`), then the provider is asked, under the number of this row. */
export const order_refunds = sqliteTable('order_refunds', {
  id: integer().primaryKey(),
  order_id: integer().notNull(),
  account_id: integer().notNull(),
  amount_minor: integer().notNull(),
  debit_nanos: integer().notNull(),
  /** 1: what the balance lacks becomes debt. */
  into_debt: integer().notNull(),
  /** The operator's words. */
  reason: text().notNull(),
  state: text({ enum: REFUND_STATES }).notNull(),
  reference: text(),
  created_at_ms: integer().notNull(),
  changed_at_ms: integer().notNull(),
  next_look_at_ms: integer(),
})

export const tables: readonly StoredTable[] = [
  accountTable(orders, {
    erases: 'columns',
    described: 'its orders: what was paid, when, and what it gave',
    columns: {
      ...columns(
        'id account_id kind provider reference currency amount_minor rate_nanos credit_nanos',
        EXPORTED,
      ),
      ...columns('bonus_nanos state created_at_ms changed_at_ms expires_at_ms paid_at_ms', EXPORTED),
      ...columns('payment_reference tax_minor tax_country refunded_minor is_live plan_period_id', EXPORTED),
      receipt_url: { exported: 'as_is', erased: 'NULL' },
      person_id: { exported: 'as_is', erased: 'NULL' },
      request_key: { exported: 'as_is', erased: 'NULL' },
      // The schedule of looks at the provider, and the fee that the operator pays.
      ...columns(
        'next_look_at_ms looks unanswered_since_ms trouble fee_minor pending_since_ms',
        NOT_EXPORTED,
      ),
    },
  }),
  accountTable(order_refunds, {
    erases: 'columns',
    described: 'refunds of its orders',
    columns: {
      ...columns('id order_id account_id amount_minor debit_nanos into_debt state reference', EXPORTED),
      ...columns('created_at_ms changed_at_ms', EXPORTED),
      reason: { exported: 'as_is', erased: "''" },
      next_look_at_ms: NOT_EXPORTED,
    },
  }),
  ...customer_tables,
  ...automatic_tables,
]

export type Order = typeof orders.$inferSelect
export type OrderRefund = typeof order_refunds.$inferSelect
