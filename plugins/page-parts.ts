// Parts that plugins add to the sign-in pages: ways to sign in below the form, and sections of a person's settings.
import type { SettingsEntry, SignInWayEntry } from './console/web/app/page-entry.ts'
import { identity_confirm_ways, identity_settings, identity_ways } from './identity-providers/web/pages.ts'
import { passkey_confirm, passkey_settings, passkey_way } from './passkeys/web/ways.ts'
import { mailed_link } from './sign-in/web/ways.ts'
import { sign_up } from './sign-up/web/ways.ts'

/** Ways to sign in, below the form, in this order. The gateway decides which are offered. */
export const sign_in_ways: readonly SignInWayEntry[] = [passkey_way, ...identity_ways, mailed_link, sign_up]

/** Ways by which a signed-in person confirms their identity, in this order, as far as the person has set them up. */
export const confirm_ways: readonly SignInWayEntry[] = [passkey_confirm, ...identity_confirm_ways]

/** Sections of the settings page, below those of its own plugin. */
export const settings_parts: readonly SettingsEntry[] = [passkey_settings, ...identity_settings]
