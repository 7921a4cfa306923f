// The money of an account in JSON, for callers and the console.

import type { Nanos } from '../domain/money.ts'
import { MoneyFields, money } from '../http/views.ts'
import type { Account } from '../store/schema.ts'

type AccountMoney = Pick<Account, 'balance_nanos' | 'held_nanos' | 'debt_nanos'>

/** The balance that new calls may hold. */
export const availableOf = ({
  balance_nanos,
  held_nanos,
}: Pick<Account, 'balance_nanos' | 'held_nanos'>): Nanos => balance_nanos - held_nanos

/** The fields of its money. */
export const ACCOUNT_MONEY_FIELDS = {
  ...MoneyFields('balance', 'What the account has'),
  ...MoneyFields('held', 'What calls under way hold of it'),
  ...MoneyFields('available', 'What is left for new calls'),
  ...MoneyFields('debt', 'What calls cost beyond the balance; top-ups pay it first'),
}

export const accountMoney = (account: AccountMoney) => ({
  ...money('balance', account.balance_nanos),
  ...money('held', account.held_nanos),
  ...money('available', availableOf(account)),
  ...money('debt', account.debt_nanos),
})
