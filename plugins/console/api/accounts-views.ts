// Accounts as the operator asks for them and sees them.
import { type Static, Type } from '@sinclair/typebox'
import { ACCOUNT_STATUSES, type ListedAccount } from '../../../src/access/account-listing.ts'
import { ACCOUNT_MONEY_FIELDS, accountFields, availableOf } from '../../../src/access/account-view.ts'
import { limitsFor } from '../../../src/access/limits.ts'
import { LimitsView, limitsView } from '../../../src/access/limits-view.ts'
import { PAGE_FIELDS, PAGE_PARAMETERS } from '../../../src/http/paging.ts'
import { Nullable, OneOf } from '../../../src/http/schema.ts'
import { MoneyFields, money, NullableTimeFields, TimeFields, time } from '../../../src/http/views.ts'
import { isLow, paceOf, type Spending } from '../../../src/ledger/spending.ts'
import type { Gateway } from '../../../src/surface/gateway.ts'
import { closed, Search, UsdText } from './fields.ts'

/** With a hyphen: from the last, the highest or the most on. */
const ACCOUNT_ORDERS = ['name', '-name', 'balance', '-balance', 'spent', '-spent'] as const

export const AccountsQuery = Type.Object(
  {
    search: Type.Optional(Search),
    status: Type.Optional(OneOf(ACCOUNT_STATUSES)),
    low: Type.Optional(Type.Literal('yes', { must: '"yes"' })),
    order: Type.Optional(OneOf(ACCOUNT_ORDERS)),
    ...PAGE_PARAMETERS,
  },
  closed,
)

const AccountFields = {
  id: Type.Integer(),
  name: Type.String(),
  status: OneOf(ACCOUNT_STATUSES),
  ...ACCOUNT_MONEY_FIELDS,
  ...MoneyFields('week'),
  change_percent: Nullable(
    Type.Integer({ description: 'this week’s daily spending against that of the week before' }),
  ),
  lasts_days: Nullable(Type.Integer({ description: 'how long the free balance lasts at this week’s pace' })),
  low: Type.Boolean({ description: 'owes, has nothing free, or lasts less than three days' }),
  ...TimeFields('created'),
}

export const AccountRow = Type.Object(AccountFields, closed)
export const AccountsView = Type.Object({ accounts: Type.Array(AccountRow), ...PAGE_FIELDS }, closed)

export const AccountView = Type.Object(
  {
    ...AccountFields,
    ...NullableTimeFields('closed'),
    ...NullableTimeFields('last_call'),
    keys: Type.Integer({ description: 'keys that work' }),
    limits: LimitsView,
    limits_section: Type.String({ description: 'where the limits of this account stand in the catalogue' }),
  },
  closed,
)

export const NewAccount = Type.Object(
  { name: Type.String({ maxLength: 200, must: 'a name of letters, digits and . _ @ + -' }) },
  closed,
)
export const CloseBody = Type.Object(
  { name: Type.String({ maxLength: 200, must: 'the name of the account, to be sure' }) },
  closed,
)

const DeedId = Type.String({
  pattern: '^[A-Za-z0-9_-]{8,64}$',
  must: '8 to 64 letters, digits, "-" and "_": another one for each deed, the same one when it is sent again',
})
const MAX_NOTE_CHARS = 500
const A_NOTE = `of at most ${MAX_NOTE_CHARS} characters`

export const TopUpBody = Type.Object(
  {
    amount: UsdText,
    note: Type.Optional(Type.String({ maxLength: MAX_NOTE_CHARS, must: `a note ${A_NOTE}` })),
    deed: DeedId,
  },
  closed,
)
export const DebitBody = Type.Object(
  {
    amount: UsdText,
    note: Type.String({
      pattern: '\\S',
      maxLength: MAX_NOTE_CHARS,
      must: `a reason ${A_NOTE}, which the account is shown`,
    }),
    deed: DeedId,
  },
  closed,
)

/** What became of a movement of money. */
export const MovedView = Type.Object(
  {
    account: AccountView,
    again: Type.Boolean({ description: 'it was done before, by the same deed' }),
  },
  closed,
)

export const ClosedView = Type.Object({ account: AccountView, revoked_keys: Type.Integer() }, closed)
export const RenamedView = Type.Object({ account: AccountView, remark: Nullable(Type.String()) }, closed)

export type AccountsAsked = Static<typeof AccountsQuery>
export type ShownAccountRow = Static<typeof AccountRow>
export type ShownAccount = Static<typeof AccountView>

/** An account in a list. */
export function accountRow(
  account: ListedAccount,
  spending: Spending,
  now_ms: number,
): Static<typeof AccountRow> {
  const asked = { ...account, available_nanos: availableOf(account) }
  const pace = paceOf(asked, spending, now_ms)
  return {
    ...accountFields(account),
    ...money('week', spending.week_nanos),
    ...pace,
    low: isLow(asked, pace),
  }
}

/** One account. */
export function accountView(
  { catalogue, limiter, now }: Pick<Gateway, 'catalogue' | 'limiter' | 'now'>,
  account: ListedAccount,
  { spending, keys, last_call_at_ms }: { spending: Spending; keys: number; last_call_at_ms: number | null },
): Static<typeof AccountView> {
  const { limits } = catalogue()
  return {
    ...accountRow(account, spending, now()),
    ...time('closed', account.closed_at_ms),
    ...time('last_call', last_call_at_ms),
    keys,
    limits: limitsView(limitsFor(limits, account.name, '').account, limiter.used('account', account.id)),
    limits_section: sectionOf(account.name),
  }
}

/** TOML takes these characters in a name without quotes. */
export const sectionOf = (account_name: string): string =>
  `[limits.accounts.${/^[A-Za-z0-9_-]+$/.test(account_name) ? account_name : JSON.stringify(account_name)}]`
