// Owner of a call or a refused request, as facts: the key, and for the operator the account.
import { Link } from 'wouter'
import type { ViewerKind } from '../app/page-entry.ts'
import { type OfAccount, RowAccount } from './account-name.tsx'
import { keyPrefix } from './key-prefix.ts'

interface OwnedRow extends OfAccount {
  account_id: number
  key_id: number
  key: string
  key_prefix: string
}

export const ownerFacts = (row: OwnedRow, side: ViewerKind) =>
  [
    [
      'Account',
      side === 'operator' && (
        <Link key="account" href={`/accounts/${row.account_id}`}>
          <RowAccount {...row} />
        </Link>
      ),
    ],
    [
      'Key',
      <Link key="key" href={`/keys/${row.key_id}`}>
        {row.key} ({keyPrefix(row.key_prefix)})
      </Link>,
    ],
  ] as const
