// The page of a person's own settings in the side bar, the pages without a session, and the sign-in form.
import { Settings } from 'lucide-react'
import type { ComponentType } from 'react'
import {
  EVERYONE,
  type OpenPageEntry,
  type PageEntry,
  type SignInProps,
} from '../../console/web/app/page-entry.ts'

export const settings_pages: readonly PageEntry[] = [
  {
    path: '/settings',
    title: 'Settings',
    seen_by: EVERYONE,
    icon: Settings,
    letter: ',',
    load: () => import('./settings/settings.tsx'),
    also: 'password sessions sign out',
  },
]

const setPassword = () => import('./set-password.tsx')

/** Pages that need no session. */
export const open_pages: readonly OpenPageEntry[] = [
  { path: '/welcome', title: 'Welcome', load: setPassword },
  { path: '/invitation', title: 'Invitation', load: setPassword },
]

/** The dialog that confirms that it is the viewer. */
export const confirmSignIn = (): Promise<{ default: ComponentType }> => import('./confirm-sign-in.tsx')

/** The form for visitors without a session. */
export const signIn = (): Promise<{ default: ComponentType<SignInProps> }> => import('./sign-in.tsx')
