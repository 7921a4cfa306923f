// Pages, as the console knows them before they are loaded.
import type { LucideIcon } from 'lucide-react'
import type { ComponentType } from 'react'
import type { Right } from '../../../../src/access/rights.ts'

/** `own_keys`: signed in with a limited key, which sees its own calls only, or as a member, who sees those of their keys. */
export type Sight = 'operator' | 'account' | 'key' | 'own_keys'

export const EVERYONE: readonly Sight[] = ['operator', 'account', 'key', 'own_keys']
/** Pages about an account as a whole. */
export const NOT_OWN_KEYS: readonly Sight[] = ['operator', 'account', 'key']
export const OPERATOR: readonly Sight[] = ['operator']
export const ACCOUNTS: readonly Sight[] = ['account', 'key', 'own_keys']

/** The named parts of a page's address, decoded. */
export interface PageProps {
  params: Readonly<Record<string, string>>
}

/** A page without a session: the link of a first visit, an invitation. */
export interface OpenPageEntry {
  /** Below /console: `/calls`, `/calls/:request_id`. */
  path: string
  /** Its noun, in the side bar. */
  title: string
  /** Loaded when it is first opened. */
  load: () => Promise<{ default: ComponentType<PageProps> }>
}

export interface PageEntry extends OpenPageEntry {
  seen_by: readonly Sight[]
  /** The right of viewers who find it of use. */
  right?: Right
  /** Of what the operator has to set up: its name among the gateway's `features`. */
  feature?: string
  /** Further words to search for it by, in lower case. */
  also?: string
  /** A page with an icon stands in the side bar, in the order of the list. */
  icon?: LucideIcon
  /** `g` and this letter go to the page. */
  letter?: string
  /** Of a page that is not in the side bar, where its address does not say so: the path of the one above it, which is marked there. */
  below?: string
}

/** An address that a page had before. */
export interface MovedPage {
  /** As in a page entry. */
  path: string
  /** Its address now, with the same named parts, and with a query where it is part of another page. */
  to: string
}

/** Pages of one purpose, together in the side bar. */
export interface PageGroup {
  /** For screen readers. */
  title: string
  pages: readonly PageEntry[]
}

/** The form for signing in: a page if nobody is signed in, a dialog over the page when a session has ended. */
export interface SignInProps {
  /** Why, where a session has ended. */
  note?: string
  /** Of a page that leads on to another thing than the console. */
  title?: string
  lead?: string
  /** Whether an API key is of no use there. */
  is_for_people?: boolean
  /** The session is there: the page goes on. */
  onSignedIn: () => void
}

/** A way to sign in beside a password and a key, below the form. */
export interface SignInWayEntry {
  /** As its plugin calls it in the gateway's `sign_in_ways`. */
  name: string
  load: () => Promise<{ default: ComponentType<Pick<SignInProps, 'onSignedIn'>> }>
}

/** A part of the page of a person's own settings. */
export interface SettingsEntry {
  name: string
  seen_by: readonly Sight[]
  load: () => Promise<{ default: ComponentType }>
}

/** One find of the search. */
export interface Hit {
  /** What it is: "account", "key", "call", "model". */
  kind: string
  label: string
  detail?: string
  /** Below /console. */
  href: string
}

/** Searches for what the viewer may see. */
export type Search = (words: string) => Promise<readonly Hit[]>
