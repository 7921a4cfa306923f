// Calls, their prices and sums: their tables for Drizzle, and their personal data.
import { sql } from 'drizzle-orm'
import { blob, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { OUTCOMES } from '../../domain/outcomes.ts'
import {
  accountTable,
  type ColumnRule,
  columns,
  EXPORTED,
  EXPORTED_JSON,
  NOT_EXPORTED,
  type StoredTable,
  unownedTable,
} from '../stored-table.ts'

/** The usage of a call: tokens as in `Usage`, and images. */
const usageColumns = () => ({
  input_tokens: integer().notNull(),
  input_audio_tokens: integer().notNull(),
  cache_read_tokens: integer().notNull(),
  cache_write_5m_tokens: integer().notNull(),
  cache_write_1h_tokens: integer().notNull(),
  output_tokens: integer().notNull(),
  thinking_tokens: integer().notNull(),
  output_image_tokens: integer().notNull(),
  images: integer().notNull(),
})

/** The charged prices, each stored once; append-only (triggers refuse update and delete). */
export const prices = sqliteTable('prices', {
  id: integer().primaryKey(),
  sha256: blob({ mode: 'buffer' }).notNull().unique(),
  json: text().notNull(),
})

/** One row for each resolved call: account, key, model, usage, cost and applied price. Its id is the id of its hold. */
export const calls = sqliteTable('calls', {
  id: integer().primaryKey(),
  request_id: text().notNull(),
  account_id: integer().notNull(),
  key_id: integer().notNull(),
  surface: text().notNull(),
  model: text().notNull(),
  /** Empty if no route was reached. */
  provider: text().notNull(),
  upstream_model: text().notNull(),
  outcome: text({ enum: OUTCOMES }).notNull(),
  /** The HTTP status sent to the caller. */
  status: integer().notNull(),
  streamed: integer().notNull(),
  /** 1 if the usage is the gateway's estimate, because the upstream reported none. */
  estimated: integer().notNull(),
  ...usageColumns(),
  hold_nanos: integer().notNull(),
  cost_nanos: integer().notNull(),
  /** The part of the cost that the balance did not cover, and that became debt. */
  unpaid_nanos: integer().notNull(),
  /** The applied price as JSON, if an older version recorded the call and it was not rewritten yet; otherwise empty. */
  price: text().notNull(),
  started_at_ms: integer().notNull(),
  first_byte_ms: integer(),
  duration_ms: integer().notNull(),
  /** 1 if the ledger's writer adds the call to the sums, together with others of its batch; 0 if the trigger does. */
  summed: integer().notNull(),
  /** The number of failed tries at routes, including an interrupted answer. */
  failed_tries: integer().notNull(),
  /** Everything that the other columns lack, as JSON: `CallTrace` (money/ledger/traces.ts); empty if it was not kept. */
  trace: text().notNull(),
  /** The providers' price for the call, including failed tries; null if unknown. Accounts do not see it. */
  provider_cost_nanos: integer(),
  /** The applied price; null if nothing was charged, or `price` contains it. */
  price_id: integer(),
  /** Counts of this call besides its usage, as JSON that completes the price; empty without any. */
  counted: text().notNull(),
  /** The cost that the provider reported; null without an accepted report. */
  reported_cost_nanos: integer(),
  /** The cost by the route's prices, if the provider reports its own; null if the route has none. */
  computed_cost_nanos: integer(),
  /** The part of `cost_nanos` that was refunded: the sum of its refund entries. */
  refunded_nanos: integer().notNull(),
  /**
   * The costs on routes other than its own, of failed tries or of a part of the images, included in `provider_cost_nanos`; as JSON:
   * `[["provider", "their model", nano-dollars], …]`; null without any.
   */
  costs_elsewhere: text(),
  /** The cost of a call that a plan covers: it counts against the plan, and `cost_nanos` is 0. */
  covered_nanos: integer().notNull(),
  /** Null: the balance paid. */
  plan_period_id: integer(),
})

/** The progress of rewriting calls in a smaller form, in the order of their ids (money/ledger/rewriting.ts). */
export const call_rewrites = sqliteTable('call_rewrites', {
  id: integer().primaryKey(),
  name: text({ enum: ['prices', 'traces'] })
    .notNull()
    .unique(),
  /** Calls up to this id are done. */
  done_id: integer().notNull(),
  /** The last call to check; null: all later ones, too. */
  last_id: integer(),
})

/**
 * Sums of calls, by day and by quarter of an hour, in the order of their times, so that a batch changes neighbouring rows. Triggers maintain
 * them in the transaction that records the call. No code writes here, except by inserting into the view `calls_to_sum`.
 */
export const call_sums = sqliteTable(
  'call_sums',
  {
    account_id: integer().notNull(),
    /** The length of the period: a day or a quarter of an hour. */
    span_s: integer().notNull(),
    /** The start of the period, in seconds since 1970: a multiple of the span. */
    start_s: integer().notNull(),
    key_id: integer().notNull(),
    model: text().notNull(),
    outcome: text({ enum: OUTCOMES }).notNull(),
    /** The route of the calls; both empty if none was reached. */
    provider: text().notNull(),
    upstream_model: text().notNull(),
    /** 0 if the route only has a part of the cost of other routes' calls. */
    calls: integer().notNull(),
    ...usageColumns(),
    /** Charges less refunds, like `known_revenue_nanos`. */
    cost_nanos: integer().notNull(),
    unpaid_nanos: integer().notNull(),
    /** The lowest and highest id of the calls. */
    first_call_id: integer().notNull(),
    last_call_id: integer().notNull(),
    /** The providers' price for the calls whose cost is known. */
    provider_cost_nanos: integer().notNull(),
    /** The charges for these calls: the margin is this less `provider_cost_nanos`. */
    known_revenue_nanos: integer().notNull(),
    /** Answered calls whose provider cost is unknown. */
    uncosted_calls: integer().notNull(),
    /** Calls that plans cover: their charge is 0. */
    covered_calls: integer().notNull(),
    /** At the account's price. */
    covered_nanos: integer().notNull(),
    /** The covered calls' part of `provider_cost_nanos`. */
    covered_cost_nanos: integer().notNull(),
  },
  ({ account_id, span_s, start_s, key_id, model, outcome, provider, upstream_model }) => [
    primaryKey({ columns: [span_s, start_s, account_id, key_id, model, outcome, provider, upstream_model] }),
  ],
)

/**
 * Matches the sums of days, with the condition of the index that finds those of an account. With `span_s = 86400` SQLite would read the
 * sums of all accounts, which are in the order of their times.
 */
export const isDayOfAccount = sql`${call_sums.span_s} <> 900`

const usage = (rule: ColumnRule) => ({
  ...columns('input_tokens input_audio_tokens cache_read_tokens cache_write_5m_tokens', rule),
  ...columns('cache_write_1h_tokens output_tokens thinking_tokens output_image_tokens images', rule),
})

export const call_tables: readonly StoredTable[] = [
  unownedTable(prices),
  accountTable(calls, {
    erases: 'columns',
    described: 'its calls: model, usage, cost, price, and their traces',
    columns: {
      ...columns('id request_id account_id key_id surface model provider upstream_model', EXPORTED),
      ...columns('outcome status streamed estimated', EXPORTED),
      ...usage(EXPORTED),
      ...columns('hold_nanos cost_nanos unpaid_nanos refunded_nanos covered_nanos plan_period_id', EXPORTED),
      ...columns('started_at_ms first_byte_ms duration_ms', EXPORTED),
      failed_tries: EXPORTED,
      price: {
        exported: 'json',
        read: "coalesce(nullif(price, ''), (SELECT json FROM prices WHERE prices.id = price_id), '')",
      },
      counted: EXPORTED_JSON,
      // A trace quotes the request if a provider refused it.
      trace: { exported: 'json', erased: "''" },
      // Bookkeeping, and the operator's own costs.
      ...columns('price_id summed provider_cost_nanos reported_cost_nanos computed_cost_nanos', NOT_EXPORTED),
      costs_elsewhere: NOT_EXPORTED,
    },
  }),
  unownedTable(call_rewrites),
  // The sums follow from the calls.
  accountTable(call_sums, {
    erases: 'columns',
    columns: {
      ...columns(
        'account_id span_s start_s key_id model outcome provider upstream_model calls',
        NOT_EXPORTED,
      ),
      ...usage(NOT_EXPORTED),
      ...columns('cost_nanos unpaid_nanos first_call_id last_call_id', NOT_EXPORTED),
      ...columns('provider_cost_nanos known_revenue_nanos uncosted_calls', NOT_EXPORTED),
      ...columns('covered_calls covered_nanos covered_cost_nanos', NOT_EXPORTED),
    },
  }),
]

export type Call = typeof calls.$inferSelect
