// All sessions as a list, for the command line.

import { asc, eq, gt } from 'drizzle-orm'
import { accountOrStaff, integer, nullableText, text, time } from '../../src/app/list/columns.ts'
import { defineList, UNFILTERED } from '../../src/app/list/list.ts'
import { laterPageValues, pageOf } from '../../src/store/page.ts'
import { placeholder } from '../../src/store/placeholders.ts'
import { perConnection } from '../../src/store/prepared.ts'
import { accounts, keys, people, type SessionRow, sessions } from '../../src/store/schema.ts'
import { browserName } from '../../src/utilities/browser-name.ts'

/** A session with its person or key, and its account. */
interface EverySession extends SessionRow {
  person: string | null
  key_prefix: string | null
  /** Null: a session of the staff. */
  account: string | null
}

const queries = perConnection({
  all: (orm) =>
    orm
      .select({
        session: sessions,
        person: people.name,
        key_prefix: keys.prefix,
        account: accounts.name,
      })
      .from(sessions)
      .leftJoin(people, eq(people.id, sessions.person_id))
      .leftJoin(keys, eq(keys.id, sessions.key_id))
      .leftJoin(accounts, eq(accounts.id, sessions.account_id))
      .where(gt(sessions.id, placeholder('after_id')))
      .orderBy(asc(sessions.id))
      .limit(placeholder('row_limit')),
})

export const every_session = defineList<EverySession>()({
  name: 'every-session',
  field: 'sessions',
  ...UNFILTERED,
  max_rows: 1_000,
  columns: {
    id: integer(({ id }) => id, { table: { head: 'ID', right: true } }),
    person: nullableText(({ person }) => person, { description: 'null: a key', table: { head: 'PERSON' } }),
    key: nullableText(({ key_prefix }) => key_prefix, { table: { head: 'KEY' } }),
    account: accountOrStaff,
    proof: nullableText(({ proof }) => proof, { table: { head: 'BY' } }),
    address: nullableText(({ address }) => address, { table: { head: 'ADDRESS' } }),
    browser: text(({ user_agent }) => browserName(user_agent), { table: { head: 'BROWSER', elastic: true } }),
    created: time(({ created_at_ms }) => created_at_ms),
    last_seen: time(({ last_seen_at_ms }) => last_seen_at_ms, { table: { head: 'LAST SEEN' } }),
    expires: time(({ expires_at_ms }) => expires_at_ms),
  },
  async read(db, _filter, page, { now_ms }) {
    const found = await queries(db).all.all(laterPageValues(page))
    const { rows, next_cursor } = pageOf(
      found.map(({ session, ...of }) => ({ ...session, ...of })),
      page,
    )
    return { rows: rows.filter(({ expires_at_ms }) => expires_at_ms > now_ms), next_cursor }
  },
})
