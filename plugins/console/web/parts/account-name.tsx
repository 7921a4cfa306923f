// An account by its short name, which callers and commands use, and its display name.
import { Link } from 'wouter'

interface AccountNames {
  name: string
  display_name: string
}

/** Both names, for lists and sentences. */
export function AccountName({ name, display_name }: AccountNames) {
  if (display_name === '') return name
  return (
    <span className="account-name" title={accountLabel({ name, display_name })}>
      <bdi className="account-display-name">{display_name}</bdi> <span className="soft">{name}</span>
    </span>
  )
}

export const RowAccount = ({ account, account_display_name }: OfAccount) => (
  <AccountName name={account} display_name={account_display_name} />
)

/** The account of a row as a link; a dash if the row has none. */
export const RowAccountLink = ({ account_id, account, account_display_name }: MaybeOfAccount) =>
  account_id === null ? (
    '–'
  ) : (
    <Link href={`/accounts/${account_id}`}>
      <RowAccount account={account ?? ''} account_display_name={account_display_name} />
    </Link>
  )

interface MaybeOfAccount {
  account_id: number | null
  account: string | null
  account_display_name: string
}

export interface OfAccount {
  account: string
  account_display_name: string
}

/** Both names as one text, for options and titles. */
export const accountLabel = ({ name, display_name }: AccountNames): string =>
  display_name === '' ? name : `${display_name} (${name})`
