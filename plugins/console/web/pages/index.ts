// The pages, in the order of the side bar; what stands before a session; and the search.
import { Server } from 'lucide-react'
import { OPERATOR, type OpenPageEntry, type PageEntry } from '../app/page-entry.ts'

export const pages: readonly PageEntry[] = [
  {
    path: '/system',
    title: 'System',
    seen_by: OPERATOR,
    icon: Server,
    letter: 's',
    load: () => import('./system/system.tsx'),
  },
]

/** Pages that need no session. */
export const open_pages: readonly OpenPageEntry[] = []
