// Mails as a list for the operator, without links and tokens: at the console, in files and on the command line.
import { and, desc, eq, getTableColumns, lt, sql } from 'drizzle-orm'
import {
  integer,
  nullableInteger,
  nullableText,
  nullableTime,
  text,
  time,
  word,
} from '../../src/app/list/columns.ts'
import { type ConsoleRowOf, defineList } from '../../src/app/list/list.ts'
import { OneOf } from '../../src/http/schema.ts'
import type { Orm } from '../../src/store/db.ts'
import { pageOf, pageValues } from '../../src/store/page.ts'
import { equalsUnlessNull, placeholder } from '../../src/store/placeholders.ts'
import { perAccount } from '../../src/store/prepared.ts'
import { accounts } from '../../src/store/schema.ts'
import { isPurpose, PURPOSES, type Purpose } from './purposes.ts'
import { MAIL_STATES, type MailRow, mails } from './tables.ts'

/** A mail with the name of its account. */
type ListedMail = Omit<MailRow, 'link'> & { account_name: string | null }

export const mail_list = defineList<ListedMail>()({
  name: 'mails',
  field: 'mails',
  of: 'operator',
  max_rows: 1_000,
  selects: ['account', 'period'],
  filters: {
    state: { schema: OneOf(MAIL_STATES), option: ['--state <state>', 'only these'] },
    purpose: {
      schema: OneOf(Object.keys(PURPOSES) as Purpose[]),
      option: ['--purpose <purpose>', 'only these'],
    },
  },
  columns: {
    id: integer(({ id }) => id, { table: { head: 'ID', right: true } }),
    queued: time(({ queued_at_ms }) => queued_at_ms, { table: { head: 'TIME' } }),
    purpose: text(({ purpose }) => purpose),
    title: text(({ purpose }) => (isPurpose(purpose) ? PURPOSES[purpose].title : purpose), {
      description: 'its purpose in words',
      table: { head: 'MAIL' },
    }),
    account_id: nullableInteger(({ account_id }) => account_id),
    account: nullableText(({ account_name }) => account_name, { table: { head: 'ACCOUNT', elastic: true } }),
    recipient: text(({ recipient }) => recipient, { table: { head: 'TO', elastic: true } }),
    language: text(({ language }) => language),
    state: word(OneOf(MAIL_STATES), ({ state }) => state, { table: { head: 'STATE' } }),
    attempts: integer(({ attempts }) => attempts, { table: { head: 'TRIES', right: true } }),
    next: nullableTime(({ next_at_ms }) => next_at_ms, { description: 'when it is tried next' }),
    sent: nullableTime(({ sent_at_ms }) => sent_at_ms),
    failure: nullableText(({ failure }) => failure, {
      description: 'why the last attempt failed, or why it was not sent',
      table: { head: 'WHY NOT', elastic: true },
    }),
  },
  async read(db, { account_id, state, purpose, since_ms, until_ms }, request) {
    const values = {
      ...pageValues(request),
      account_id,
      state: state ?? null,
      purpose: purpose ?? null,
      since_ms: since_ms ?? Number.MIN_SAFE_INTEGER,
      until_ms: until_ms ?? Number.MAX_SAFE_INTEGER,
    }
    return pageOf(await queries(db, account_id).page.all(values), request)
  },
})

/** A row as the console's pages receive it. */
export type MailListRow = ConsoleRowOf<typeof mail_list>

const queries = perAccount((account) => ({
  page: (orm: Orm) => {
    const { link: _, ...columns } = getTableColumns(mails)
    return orm
      .select({ ...columns, account_name: accounts.name })
      .from(mails)
      .leftJoin(accounts, eq(accounts.id, mails.account_id))
      .where(
        and(
          account(mails),
          lt(mails.id, placeholder('below_id')),
          equalsUnlessNull(mails.state, 'state'),
          equalsUnlessNull(mails.purpose, 'purpose'),
          sql`${mails.queued_at_ms} >= ${placeholder('since_ms')}`,
          sql`${mails.queued_at_ms} < ${placeholder('until_ms')}`,
        ),
      )
      .orderBy(desc(mails.id))
      .limit(placeholder('row_limit'))
  },
}))
