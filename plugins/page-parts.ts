// The parts that plugins add to pages of signing in: ways below the form, and sections of one's own settings.
import type { SettingsEntry, SignInWayEntry } from './console/web/app/page-entry.ts'
import { identity_confirm_ways, identity_settings, identity_ways } from './identity-providers/web/pages.ts'
import { passkey_confirm, passkey_settings, passkey_way } from './passkeys/web/ways.ts'
import { mailed_link } from './sign-in/web/ways.ts'
import { sign_up } from './sign-up/web/ways.ts'

/** Below the form for signing in, those that the gateway offers, in this order. */
export const sign_in_ways: readonly SignInWayEntry[] = [passkey_way, ...identity_ways, mailed_link, sign_up]

/** Ways by which a person who is signed in confirms that it is them, those that they have, in this order. */
export const confirm_ways: readonly SignInWayEntry[] = [passkey_confirm, ...identity_confirm_ways]

/** Parts of the page of one's own settings, below those of its plugin. */
export const settings_parts: readonly SettingsEntry[] = [passkey_settings, ...identity_settings]
