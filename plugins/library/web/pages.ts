// The pages of images and files in the side bar, and of one image.
import { FolderOpen, Images } from 'lucide-react'
import { EVERYONE, type PageEntry } from '../../console/web/app/page-entry.ts'

export const library_pages: readonly PageEntry[] = [
  {
    path: '/images',
    title: 'Images',
    seen_by: EVERYONE,
    icon: Images,
    letter: 'i',
    load: () => import('./images/images.tsx'),
  },
  { path: '/images/:id', title: 'Image', seen_by: EVERYONE, load: () => import('./images/image.tsx') },
  {
    path: '/files',
    title: 'Files',
    seen_by: EVERYONE,
    icon: FolderOpen,
    letter: 'f',
    load: () => import('./files/files.tsx'),
  },
]
