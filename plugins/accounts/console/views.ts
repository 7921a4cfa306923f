// Accounts as the operator asks for them and sees them.

import { type Static, Type } from '@sinclair/typebox'
import type { AccountDetails } from '../../../src/access/account-details.ts'
import { ACCOUNT_STATUSES, type ListedAccount } from '../../../src/access/account-listing.ts'
import { ACCOUNT_MONEY_FIELDS, accountFields, availableOf } from '../../../src/access/account-view.ts'
import { accountLimit } from '../../../src/access/limits.ts'
import { LimitsView, limitsView } from '../../../src/access/limits-view.ts'
import { Search, UsdText } from '../../../src/app/surface/console/fields.ts'
import type { Gateway } from '../../../src/app/surface/gateway.ts'
import { PAGE_FIELDS, PAGE_PARAMETERS } from '../../../src/http/paging.ts'
import { Closed, Nullable, OneOf } from '../../../src/http/schema.ts'
import { MoneyFields, money, NullableTimeFields, TimeFields, time } from '../../../src/http/views.ts'
import { MAX_NOTE_CHARS } from '../../../src/money/ledger/notes.ts'
import { LOW_REASONS, lowReason, paceOf, type Spending } from '../../../src/money/ledger/spending.ts'

/** With a hyphen: from the last, the highest or the most on. */
const ACCOUNT_ORDERS = ['name', '-name', 'balance', '-balance', 'spent', '-spent'] as const

export const ACCOUNT_FILTERS = {
  search: Type.Optional(Search),
  status: Type.Optional(OneOf(ACCOUNT_STATUSES)),
  low: Type.Optional(Type.Literal('yes', { must: '"yes"' })),
  order: Type.Optional(OneOf(ACCOUNT_ORDERS)),
}
export const AccountsQuery = Closed({ ...ACCOUNT_FILTERS, ...PAGE_PARAMETERS })

const AccountFields = {
  id: Type.Integer(),
  name: Type.String(),
  display_name: Type.String(),
  email: Type.String(),
  status: OneOf(ACCOUNT_STATUSES),
  ...ACCOUNT_MONEY_FIELDS,
  ...MoneyFields('week'),
  change_percent: Nullable(
    Type.Integer({ description: 'this week’s daily spending against that of the week before' }),
  ),
  lasts_days: Nullable(Type.Integer({ description: 'how long the free balance lasts at this week’s pace' })),
  /** Why it needs money; null if it does not. */
  low: Nullable(
    OneOf(LOW_REASONS, {
      description:
        'it owes, has nothing free, has less than one of its last calls held, or lasts less than three days',
    }),
  ),
  ...TimeFields('created'),
}

export const AccountRow = Closed(AccountFields)
export const AccountsView = Closed({ accounts: Type.Array(AccountRow), ...PAGE_FIELDS })

export const AccountView = Closed({
  ...AccountFields,
  ...NullableTimeFields('closed'),
  ...NullableTimeFields('last_call'),
  note: Type.String(),
  keys_see_account: Type.Boolean({ description: 'whether limited keys see all calls of the account' }),
  keys: Type.Integer({ description: 'keys that work' }),
  limits: LimitsView,
  limits_section: Type.String({ description: 'where the limits of this account stand in the catalogue' }),
})

const Name = Type.String({ maxLength: 200, must: 'a name of letters, digits and . _ @ + -' })
const Details = {
  display_name: Type.Optional(Type.String({ maxLength: 400, must: 'a name in any letters' })),
  email: Type.Optional(Type.String({ maxLength: 400, must: 'an email address' })),
  note: Type.Optional(Type.String({ maxLength: 4_000, must: 'a note' })),
  keys_see_account: Type.Optional(Type.Boolean()),
}
export const NewAccount = Closed({ name: Name, ...Details })
const AccountValues = { name: Type.Optional(Name), ...Details }
export const AccountChanges = Closed({
  ...AccountValues,
  /** The values that were read, of the fields that change: 409 `changed_meanwhile` if one is another by now. */
  was: Type.Optional(Closed(AccountValues)),
})
export const CloseBody = Closed({
  name: Type.String({ maxLength: 200, must: 'the name of the account, to be sure' }),
})

/** Other headers are those of any request. */
export const MovementHeaders = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      pattern: '^[ -~]{1,255}$',
      must: '1 to 255 printable ASCII characters: a new one for each movement, the same one to send a request again',
    }),
  ),
})
const A_NOTE = `of at most ${MAX_NOTE_CHARS} characters`

export const TopUpBody = Closed({
  amount: UsdText,
  note: Type.Optional(Type.String({ maxLength: MAX_NOTE_CHARS, must: `a note ${A_NOTE}` })),
})
export const DebitBody = Closed({
  amount: UsdText,
  note: Type.String({
    pattern: '\\S',
    maxLength: MAX_NOTE_CHARS,
    must: `a reason ${A_NOTE}, which the account is shown`,
  }),
})

/** What became of a movement of money. */
export const MovedView = Closed({
  account: AccountView,
  again: Type.Boolean({ description: 'it was done before, under the same Idempotency-Key' }),
})

export const ClosedView = Closed({ account: AccountView, revoked_keys: Type.Integer() })
export const RenamedView = Closed({ account: AccountView, remark: Nullable(Type.String()) })

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
    display_name: account.display_name,
    email: account.email,
    ...money('week', spending.week_nanos),
    ...pace,
    low: lowReason(asked, spending, pace),
  }
}

interface Shown {
  spending: Spending
  keys: number
  last_call_at_ms: number | null
  details: AccountDetails
}

/** One account. */
export async function accountView(
  { exchange: { catalogue, limiter, now } }: Pick<Gateway, 'exchange'>,
  account: ListedAccount,
  { spending, keys, last_call_at_ms, details }: Shown,
): Promise<Static<typeof AccountView>> {
  const { limits } = catalogue()
  return {
    ...accountRow(account, spending, now()),
    ...time('closed', account.closed_at_ms),
    ...time('last_call', last_call_at_ms),
    note: details.note,
    keys_see_account: details.keys_see_account,
    keys,
    limits: limitsView(accountLimit(limits, account.name), await limiter.used('account', account.id)),
    limits_section: sectionOf(account.name),
  }
}

/** TOML takes these characters in a name without quotes. */
export const sectionOf = (account_name: string): string =>
  `[limits.accounts.${/^[A-Za-z0-9_-]+$/.test(account_name) ? account_name : JSON.stringify(account_name)}]`
