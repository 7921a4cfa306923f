// The page Health check, below System.
import { type MovedPage, OPERATOR, type PageEntry } from '../../console/web/app/page-entry.ts'

export const health_check_pages: readonly PageEntry[] = [
  {
    path: '/system/health-check',
    title: 'Health check',
    seen_by: OPERATOR,
    letter: 'h',
    load: () => import('./health-check.tsx'),
    also: 'audit books totals doctor check-up disk certificate',
  },
]

export const moved_health_check: readonly MovedPage[] = [{ path: '/books', to: '/system/health-check' }]
