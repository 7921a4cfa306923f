// The pages of the first steps: of account holders, and of the operator. The side bar has neither.
import { ACCOUNTS, OPERATOR, type PageEntry } from '../../console/web/app/page-entry.ts'

export const first_steps_pages: readonly PageEntry[] = [
  { path: '/start', title: 'Get started', seen_by: ACCOUNTS, load: () => import('./start.tsx') },
  { path: '/setup', title: 'First steps', seen_by: OPERATOR, load: () => import('./setup/setup.tsx') },
]
