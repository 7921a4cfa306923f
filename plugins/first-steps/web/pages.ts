// The pages of the first steps, for the operator and for account holders; both are below Overview.
import { ACCOUNTS, OPERATOR, type PageEntry } from '../../console/web/app/page-entry.ts'

const load = () => import('./first-steps.tsx')

export const first_steps_pages: readonly PageEntry[] = [
  { path: '/start', title: 'Get started', seen_by: ACCOUNTS, below: '/overview', load },
  { path: '/setup', title: 'First steps', seen_by: OPERATOR, right: 'operate', below: '/overview', load },
]
