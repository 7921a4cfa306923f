// The table of routes' health as Drizzle sees it.
import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** How tries at routes went, by five minutes and by hour. Written behind the calls (money/ledger/route-sums.ts), and kept for a day. */
export const route_sums = sqliteTable(
  'route_sums',
  {
    /** The length of the period: five minutes or an hour. */
    span_s: integer().notNull(),
    /** The begin of the period, in seconds since 1970: a multiple of the span. */
    start_s: integer().notNull(),
    model: text().notNull(),
    /** Empty for a call that failed before a route was tried. */
    provider: text().notNull(),
    upstream_model: text().notNull(),
    /** `answered`, or what kind of failure it was. */
    result: text().notNull(),
    tries: integer().notNull(),
    /** Of these, the last tries of their calls. */
    calls: integer().notNull(),
    /** How long they took to their first byte, in all. */
    first_byte_ms: integer().notNull(),
  },
  ({ span_s, start_s, model, provider, upstream_model, result }) => [
    primaryKey({ columns: [span_s, model, provider, upstream_model, result, start_s] }),
  ],
)
