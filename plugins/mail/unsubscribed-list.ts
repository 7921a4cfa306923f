// Unsubscribed recipients as a list: at the console, in files and on the command line.
import { and, desc, eq, isNotNull, lt, sql } from 'drizzle-orm'
import { integer, nullableInteger, text, time } from '../../src/app/list/columns.ts'
import { defineList } from '../../src/app/list/list.ts'
import type { Orm } from '../../src/store/db.ts'
import { pageOf, pageValues } from '../../src/store/page.ts'
import { placeholder } from '../../src/store/placeholders.ts'
import { perAccount } from '../../src/store/prepared.ts'
import { accounts } from '../../src/store/schema.ts'
import { mail_recipients } from './tables.ts'

interface Unsubscribed {
  id: number
  account_id: number
  account_name: string
  recipient: string
  unsubscribed_at_ms: number
}

export const unsubscribed_list = defineList<Unsubscribed>()({
  name: 'unsubscribed',
  field: 'unsubscribed',
  of: 'operator',
  max_rows: 1_000,
  selects: ['account'],
  filters: {},
  columns: {
    id: integer(({ id }) => id, { table: { head: 'ID', right: true } }),
    unsubscribed: time(({ unsubscribed_at_ms }) => unsubscribed_at_ms, { table: { head: 'TIME' } }),
    account_id: nullableInteger(({ account_id }) => account_id),
    account: text(({ account_name }) => account_name, { table: { head: 'ACCOUNT', elastic: true } }),
    recipient: text(({ recipient }) => recipient, { table: { head: 'ADDRESS', elastic: true } }),
  },
  async read(db, { account_id }, request) {
    return pageOf(await queries(db, account_id).page.all({ ...pageValues(request), account_id }), request)
  },
})

const queries = perAccount((account) => ({
  page: (orm: Orm) =>
    orm
      .select({
        id: mail_recipients.id,
        account_id: mail_recipients.account_id,
        account_name: accounts.name,
        recipient: mail_recipients.recipient,
        unsubscribed_at_ms: sql<number>`${mail_recipients.unsubscribed_at_ms}`,
      })
      .from(mail_recipients)
      .innerJoin(accounts, eq(accounts.id, mail_recipients.account_id))
      .where(
        and(
          account(mail_recipients),
          isNotNull(mail_recipients.unsubscribed_at_ms),
          lt(mail_recipients.id, placeholder('below_id')),
        ),
      )
      .orderBy(desc(mail_recipients.id))
      .limit(placeholder('row_limit')),
}))
