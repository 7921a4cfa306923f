// Entries of pages, which the console has before it loads their code.
import type { LucideIcon } from 'lucide-react'
import type { ComponentType } from 'react'
import type { Right } from '../../../../src/access/rights.ts'

/** The kinds of viewers. `own_keys` is a limited key, which sees only its own calls, or a member, who sees the calls of their keys. */
export type ViewerKind = 'operator' | 'account' | 'key' | 'own_keys'

export const EVERYONE: readonly ViewerKind[] = ['operator', 'account', 'key', 'own_keys']
/** Pages about an account as a whole. */
export const NOT_OWN_KEYS: readonly ViewerKind[] = ['operator', 'account', 'key']
export const OPERATOR: readonly ViewerKind[] = ['operator']
export const ACCOUNTS: readonly ViewerKind[] = ['account', 'key', 'own_keys']

export interface PageProps {
  params: Readonly<Record<string, string>>
}

/** A page that needs no session, such as an invitation. */
export interface OpenPageEntry {
  /** The path below /console: `/calls`, `/calls/:request_id`. */
  path: string
  /** A noun, shown in the side bar. */
  title: string
  /** Loads the page's code when it is first opened. */
  load: () => Promise<{ default: ComponentType<PageProps> }>
}

export interface PageEntry extends OpenPageEntry {
  seen_by: readonly ViewerKind[]
  /** The right that a viewer needs to see the page. */
  right?: Right
  /** The feature that the operator has to set up for this page, by its name in the session's `features`. */
  feature?: string
  /** Further search words, in lower case. */
  also?: string
  /** A page with an icon is in the side bar, in the order of the list. */
  icon?: LucideIcon
  /** The shortcut `g` and this letter opens the page. */
  letter?: string
  /** For a page outside of the side bar: the path of its parent page, which is marked there. Not needed if this page's path begins with it. */
  below?: string
}

export interface MovedPage {
  path: string
  /** The new address with the same parameters; with a query if the page became part of another one. */
  to: string
}

export interface PageGroup {
  /** For screen readers. */
  title: string
  pages: readonly PageEntry[]
}

/** The form for signing in: a page if nobody is signed in, a dialog over the page when a session has ended. */
export interface SignInProps {
  /** Why the form is shown, if a session has ended. */
  note?: string
  /** Of the form; set by pages that do not lead to the console. */
  title?: string
  lead?: string
  /** Whether only a person, not an API key, can sign in there. */
  is_for_people?: boolean
  onSignedIn: () => void
}

/** A way to sign in other than by password or key, below the form. */
export interface SignInWayEntry {
  /** The plugin's name for it in the gateway's `sign_in_ways`. */
  name: string
  load: () => Promise<{ default: ComponentType<Pick<SignInProps, 'onSignedIn'>> }>
}

/** A section of the page with a person's own settings. */
export interface SettingsEntry {
  name: string
  seen_by: readonly ViewerKind[]
  load: () => Promise<{ default: ComponentType }>
}

export interface Hit {
  /** "account", "key", "call" or "model". */
  kind: string
  label: string
  detail?: string
  /** Below /console. */
  href: string
}

export type Search = (words: string) => Promise<readonly Hit[]>
