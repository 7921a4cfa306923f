// The return page of providers, their buttons on the sign-in form, and the section of Settings.
import type { OpenPageEntry, SettingsEntry, SignInWayEntry } from '../../console/web/app/page-entry.ts'

export const returning_pages: readonly OpenPageEntry[] = [
  { path: '/sign-in/:provider', title: 'Sign in', load: () => import('./returning.tsx') },
]

async function loadButtons() {
  const { readProviders } = await import('./providers.ts')
  const [buttons] = await Promise.all([import('./provider-buttons.tsx'), readProviders()])
  return buttons
}

export const identity_ways: readonly SignInWayEntry[] = [{ name: 'identity_providers', load: loadButtons }]

export const identity_confirm_ways: readonly SignInWayEntry[] = [
  { name: 'identity_providers', load: () => import('./confirm-buttons.tsx') },
]

export const identity_settings: readonly SettingsEntry[] = [
  { name: 'identities', seen_by: ['operator', 'account'], load: () => import('./identities.tsx') },
]
