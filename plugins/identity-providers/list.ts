// All identities as a list, for the command line.
import { asc, eq, gt } from 'drizzle-orm'
import { accountOrStaff, integer, nullableText, text, time } from '../../src/app/list/columns.ts'
import { defineList, UNFILTERED } from '../../src/app/list/list.ts'
import { laterPageValues, pageOf } from '../../src/store/page.ts'
import { placeholder } from '../../src/store/placeholders.ts'
import { perConnection } from '../../src/store/prepared.ts'
import { accounts, type IdentityRow, identities, people } from '../../src/store/schema.ts'

/** An identity with its person and that person's account. */
interface ListedIdentity extends IdentityRow {
  person: string
  /** Null: a person of the staff. */
  account: string | null
}

const queries = perConnection({
  all: (orm) =>
    orm
      .select({ identity: identities, person: people.name, account: accounts.name })
      .from(identities)
      .innerJoin(people, eq(people.id, identities.person_id))
      .leftJoin(accounts, eq(accounts.id, people.account_id))
      .where(gt(identities.id, placeholder('after_id')))
      .orderBy(asc(identities.id))
      .limit(placeholder('row_limit')),
})

export const identity_list = defineList<ListedIdentity>()({
  name: 'identities',
  field: 'identities',
  ...UNFILTERED,
  max_rows: 1_000,
  columns: {
    id: integer(({ id }) => id, { table: { head: 'ID', right: true } }),
    person: text(({ person }) => person, { table: { head: 'PERSON' } }),
    account: accountOrStaff,
    provider: text(({ provider }) => provider, { table: { head: 'PROVIDER' } }),
    email: nullableText(({ email }) => email, {
      description: 'as the provider reported it last',
      table: { head: 'EMAIL THERE', elastic: true },
    }),
    issuer: text(({ issuer }) => issuer),
    subject: text(({ subject }) => subject),
    created: time(({ created_at_ms }) => created_at_ms),
    last_used: time(({ last_used_at_ms }) => last_used_at_ms, { table: { head: 'LAST USED' } }),
  },
  async read(db, _filter, page) {
    const found = await queries(db).all.all(laterPageValues(page))
    return pageOf(
      found.map(({ identity, ...of }) => ({ ...identity, ...of })),
      page,
    )
  },
})
