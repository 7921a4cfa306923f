// The pages, in the groups and the order of the side bar; what stands before a session; and the search.
import { ChartColumn, FolderOpen, Gauge, Images, type LucideIcon, Server } from 'lucide-react'
import { account_pages } from './accounts/web/pages.ts'
import { audit_log_pages } from './audit-log/web/pages.ts'
import { books_pages } from './books/web/pages.ts'
import { call_pages } from './calls/web/pages.ts'
import { catalogue_pages } from './catalogue/web/pages.ts'
import {
  EVERYONE,
  NOT_OWN_KEY,
  OPERATOR,
  type PageEntry,
  type PageGroup,
  type Role,
  type Search,
} from './console/web/app/page-entry.ts'
import { entry_pages } from './entries/web/pages.ts'
import { first_steps_pages } from './first-steps/web/pages.ts'
import { key_pages } from './keys/web/pages.ts'
import { playground_pages } from './playground/web/pages.ts'
import { settings_pages } from './sign-in/web/pages.ts'

type Load = PageEntry['load']

/** A page of the side bar, with the letter that `g` goes to it by. */
const page = (
  path: string,
  title: string,
  seen_by: readonly Role[],
  icon: LucideIcon,
  letter: string,
  load: Load,
  also?: string,
): PageEntry => ({ path, title, seen_by, icon, letter, load, ...(also === undefined ? {} : { also }) })

/** A page below one of these. */
const below = (path: string, title: string, seen_by: readonly Role[], load: Load): PageEntry => ({
  path,
  title,
  seen_by,
  load,
})

/** The side bar, from top to bottom, and the pages below its own. */
export const page_groups: readonly PageGroup[] = [
  {
    title: 'Operate',
    pages: [
      page(
        '/overview',
        'Overview',
        NOT_OWN_KEY,
        Gauge,
        'o',
        () => import('./usage/web/overview/overview.tsx'),
        'dashboard health alerts live',
      ),
      ...call_pages,
      ...playground_pages,
      page('/images', 'Images', EVERYONE, Images, 'i', () => import('./library/web/images/images.tsx')),
      below('/images/:id', 'Image', EVERYONE, () => import('./library/web/images/image.tsx')),
      page('/files', 'Files', EVERYONE, FolderOpen, 'f', () => import('./library/web/files/files.tsx')),
      ...first_steps_pages,
    ],
  },
  {
    title: 'Money',
    pages: [
      ...account_pages,
      ...key_pages,
      page(
        '/usage',
        'Usage',
        EVERYONE,
        ChartColumn,
        'u',
        () => import('./usage/web/usage/usage.tsx'),
        'spend costs tokens revenue margin',
      ),
      ...entry_pages,
      ...books_pages,
    ],
  },
  {
    title: 'Configure',
    pages: [
      ...catalogue_pages,
      ...audit_log_pages,
      page(
        '/system',
        'System',
        OPERATOR,
        Server,
        's',
        () => import('./system/web/system.tsx'),
        'backups alerts webhook plugins doctor check-up disk version',
      ),
      ...settings_pages,
    ],
  },
]

export const pages: readonly PageEntry[] = page_groups.flatMap((group) => group.pages)

export { open_pages, signIn } from './sign-in/web/pages.ts'

/** What `/` searches. */
export const search: Search = async (words) =>
  (await import('./console/web/pages/search.ts')).searchAll(words)
