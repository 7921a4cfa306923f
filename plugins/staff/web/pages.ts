// The entry of the staff page, below System.
import { OPERATOR, type PageEntry } from '../../console/web/app/page-entry.ts'

export const staff_pages: readonly PageEntry[] = [
  {
    path: '/system/staff',
    title: 'Staff',
    seen_by: OPERATOR,
    load: () => import('./page.tsx'),
    also: 'people operators support auditors roles team',
  },
]
