// People of accounts and open invitations as lists: at the console, in files and on the command line.

import { budgetsOfPeople } from '../../src/access/budgets.ts'
import { budgetsView, SpendLimitsView } from '../../src/access/limits-view.ts'
import { teamLists } from '../../src/access/team-queries.ts'
import { boolean, integer, nullableText, nullableTime, text, time, word } from '../../src/app/list/columns.ts'
import { type ConsoleRowOf, defineList } from '../../src/app/list/list.ts'
import { OneOf } from '../../src/http/schema.ts'
import { pageOf, pageValues } from '../../src/store/page.ts'
import { type BudgetRow, MEMBERSHIP_ROLES } from '../../src/store/schema.ts'

export const Roles = OneOf(MEMBERSHIP_ROLES)

interface ListedMember {
  id: number
  account_id: number
  account_name: string
  person_id: number
  role: (typeof MEMBERSHIP_ROLES)[number]
  name: string
  email: string | null
  email_verified_at_ms: number | null
  disabled_at_ms: number | null
  joined_at_ms: number
  last_seen_at_ms: number | null
  keys: number
  budgets: readonly BudgetRow[]
  now_ms: number
}

export const member_list = defineList<ListedMember>()({
  name: 'team',
  field: 'people',
  of: 'account',
  max_rows: 1_000,
  selects: ['account'],
  filters: {},
  columns: {
    person_id: integer(({ person_id }) => person_id, { table: { head: 'ID', right: true } }),
    account_id: integer(({ account_id }) => account_id, { csv_name: false, command: false }),
    account: text(({ account_name }) => account_name),
    name: text(({ name }) => name, { table: { head: 'NAME', elastic: true } }),
    email: nullableText(({ email }) => email, { table: { head: 'EMAIL', elastic: true } }),
    is_verified: boolean(({ email_verified_at_ms }) => email_verified_at_ms !== null, {
      description: 'whether they have shown that the address is theirs',
    }),
    role: word(Roles, ({ role }) => role, { table: { head: 'ROLE' } }),
    is_disabled: boolean(({ disabled_at_ms }) => disabled_at_ms !== null, {
      description: 'whether they cannot sign in',
    }),
    keys: integer(({ keys }) => keys, {
      description: 'how many of their keys work',
      table: { head: 'KEYS', right: true },
    }),
    spend_limits: word(SpendLimitsView, ({ budgets, now_ms }) => budgetsView(budgets, now_ms), {
      description: 'of all their keys together',
      csv_name: false,
    }),
    last_seen: nullableTime(({ last_seen_at_ms }) => last_seen_at_ms, {
      description: 'the last use of a session in the account that goes on',
      table: { head: 'LAST SEEN' },
    }),
    joined: time(({ joined_at_ms }) => joined_at_ms),
  },
  async read(db, { account_id }, page, { now_ms }) {
    const found = await teamLists(db, account_id).members.all({ ...pageValues(page), account_id, now_ms })
    const { rows, next_cursor } = pageOf(found, page)
    const of_people = await budgetsOfPeople(db, [...new Set(rows.map((row) => row.account_id))])
    return {
      rows: rows.map((row) => ({
        ...row,
        budgets: of_people.filter((budget) => isOf(budget, row)),
        now_ms,
      })),
      next_cursor,
    }
  },
})

const isOf = (budget: BudgetRow, row: { account_id: number; person_id: number }): boolean =>
  budget.account_id === row.account_id && budget.person_id === row.person_id

export type MemberView = ConsoleRowOf<typeof member_list>

interface ListedInvitation {
  id: number
  account_id: number
  account_name: string
  email: string
  role: (typeof MEMBERSHIP_ROLES)[number]
  is_mailed: number
  created_at_ms: number
  expires_at_ms: number
}

export const invitation_list = defineList<ListedInvitation>()({
  name: 'invitations',
  field: 'invitations',
  of: 'account',
  max_rows: 1_000,
  selects: ['account'],
  filters: {},
  columns: {
    id: integer(({ id }) => id, { table: { head: 'ID', right: true } }),
    account_id: integer(({ account_id }) => account_id, { csv_name: false, command: false }),
    account: text(({ account_name }) => account_name),
    email: text(({ email }) => email, { table: { head: 'EMAIL', elastic: true } }),
    role: word(Roles, ({ role }) => role, { table: { head: 'ROLE' } }),
    is_mailed: boolean(({ is_mailed }) => is_mailed === 1, {
      description: 'whether its link was mailed, and shown to nobody',
    }),
    created: time(({ created_at_ms }) => created_at_ms),
    expires: time(({ expires_at_ms }) => expires_at_ms, { table: { head: 'EXPIRES' } }),
  },
  read: async (db, { account_id }, page, { now_ms }) =>
    pageOf(
      await teamLists(db, account_id).invitations.all({ ...pageValues(page), account_id, now_ms }),
      page,
    ),
})

export type InvitationView = ConsoleRowOf<typeof invitation_list>
