// Entries of the pages of calls and of one call.
import { ArrowLeftRight } from 'lucide-react'
import { EVERYONE, type PageEntry } from '../../console/web/app/page-entry.ts'

export const call_pages: readonly PageEntry[] = [
  {
    path: '/calls',
    title: 'Calls',
    seen_by: EVERYONE,
    icon: ArrowLeftRight,
    letter: 'c',
    load: () => import('./calls/calls.tsx'),
    also: 'requests refused failed history',
  },
  { path: '/calls/:request_id', title: 'Call', seen_by: EVERYONE, load: () => import('./call/call.tsx') },
]
