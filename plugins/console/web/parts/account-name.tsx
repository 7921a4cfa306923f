// An account by both of its names: the short one, which callers and commands use, and the display name.

interface AccountNames {
  name: string
  /** Empty if not set. */
  display_name: string
}

/** For lists and sentences. */
export function AccountName({ name, display_name }: AccountNames) {
  if (display_name === '') return name
  return (
    <span className="account-name" title={accountLabel({ name, display_name })}>
      <bdi className="account-display-name">{display_name}</bdi> <span className="soft">{name}</span>
    </span>
  )
}

/** The same of a row that belongs to an account. */
export const RowAccount = ({ account, account_display_name }: OfAccount) => (
  <AccountName name={account} display_name={account_display_name} />
)

export interface OfAccount {
  account: string
  account_display_name: string
}

/** In one text, for options and titles. */
export const accountLabel = ({ name, display_name }: AccountNames): string =>
  display_name === '' ? name : `${display_name} (${name})`
