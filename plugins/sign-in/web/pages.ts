// The pages of sign-in: the person's settings in the side bar, the pages without a session, and the sign-in form.
import { Settings } from 'lucide-react'
import type { ComponentType } from 'react'
import {
  EVERYONE,
  type OpenPageEntry,
  type PageEntry,
  type SignInProps,
} from '../../console/web/app/page-entry.ts'

/** Sessions of people: a session by key has no address to confirm. */
const PERSONS = ['operator', 'account'] as const

export const settings_pages: readonly PageEntry[] = [
  {
    path: '/settings',
    title: 'Settings',
    seen_by: EVERYONE,
    icon: Settings,
    letter: ',',
    load: () => import('./settings/settings.tsx'),
    also: 'password sessions sign out name email address',
  },
  {
    path: '/confirm-address',
    title: 'Confirm your email address',
    seen_by: PERSONS,
    below: '/settings',
    load: () => import('./confirm-address.tsx'),
  },
]

const setPassword = () => import('./set-password.tsx')

export const open_pages: readonly OpenPageEntry[] = [
  { path: '/welcome', title: 'Welcome', load: setPassword },
  { path: '/invitation', title: 'Invitation', load: setPassword },
  { path: '/new-password', title: 'New password', load: setPassword },
  { path: '/sign-in-link', title: 'Sign in', load: () => import('./sign-in-link.tsx') },
]

export const confirmSignIn = (): Promise<{ default: ComponentType }> => import('./confirm-sign-in.tsx')

export const signIn = (): Promise<{ default: ComponentType<SignInProps> }> => import('./sign-in.tsx')
