// Whose a call or a refused request was, as facts: the account, for the operator, and the key.
import { Link } from 'wouter'
import type { Role } from '../../../console/web/app/page-entry.ts'
import { type OfAccount, RowAccount } from '../../../console/web/parts/account-name.tsx'

interface Whose extends OfAccount {
  account_id: number
  key_id: number
  key: string
  key_prefix: string
}

export const whoseFacts = (of: Whose, role: Role) =>
  [
    [
      'Account',
      role === 'operator' && (
        <Link key="account" href={`/accounts/${of.account_id}`}>
          <RowAccount {...of} />
        </Link>
      ),
    ],
    [
      'Key',
      <Link key="key" href={`/keys/${of.key_id}`}>
        {of.key} ({of.key_prefix}…)
      </Link>,
    ],
  ] as const
