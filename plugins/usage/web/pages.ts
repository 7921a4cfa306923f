// The pages Overview and Usage in the side bar.
import { Gauge } from 'lucide-react'
import { EVERYONE, NOT_OWN_KEY, type PageEntry } from '../../console/web/app/page-entry.ts'

export const overview_pages: readonly PageEntry[] = [
  {
    path: '/overview',
    title: 'Overview',
    seen_by: NOT_OWN_KEY,
    icon: Gauge,
    letter: 'o',
    load: () => import('./overview/overview.tsx'),
    also: 'dashboard health alerts live',
  },
]

export const usage_pages: readonly PageEntry[] = [
  {
    path: '/usage',
    title: 'Usage',
    seen_by: EVERYONE,
    below: '/overview',
    load: () => import('./usage/usage.tsx'),
    also: 'spend costs tokens revenue margin',
  },
]
