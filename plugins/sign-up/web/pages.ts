// The pages of sign-up: the form and the page of the mailed link, without a session; the list for the staff, below Accounts.
import { OPERATOR, type OpenPageEntry, type PageEntry } from '../../console/web/app/page-entry.ts'

export const sign_up_open_pages: readonly OpenPageEntry[] = [
  { path: '/sign-up', title: 'Create an account', load: () => import('./sign-up.tsx') },
  { path: '/sign-up/confirm', title: 'Create an account', load: () => import('./confirm.tsx') },
]

export const sign_up_pages: readonly PageEntry[] = [
  {
    path: '/sign-ups',
    title: 'Sign-ups',
    seen_by: OPERATOR,
    below: '/accounts',
    load: () => import('./page.tsx'),
    also: 'invitations registration terms new customers',
  },
]
