// The sidebar entry of the System page.
import { Server } from 'lucide-react'
import { OPERATOR, type PageEntry } from '../../console/web/app/page-entry.ts'

export const system_pages: readonly PageEntry[] = [
  {
    path: '/system',
    title: 'System',
    seen_by: OPERATOR,
    icon: Server,
    letter: 's',
    load: () => import('./system.tsx'),
    also: 'backups alerts webhook plugins doctor check-up disk version',
  },
]
