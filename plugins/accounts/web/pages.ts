// Entries of the pages of accounts and of one account.
import { Users } from 'lucide-react'
import { OPERATOR, type PageEntry } from '../../console/web/app/page-entry.ts'

export const account_pages: readonly PageEntry[] = [
  {
    path: '/accounts',
    title: 'Accounts',
    seen_by: OPERATOR,
    icon: Users,
    letter: 'a',
    load: () => import('./accounts.tsx'),
    also: 'balances customers invite top up',
  },
  { path: '/accounts/:account', title: 'Account', seen_by: OPERATOR, load: () => import('./account.tsx') },
]
