// The operator's list of referrals for the console, exports and the command line.
import { Type } from '@sinclair/typebox'
import { integer, money, text, time } from '../../src/app/list/columns.ts'
import { type ConsoleRowOf, defineList } from '../../src/app/list/list.ts'
import { type ListedReferral, listReferrals } from './listing.ts'

const AccountNumber = Type.String({ pattern: '^[1-9]\\d{0,14}$', must: 'the number of an account' })

export const referral_list = defineList<ListedReferral>()({
  name: 'referrals',
  field: 'referrals',
  of: 'operator',
  max_rows: 500,
  selects: ['account'],
  filters: {
    referrer: {
      schema: AccountNumber,
      option: ['--referrer <number>', 'only those of this account, by its number'],
    },
  },
  columns: {
    id: integer(({ id }) => id, { table: { head: 'ID', right: true } }),
    created: time(({ created_at_ms }) => created_at_ms, { table: { head: 'TIME' } }),
    account_id: integer(({ account_id }) => account_id),
    account: text(({ account_name }) => account_name, {
      description: 'the account that signed up',
      table: { head: 'SIGNED UP', elastic: true },
    }),
    referrer_id: integer(({ referrer_id }) => referrer_id),
    referrer: text(({ referrer }) => referrer, {
      description: 'the account with the link',
      table: { head: 'BY THE LINK OF', elastic: true },
    }),
    payments: integer(({ payments }) => payments, { table: { head: 'PAYMENTS', right: true } }),
    earned: money(({ earned_nanos }) => earned_nanos, {
      description: 'Shares of their payments that the referrer received',
      table: { head: 'SHARED USD' },
    }),
  },
  read: (db, { account_id, referrer }, page) =>
    listReferrals(
      db,
      { account_id, referrer_id: referrer === undefined ? undefined : Number(referrer) },
      page,
    ),
})

export type ConsoleReferral = ConsoleRowOf<typeof referral_list>
