// The entry of the page of mails, below System.
import { OPERATOR, type PageEntry } from '../../console/web/app/page-entry.ts'

export const mail_pages: readonly PageEntry[] = [
  {
    path: '/system/mails',
    title: 'Mails',
    seen_by: OPERATOR,
    load: () => import('./page.tsx'),
    also: 'email notices invitations unsubscribed smtp',
  },
]
