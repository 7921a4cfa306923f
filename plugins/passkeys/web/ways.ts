// The entries that add passkeys to the sign-in form, the confirmation dialog and Settings.
import type { SettingsEntry, SignInWayEntry } from '../../console/web/app/page-entry.ts'

export const passkey_way: SignInWayEntry = { name: 'passkey', load: () => import('./sign-in.tsx') }
export const passkey_confirm: SignInWayEntry = { name: 'passkey', load: () => import('./confirm.tsx') }
export const passkey_settings: SettingsEntry = {
  name: 'passkeys',
  seen_by: ['operator', 'account'],
  load: () => import('./settings.tsx'),
}
