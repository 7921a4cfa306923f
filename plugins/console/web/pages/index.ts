// The pages, in the order of the side bar; what stands before a session; and the search.
import {
  ArrowLeftRight,
  Boxes,
  ChartColumn,
  FileCog,
  FlaskConical,
  FolderOpen,
  Gauge,
  Images,
  KeyRound,
  Plug,
  ReceiptText,
  Scale,
  Server,
  Settings,
  Users,
} from 'lucide-react'
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
  { path: '/calls/:request_id', title: 'Call', seen_by: EVERYONE, load: () => import('./call/call.tsx') },
  {
    path: '/usage',
    title: 'Usage',
    seen_by: EVERYONE,
    icon: ChartColumn,
    letter: 'u',
    load: () => import('./usage/usage.tsx'),
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
    path: '/playground',
    title: 'Playground',
    seen_by: EVERYONE,
    icon: FlaskConical,
    letter: 'p',
    load: () => import('./playground/playground.tsx'),
  },
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
  {
    path: '/entries',
    title: 'Entries',
    seen_by: EVERYONE,
    icon: ReceiptText,
    letter: 'e',
    load: () => import('./entries/entries.tsx'),
  },
  {
    path: '/catalogue',
    title: 'Catalogue',
    seen_by: OPERATOR,
    icon: FileCog,
    letter: 't',
    load: () => import('./catalogue/catalogue.tsx'),
  },
  {
    path: '/books',
    title: 'Books',
    seen_by: OPERATOR,
    icon: Scale,
    letter: 'b',
    load: () => import('./books/books.tsx'),
  },
  { path: '/setup', title: 'First steps', seen_by: OPERATOR, load: () => import('./setup/setup.tsx') },
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
export const search: Search | undefined = async (words) => (await import('./search.ts')).searchAll(words)
