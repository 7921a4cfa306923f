// The pages, in the order of the side bar; what stands before a session; and the search.
import { Boxes, FileSliders, Plug, Server, Settings } from 'lucide-react'
import type { ComponentType } from 'react'
import {
  EVERYONE,
  OPERATOR,
  type OpenPageEntry,
  type PageEntry,
  type Search,
  type SignInProps,
} from '../app/page-entry.ts'

export const pages: readonly PageEntry[] = [
  {
    path: '/models',
    title: 'Models',
    seen_by: EVERYONE,
    icon: Boxes,
    letter: 'm',
    load: () => import('./models/models.tsx'),
  },
  { path: '/models/:id', title: 'Model', seen_by: EVERYONE, load: () => import('./models/model.tsx') },
  {
    path: '/providers',
    title: 'Providers',
    seen_by: OPERATOR,
    icon: Plug,
    letter: 'v',
    load: () => import('./providers/providers.tsx'),
  },
  {
    path: '/providers/new',
    title: 'New provider',
    seen_by: OPERATOR,
    load: () => import('./providers/new-provider.tsx'),
  },
  {
    path: '/providers/:name',
    title: 'Provider',
    seen_by: OPERATOR,
    load: () => import('./providers/provider.tsx'),
  },
  {
    path: '/catalogue',
    title: 'Catalogue',
    seen_by: OPERATOR,
    icon: FileSliders,
    letter: 't',
    load: () => import('./catalogue/catalogue.tsx'),
  },
  {
    path: '/system',
    title: 'System',
    seen_by: OPERATOR,
    icon: Server,
    letter: 's',
    load: () => import('./system/system.tsx'),
  },
  {
    path: '/settings',
    title: 'Settings',
    seen_by: EVERYONE,
    icon: Settings,
    letter: ',',
    load: () => import('./settings/settings.tsx'),
  },
]

const setPassword = () => import('./sign-in/set-password.tsx')

/** Pages that need no session. */
export const open_pages: readonly OpenPageEntry[] = [
  { path: '/welcome', title: 'Welcome', load: setPassword },
  { path: '/invitation', title: 'Invitation', load: setPassword },
]

/** The form of those who are not signed in. */
export const signIn = (): Promise<{ default: ComponentType<SignInProps> }> => import('./sign-in/sign-in.tsx')

/** What `/` searches; undefined where nothing can be searched. */
export const search: Search | undefined = undefined
