// Page entries of transactions and statements.
import { ReceiptText } from 'lucide-react'
import { type MovedPage, NOT_OWN_KEYS, type PageEntry } from '../../console/web/app/page-entry.ts'

export const transaction_pages: readonly PageEntry[] = [
  {
    path: '/transactions',
    title: 'Transactions',
    seen_by: NOT_OWN_KEYS,
    icon: ReceiptText,
    letter: 't',
    load: () => import('./transactions.tsx'),
    also: 'entries top-ups charges refunds debits ledger balance',
  },
  {
    path: '/transactions/statement',
    title: 'Statement',
    seen_by: NOT_OWN_KEYS,
    load: () => import('./statement.tsx'),
    also: 'month invoice opening closing print',
  },
]

export const moved_transactions: readonly MovedPage[] = [
  { path: '/entries', to: '/transactions' },
  { path: '/entries/statement', to: '/transactions/statement' },
]
