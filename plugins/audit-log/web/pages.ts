// The entry of the audit log in the side bar.
import { ScrollText } from 'lucide-react'
import { OPERATOR, type PageEntry } from '../../console/web/app/page-entry.ts'

export const audit_log_pages: readonly PageEntry[] = [
  {
    path: '/audit-log',
    title: 'Audit log',
    seen_by: OPERATOR,
    icon: ScrollText,
    letter: 'l',
    load: () => import('./page.tsx'),
    also: 'changes actions',
  },
]
