// The pages, in the groups and the order of the side bar; what stands before a session; and the search.
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
  type LucideIcon,
  Plug,
  ReceiptText,
  Scale,
  ScrollText,
  Server,
  Settings,
  Users,
} from 'lucide-react'
import type { ComponentType } from 'react'
import {
  ACCOUNTS,
  EVERYONE,
  NOT_OWN_KEY,
  OPERATOR,
  type OpenPageEntry,
  type PageEntry,
  type PageGroup,
  type Role,
  type Search,
  type SignInProps,
} from '../app/page-entry.ts'

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
        () => import('./overview/overview.tsx'),
        'dashboard health alerts live',
      ),
      page(
        '/calls',
        'Calls',
        EVERYONE,
        ArrowLeftRight,
        'c',
        () => import('./calls/calls.tsx'),
        'requests refused failed history',
      ),
      below('/calls/:request_id', 'Call', EVERYONE, () => import('./call/call.tsx')),
      page(
        '/playground',
        'Playground',
        EVERYONE,
        FlaskConical,
        'p',
        () => import('./playground/playground.tsx'),
        'chat compare draw generate',
      ),
      page('/images', 'Images', EVERYONE, Images, 'i', () => import('./images/images.tsx')),
      below('/images/:id', 'Image', EVERYONE, () => import('./images/image.tsx')),
      page('/files', 'Files', EVERYONE, FolderOpen, 'f', () => import('./files/files.tsx')),
      below('/start', 'Get started', ACCOUNTS, () => import('./start/start.tsx')),
      below('/setup', 'First steps', OPERATOR, () => import('./setup/setup.tsx')),
    ],
  },
  {
    title: 'Money',
    pages: [
      page(
        '/accounts',
        'Accounts',
        OPERATOR,
        Users,
        'a',
        () => import('./accounts/accounts.tsx'),
        'balances customers invite top up',
      ),
      below('/accounts/:account', 'Account', OPERATOR, () => import('./accounts/account.tsx')),
      page('/keys', 'Keys', EVERYONE, KeyRound, 'k', () => import('./keys/keys.tsx'), 'api keys limits'),
      below('/keys/:key', 'Key', EVERYONE, () => import('./keys/key.tsx')),
      page(
        '/usage',
        'Usage',
        EVERYONE,
        ChartColumn,
        'u',
        () => import('./usage/usage.tsx'),
        'spend costs tokens revenue margin',
      ),
      page(
        '/entries',
        'Entries',
        NOT_OWN_KEY,
        ReceiptText,
        'e',
        () => import('./entries/entries.tsx'),
        'top-ups charges debits ledger',
      ),
      below('/entries/statement', 'Statement', NOT_OWN_KEY, () => import('./entries/statement.tsx')),
      page('/books', 'Books', OPERATOR, Scale, 'b', () => import('./books/books.tsx'), 'audit totals'),
    ],
  },
  {
    title: 'Configure',
    pages: [
      page('/models', 'Models', EVERYONE, Boxes, 'm', () => import('./models/models.tsx'), 'prices'),
      below('/models/:id', 'Model', EVERYONE, () => import('./models/model.tsx')),
      page(
        '/providers',
        'Providers',
        OPERATOR,
        Plug,
        'v',
        () => import('./providers/providers.tsx'),
        'upstreams cooldowns',
      ),
      below('/providers/new', 'New provider', OPERATOR, () => import('./providers/new-provider.tsx')),
      below('/providers/:name', 'Provider', OPERATOR, () => import('./providers/provider.tsx')),
      page(
        '/catalogue',
        'Catalogue',
        OPERATOR,
        FileCog,
        't',
        () => import('./catalogue/catalogue.tsx'),
        'configuration settings prices rate limits',
      ),
      below('/catalogue/history', 'Catalogue history', OPERATOR, () => import('./catalogue/history.tsx')),
      below(
        '/catalogue/history/:version',
        'Catalogue version',
        OPERATOR,
        () => import('./catalogue/version.tsx'),
      ),
      page(
        '/audit-log',
        'Audit log',
        OPERATOR,
        ScrollText,
        'l',
        () => import('./audit-log/audit-log.tsx'),
        'changes actions',
      ),
      page(
        '/system',
        'System',
        OPERATOR,
        Server,
        's',
        () => import('./system/system.tsx'),
        'backups alerts webhook plugins doctor check-up disk version',
      ),
      page(
        '/settings',
        'Settings',
        EVERYONE,
        Settings,
        ',',
        () => import('./settings/settings.tsx'),
        'password sessions sign out',
      ),
    ],
  },
]

export const pages: readonly PageEntry[] = page_groups.flatMap((group) => group.pages)

const setPassword = () => import('./sign-in/set-password.tsx')

/** Pages that need no session. */
export const open_pages: readonly OpenPageEntry[] = [
  { path: '/welcome', title: 'Welcome', load: setPassword },
  { path: '/invitation', title: 'Invitation', load: setPassword },
]

/** The form of those who are not signed in. */
export const signIn = (): Promise<{ default: ComponentType<SignInProps> }> => import('./sign-in/sign-in.tsx')

/** What `/` searches. */
export const search: Search = async (words) => (await import('./search.ts')).searchAll(words)
