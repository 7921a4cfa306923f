// Drizzle tables of orders and their refunds, with the rules for their personal data.
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

/** `refund_failed`: the provider refused a refund, and its amount is back on the balance. `won` and `lost`: the result of a dispute. */
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

/** The purpose of an order: a top-up by a person, a charge of the saved card by the gateway (also for a plan), or a plan bought by a person. */
export const ORDER_KINDS = ['top_up', 'automatic', 'plan'] as const
export type OrderKind = (typeof ORDER_KINDS)[number]

/** Orders. An order is one attempt to pay; its payment method, currency and amount never change. */
export const orders = sqliteTable('orders', {
  id: integer().primaryKey(),
  account_id: integer().notNull(),
  /** The person who created the order. Null: the gateway, a command, or an erased person. */
  person_id: integer(),
  kind: text({ enum: ORDER_KINDS }).notNull(),
  /** Name of the payment method. */
  provider: text().notNull(),
  /** The provider's ID of the payment; null until the provider has assigned one. */
  reference: text(),
  currency: text().notNull(),
  /** In the smallest unit of the currency, like all `_minor` fields. */
  amount_minor: integer().notNull(),
  /** Nano-dollars of credit for one unit of the currency, as the payer saw it before paying. */
  rate_nanos: integer().notNull(),
  /** The credit of the payment, without the bonus. */
  credit_nanos: integer().notNull(),
  bonus_nanos: integer().notNull(),
  state: text({ enum: ORDER_STATES }).notNull(),
  created_at_ms: integer().notNull(),
  changed_at_ms: integer().notNull(),
  /** No payment starts after this time. A payment that arrives later is credited all the same. */
  expires_at_ms: integer().notNull(),
  paid_at_ms: integer(),
  /** Time of the next refresh: the gateway asks the provider for the state of the payment. Null: only a webhook or a person causes one. */
  next_look_at_ms: integer(),
  looks: integer().notNull(),
  /** Time of the first of the consecutive refreshes that the provider did not answer. */
  unanswered_since_ms: integer(),
  /** The problem that the operator has to solve, as a sentence. */
  trouble: text(),
  payment_reference: text(),
  fee_minor: integer(),
  tax_minor: integer(),
  tax_country: text(),
  receipt_url: text(),
  /** Sum of the refunds that are done. */
  refunded_minor: integer().notNull(),
  /** 0: no real money, as in Stripe's test mode. */
  is_live: integer().notNull(),
  /** Idempotency key: a repeated request with this key returns the first order. */
  request_key: text(),
  /** Time since which the provider reports the payment as pending, as for a bank debit. */
  pending_since_ms: integer(),
  /** The plan month that the order pays for. */
  plan_period_id: integer(),
})

export const REFUND_STATES = ['begun', 'debited', 'done', 'failed', 'cancelled'] as const

/** Refunds. The gateway debits the balance first (`debited`), then requests the refund from the provider with a key made of the row's ID and time. */
export const order_refunds = sqliteTable('order_refunds', {
  id: integer().primaryKey(),
  order_id: integer().notNull(),
  account_id: integer().notNull(),
  amount_minor: integer().notNull(),
  debit_nanos: integer().notNull(),
  /** 1: an amount above the balance becomes debt. */
  into_debt: integer().notNull(),
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
      // The schedule of refreshes, and the operator's fee.
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
