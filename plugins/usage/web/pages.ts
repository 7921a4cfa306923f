// Entry of the page Overview, and the former address of its breakdown.
import { Gauge } from 'lucide-react'
import { EVERYONE, type MovedPage, type PageEntry } from '../../console/web/app/page-entry.ts'

export const overview_pages: readonly PageEntry[] = [
  {
    path: '/overview',
    title: 'Overview',
    seen_by: EVERYONE,
    icon: Gauge,
    letter: 'o',
    load: () => import('./overview.tsx'),
    also: 'dashboard health alerts live usage spend costs tokens revenue margin',
  },
]

export const moved_usage: readonly MovedPage[] = [{ path: '/usage', to: '/overview' }]
