// The pages, in the order of the side bar; what stands before a session; and the search.
import { Server, Settings } from 'lucide-react'
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
