// The page of the books in the side bar.
import { Scale } from 'lucide-react'
import { OPERATOR, type PageEntry } from '../../console/web/app/page-entry.ts'

export const books_pages: readonly PageEntry[] = [
  {
    path: '/books',
    title: 'Books',
    seen_by: OPERATOR,
    icon: Scale,
    letter: 'b',
    load: () => import('./books.tsx'),
    also: 'audit totals',
  },
]
