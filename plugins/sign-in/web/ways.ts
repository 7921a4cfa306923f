// The entry that adds "Email me a link" below the sign-in form.
import type { SignInWayEntry } from '../../console/web/app/page-entry.ts'

export const mailed_link: SignInWayEntry = { name: 'mailed-link', load: () => import('./mailed-link.tsx') }
