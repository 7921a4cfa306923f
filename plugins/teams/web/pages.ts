// The page of a team in the side bar of its account, and the page of an invitation's link.
import { Users } from 'lucide-react'
import type { OpenPageEntry, PageEntry } from '../../console/web/app/page-entry.ts'

export const team_pages: readonly PageEntry[] = [
  {
    path: '/team',
    title: 'Team',
    seen_by: ['account'],
    icon: Users,
    letter: 'e',
    load: () => import('./team.tsx'),
    also: 'people members roles invite',
  },
]

export const join_pages: readonly OpenPageEntry[] = [
  { path: '/join', title: 'Join', load: () => import('./join.tsx') },
]
