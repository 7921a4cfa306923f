// Reading of opening debts: amounts that accounts owe besides calls, such as from before their import.
import { asc } from 'drizzle-orm'
import type { Awaitable, Db } from '../../store/db.ts'
import { equals } from '../../store/placeholders.ts'
import { perConnection } from '../../store/prepared.ts'
import { type OpeningDebt, opening_debts } from '../../store/schema.ts'

const queries = perConnection({
  ofAccount: (orm) =>
    orm
      .select()
      .from(opening_debts)
      .where(equals(opening_debts.account_id, 'account_id'))
      .orderBy(asc(opening_debts.id)),
})

/** Returns an account's opening debts, the oldest first; most accounts have none, others one. */
export const openingDebtsOf = (db: Db, account_id: number): Awaitable<OpeningDebt[]> =>
  queries(db).ofAccount.all({ account_id })
