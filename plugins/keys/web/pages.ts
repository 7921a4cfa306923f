// Entries of the pages of keys and of one key.
import { KeyRound } from 'lucide-react'
import { EVERYONE, type PageEntry } from '../../console/web/app/page-entry.ts'

export const key_pages: readonly PageEntry[] = [
  {
    path: '/keys',
    title: 'Keys',
    seen_by: EVERYONE,
    icon: KeyRound,
    letter: 'k',
    load: () => import('./keys.tsx'),
    also: 'api keys limits',
  },
  { path: '/keys/:key', title: 'Key', seen_by: EVERYONE, load: () => import('./key.tsx') },
]
