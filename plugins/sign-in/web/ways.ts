// The way to sign in that stands below the form: a link by mail.
import type { SignInWayEntry } from '../../console/web/app/page-entry.ts'

export const mailed_link: SignInWayEntry = { name: 'mailed-link', load: () => import('./mailed-link.tsx') }
