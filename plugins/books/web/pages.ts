// The page of the books, below System.
import { OPERATOR, type PageEntry } from '../../console/web/app/page-entry.ts'

export const books_pages: readonly PageEntry[] = [
  {
    path: '/books',
    title: 'Books',
    seen_by: OPERATOR,
    below: '/system',
    load: () => import('./books.tsx'),
    also: 'audit totals',
  },
]
