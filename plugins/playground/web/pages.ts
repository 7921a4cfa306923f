// Entry of the page Playground.
import { FlaskConical } from 'lucide-react'
import { EVERYONE, type PageEntry } from '../../console/web/app/page-entry.ts'

export const playground_pages: readonly PageEntry[] = [
  {
    path: '/playground',
    title: 'Playground',
    seen_by: EVERYONE,
    right: 'call',
    icon: FlaskConical,
    letter: 'p',
    load: () => import('./playground.tsx'),
    also: 'chat compare draw generate',
  },
]
