// Schemas of accounts in requests and responses of the console.
import { type Static, Type } from '@sinclair/typebox'
import type { AccountDetails } from '../../../src/access/account-details.ts'
import type { ListedAccount } from '../../../src/access/account-listing.ts'
import { accountLimit } from '../../../src/access/limits.ts'
import { budgetsView, LimitsView, limitsView, SpendLimitsView } from '../../../src/access/limits-view.ts'
import { rowFor } from '../../../src/app/list/columns.ts'
import { consoleFields } from '../../../src/app/list/pages.ts'
import { PriceGroupName, UsdText } from '../../../src/app/surface/console/fields.ts'
import type { Gateway } from '../../../src/app/surface/gateway.ts'
import type { Budget } from '../../../src/domain/budgets.ts'
import { MAX_NOTE_CHARS } from '../../../src/domain/notes.ts'
import { Closed, Nullable } from '../../../src/http/schema.ts'
import { NullableTimeFields, time } from '../../../src/http/views.ts'
import type { Spending } from '../../../src/money/ledger/spending.ts'
import { type AccountRowView, account_list, accountRow } from '../list.ts'

export const AccountView = Closed({
  ...consoleFields(account_list),
  ...NullableTimeFields('closed'),
  ...NullableTimeFields('last_call'),
  note: Type.String(),
  billing_details: Type.String({ description: 'the buyer on its statements, in several lines' }),
  keys_see_account: Type.Boolean({ description: 'whether limited keys see all calls of the account' }),
  price_group_lost: Type.Boolean({
    description: 'its price group is not in the catalogue: it pays list prices',
  }),
  keys: Type.Integer({ description: 'keys that work' }),
  limits: LimitsView,
  spend_limits: SpendLimitsView,
})

const A_NOTE = `of at most ${MAX_NOTE_CHARS} characters`
const Name = Type.String({ maxLength: 200, must: 'a name of letters, digits and . _ @ + -' })
const Details = {
  display_name: Type.Optional(Type.String({ maxLength: 400, must: 'a name in any letters' })),
  email: Type.Optional(Type.String({ maxLength: 400, must: 'an email address' })),
  note: Type.Optional(Type.String({ maxLength: 4_000, must: 'a note' })),
  billing_details: Type.Optional(
    Type.String({ maxLength: 4_000, must: 'the name and address of the buyer' }),
  ),
  keys_see_account: Type.Optional(Type.Boolean()),
}
const price_group = Type.Optional(Nullable(PriceGroupName))
export const NewAccount = Closed({ name: Name, price_group, ...Details })
const AccountValues = { name: Type.Optional(Name), price_group, ...Details }
export const AccountChanges = Closed({
  ...AccountValues,
  /** The values of the changed fields when they were read: 409 `changed_meanwhile` if one differs from the current value. */
  was: Type.Optional(Closed(AccountValues)),
})
/** Optional, because scripts for earlier versions send no body. */
export const SuspendBody = Type.Optional(
  Closed({
    words: Type.Optional(
      Type.String({ maxLength: MAX_NOTE_CHARS, must: `the reason, ${A_NOTE}, which the account is shown` }),
    ),
  }),
)
export const CloseBody = Closed({
  name: Type.String({ maxLength: 200, must: 'the name of the account, to confirm' }),
})

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

export const MovedView = Closed({
  account: AccountView,
  again: Type.Boolean({ description: 'it was done before, under the same Idempotency-Key' }),
})

export const ClosedView = Closed({ account: AccountView, revoked_keys: Type.Integer() })
export const RenamedView = Closed({ account: AccountView, remark: Nullable(Type.String()) })

export type AccountView = Static<typeof AccountView>

interface AccountState {
  spending: Spending | undefined
  keys: number
  last_call_at_ms: number | null
  details: AccountDetails
  budgets: readonly Budget[]
}

export async function accountView(
  { calls: { catalogue, limiter, now } }: Pick<Gateway, 'calls'>,
  account: ListedAccount,
  { spending, keys, last_call_at_ms, details, budgets }: AccountState,
): Promise<Static<typeof AccountView>> {
  const { limits, price_groups } = catalogue()
  const row: object = rowFor(account_list.columns, 'operator', accountRow(account, spending, now()))
  return {
    ...(row as AccountRowView),
    ...time('closed', account.closed_at_ms),
    ...time('last_call', last_call_at_ms),
    note: details.note,
    billing_details: details.billing_details,
    keys_see_account: details.keys_see_account,
    price_group_lost: account.price_group !== null && !price_groups.has(account.price_group),
    keys,
    limits: limitsView(accountLimit(limits, account.name), await limiter.used('account', account.id)),
    spend_limits: budgetsView(budgets, now()),
  }
}

/** Returns the heading of the account's limits in the catalogue. TOML needs quotes around names with other characters. */
export const sectionOf = (account_name: string): string =>
  `[limits.accounts.${/^[A-Za-z0-9_-]+$/.test(account_name) ? account_name : JSON.stringify(account_name)}]`
