// The search for calls by the beginning of their request id.
import type { Database } from 'bun:sqlite'
import { and, desc, eq, gte, lt, or, sql } from 'drizzle-orm'
import { perConnection } from '../db/prepared.ts'
import { calls } from '../db/schema.ts'

const { placeholder } = sql

const queries = perConnection({
  beginning: (orm) =>
    orm
      .select({ request_id: calls.request_id, model: calls.model, started_at_ms: calls.started_at_ms })
      .from(calls)
      .where(
        and(
          gte(calls.request_id, placeholder('from')),
          lt(calls.request_id, placeholder('until')),
          or(sql`${placeholder('account_id')} IS NULL`, eq(calls.account_id, placeholder('account_id'))),
        ),
      )
      .orderBy(desc(calls.request_id))
      .limit(placeholder('row_limit'))
      .prepare(),
})

/** Shorter beginnings are those of many calls. */
export const MIN_REQUEST_ID_CHARS = 12

/**
 * Calls whose request id begins so, the newest first; none for a beginning that is too short.
 *
 * @param account_id whose they must be; undefined: anybody's
 */
export function callsBeginningWith(
  db: Database,
  text: string,
  account_id: number | undefined,
  row_limit: number,
) {
  if (text.length < MIN_REQUEST_ID_CHARS) return []
  return queries(db).beginning.all({
    from: text,
    until: `${text}~`,
    account_id: account_id ?? null,
    row_limit,
  })
}
