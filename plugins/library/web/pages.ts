// Entries of the pages of the library and of one image.
import { Images } from 'lucide-react'
import { EVERYONE, type MovedPage, type PageEntry } from '../../console/web/app/page-entry.ts'

export const library_pages: readonly PageEntry[] = [
  {
    path: '/library',
    title: 'Library',
    seen_by: EVERYONE,
    icon: Images,
    letter: 'i',
    load: () => import('./library.tsx'),
    also: 'images files pictures uploads generated quota',
  },
  { path: '/library/:id', title: 'Image', seen_by: EVERYONE, load: () => import('./image.tsx') },
]

export const moved_library: readonly MovedPage[] = [
  { path: '/images', to: '/library' },
  { path: '/images/:id', to: '/library/:id' },
  { path: '/files', to: '/library?tab=uploaded' },
]
