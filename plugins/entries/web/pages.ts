// The pages of entries in the side bar, and of a statement.
import { ReceiptText } from 'lucide-react'
import { NOT_OWN_KEY, type PageEntry } from '../../console/web/app/page-entry.ts'

export const entry_pages: readonly PageEntry[] = [
  {
    path: '/entries',
    title: 'Entries',
    seen_by: NOT_OWN_KEY,
    icon: ReceiptText,
    letter: 'e',
    load: () => import('./entries.tsx'),
    also: 'top-ups charges debits ledger',
  },
  {
    path: '/entries/statement',
    title: 'Statement',
    seen_by: NOT_OWN_KEY,
    load: () => import('./statement.tsx'),
  },
]
