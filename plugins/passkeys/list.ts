// All passkeys as a list, for the command line.
import { asc, eq, gt } from 'drizzle-orm'
import {
  accountOrStaff,
  integer,
  nullableText,
  nullableTime,
  text,
  time,
} from '../../src/app/list/columns.ts'
import { defineList, UNFILTERED } from '../../src/app/list/list.ts'
import { laterPageValues, pageOf } from '../../src/store/page.ts'
import { placeholder } from '../../src/store/placeholders.ts'
import { perConnection } from '../../src/store/prepared.ts'
import { accounts, type PasskeyRow, passkeys, people } from '../../src/store/schema.ts'

/** A passkey with its person and that person's account. */
interface ListedPasskey extends PasskeyRow {
  person: string
  email: string | null
  /** Null: a person of the staff. */
  account: string | null
}

const queries = perConnection({
  all: (orm) =>
    orm
      .select({ passkey: passkeys, person: people.name, email: people.email, account: accounts.name })
      .from(passkeys)
      .innerJoin(people, eq(people.id, passkeys.person_id))
      .leftJoin(accounts, eq(accounts.id, people.account_id))
      .where(gt(passkeys.id, placeholder('after_id')))
      .orderBy(asc(passkeys.id))
      .limit(placeholder('row_limit')),
})

export const passkey_list = defineList<ListedPasskey>()({
  name: 'passkeys',
  field: 'passkeys',
  ...UNFILTERED,
  max_rows: 1_000,
  columns: {
    id: integer(({ id }) => id, { table: { head: 'ID', right: true } }),
    person: text(({ person }) => person, { table: { head: 'PERSON' } }),
    email: nullableText(({ email }) => email, { table: { head: 'EMAIL', elastic: true } }),
    account: accountOrStaff,
    name: text(({ name }) => name, { table: { head: 'PASSKEY' } }),
    created: time(({ created_at_ms }) => created_at_ms, { table: { head: 'ADDED' } }),
    last_used: nullableTime(({ last_used_at_ms }) => last_used_at_ms),
  },
  async read(db, _filter, page) {
    const found = await queries(db).all.all(laterPageValues(page))
    return pageOf(
      found.map(({ passkey, ...of }) => ({ ...passkey, ...of })),
      page,
    )
  },
})
