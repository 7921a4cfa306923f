// The entry that adds the sign-up link below the sign-in form.
import type { SignInWayEntry } from '../../console/web/app/page-entry.ts'

export const sign_up: SignInWayEntry = { name: 'sign_up', load: () => import('./way.tsx') }
