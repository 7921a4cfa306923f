// The search for calls by the beginning of their request id.
import { and, between, desc, gte, lt, sql } from 'drizzle-orm'
import { startedWith } from '../../src/money/ledger/started-calls.ts'
import type { Db } from '../../src/store/db.ts'
import { equalsUnlessNull } from '../../src/store/placeholders.ts'
import { perConnection } from '../../src/store/prepared.ts'
import { calls } from '../../src/store/schema.ts'

const { placeholder } = sql

const queries = perConnection({
  beginning: (orm) =>
    orm
      .select({ request_id: calls.request_id, model: calls.model, started_at_ms: calls.started_at_ms })
      .from(calls)
      .where(
        and(
          between(calls.id, placeholder('first_id'), placeholder('last_id')),
          gte(calls.request_id, placeholder('from')),
          lt(calls.request_id, placeholder('until')),
          equalsUnlessNull(calls.account_id, 'account_id'),
          equalsUnlessNull(calls.key_id, 'key_id'),
        ),
      )
      .orderBy(desc(calls.id))
      .limit(placeholder('row_limit'))
      .prepare(),
})

/**
 * Calls whose request id begins so, the newest first; none for a beginning too short to tell its time.
 *
 * @param owner the account and key of the calls; undefined: any
 */
export async function callsBeginningWith(
  db: Db,
  text: string,
  { account_id, key_id }: { account_id?: number | undefined; key_id?: number | undefined },
  row_limit: number,
) {
  const range = await startedWith(db, text)
  if (!range) return []
  return await queries(db).beginning.all({
    ...range,
    from: text,
    until: `${text}~`,
    account_id: account_id ?? null,
    key_id: key_id ?? null,
    row_limit,
  })
}
