// The pages, in the order of the side bar; what stands before a session; and the search.
import { ArrowLeftRight, Gauge, KeyRound, ReceiptText, Scale, Server, Settings, Users } from 'lucide-react'
import type { ComponentType } from 'react'
import {
  ACCOUNTS,
  EVERYONE,
  OPERATOR,
  type OpenPageEntry,
  type PageEntry,
  type Search,
  type SignInProps,
} from '../app/page-entry.ts'
import { searchAll } from './search.ts'

const entries = () => import('./entries/entries.tsx')

export const pages: readonly PageEntry[] = [
  {
    path: '/overview',
    title: 'Overview',
    seen_by: EVERYONE,
    icon: Gauge,
    letter: 'o',
    load: () => import('./overview/overview.tsx'),
  },
  {
    path: '/calls',
    title: 'Calls',
    seen_by: EVERYONE,
    icon: ArrowLeftRight,
    letter: 'c',
    load: () => import('./calls/calls.tsx'),
  },
  {
    path: '/calls/:request_id',
    title: 'Call',
    seen_by: EVERYONE,
    load: () => import('./call/call.tsx'),
  },
  {
    path: '/accounts',
    title: 'Accounts',
    seen_by: OPERATOR,
    icon: Users,
    letter: 'a',
    load: () => import('./accounts/accounts.tsx'),
  },
  {
    path: '/accounts/:account',
    title: 'Account',
    seen_by: OPERATOR,
    load: () => import('./accounts/account.tsx'),
  },
  {
    path: '/keys',
    title: 'Keys',
    seen_by: EVERYONE,
    icon: KeyRound,
    letter: 'k',
    load: () => import('./keys/keys.tsx'),
  },
  { path: '/keys/:key', title: 'Key', seen_by: EVERYONE, load: () => import('./keys/key.tsx') },
  // The operator has them among the books.
  { path: '/entries', title: 'Entries', seen_by: ACCOUNTS, icon: ReceiptText, letter: 'e', load: entries },
  { path: '/entries', title: 'Entries', seen_by: OPERATOR, load: entries },
  {
    path: '/books',
    title: 'Books',
    seen_by: OPERATOR,
    icon: Scale,
    letter: 'b',
    load: () => import('./books/books.tsx'),
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

export const search: Search | undefined = searchAll
