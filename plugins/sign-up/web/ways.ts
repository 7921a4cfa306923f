// The way to signing up, below the form for signing in.
import type { SignInWayEntry } from '../../console/web/app/page-entry.ts'

export const sign_up: SignInWayEntry = { name: 'sign_up', load: () => import('./way.tsx') }
