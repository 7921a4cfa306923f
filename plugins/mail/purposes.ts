// The purposes of mails: what each fills in, its kind, and the form of a written mail.
import type { BudgetPeriod } from '../../src/domain/budgets.ts'
import type { Nanos } from '../../src/domain/money.ts'

/** The part that changed of how somebody signs in. */
type SignInChange =
  | 'email'
  | 'password'
  | 'passkey'
  | 'passkey_removed'
  | 'passkey_copied'
  | 'identity'
  | 'identity_removed'

/** The values that each mail fills in; plain values without secrets, kept for 90 days. A link and its token are given apart. */
export interface MailFields {
  /** Somebody signed up: their address is theirs. */
  verification: Record<never, never>
  /** Somebody signed up with the address of a person who can sign in. */
  has_account: Record<never, never>
  /** A link by which somebody may sign up. */
  sign_up_invitation: Record<never, never>
  /** A link that signs in, in place of a password. */
  sign_in: Record<never, never>
  /** A link that makes the address theirs, in place of the one before. */
  email_change: Record<never, never>
  /** A link to a new password. */
  reset: { account?: string }
  /** A link to the first password, into a team, or to the staff. */
  invitation: { account: string; invited_by?: string } | { staff_role: 'operator' | 'support' | 'auditor' }
  /** Signed in from a place that is not known of this person. */
  new_sign_in: { address: string; browser: string; at_ms: number }
  /** Sent to the address of before, too. */
  sign_in_changed: { change: SignInChange; at_ms: number }
  low_balance: {
    account: string
    reason: 'debt' | 'empty' | 'call' | 'pace'
    available_nanos: Nanos
    debt_nanos: Nanos
    lasts_days: number | null
  }
  budget: {
    account: string
    /** Null: of the account itself. */
    key: string | null
    percent: 80 | 100
    period: BudgetPeriod
    limit_nanos: Nanos
    used_nanos: Nanos
    resets_at_ms: number | null
    /** Of calls that a plan covers; absent: of those that the balance pays for. */
    plan?: { title: string; overflow: boolean }
  }
  /** The next month of a plan was paid and has begun. */
  plan_renewed: { account: string; plan: string; paid_nanos: Nanos; ends_ms: number }
  /** A plan has begun in place of another, whose month is over. */
  plan_begun: { account: string; plan: string; before: string; paid_nanos: Nanos; ends_ms: number }
  /** It was not, and the plan ends unless it is. Null: the balance was too low, and no card is charged. */
  plan_unpaid: { account: string; plan: string; due_nanos: Nanos; until_ms: number; failure: string | null }
  plan_ended: {
    account: string
    plan: string
    reason: 'cancelled' | 'not paid' | 'no longer offered' | 'refunded' | 'payment lost'
  }
  /** A payment for a plan came when the plan could not begin any more: the money is balance. */
  plan_not_begun: { account: string; plan: string; amount: string; credit_nanos: Nanos }
  /** Three charges of the saved card in a row have failed. */
  automatic_top_up_off: { account: string; amount: string; failure: string }
  key_expiring: { account: string; key: string; prefix: string; expires_at_ms: number }
  test: Record<never, never>
}

export type Purpose = keyof MailFields

/** `notice`: the recipient can unsubscribe from it. Those of security and of money paid go to everybody. */
type Kind = 'security' | 'money' | 'notice'

interface PurposeFacts {
  /** In lists. */
  title: string
  kind: Kind
  /** Its link has a token: queued with one, and not sent without. */
  has_token: boolean
}

export const PURPOSES: Readonly<Record<Purpose, PurposeFacts>> = {
  verification: { title: 'Verification', kind: 'security', has_token: true },
  has_account: { title: 'Account exists', kind: 'security', has_token: false },
  sign_up_invitation: { title: 'Invitation to sign up', kind: 'security', has_token: true },
  sign_in: { title: 'Sign-in link', kind: 'security', has_token: true },
  email_change: { title: 'Address change', kind: 'security', has_token: true },
  reset: { title: 'Password reset', kind: 'security', has_token: true },
  invitation: { title: 'Invitation', kind: 'security', has_token: true },
  new_sign_in: { title: 'New sign-in', kind: 'security', has_token: false },
  sign_in_changed: { title: 'Sign-in changed', kind: 'security', has_token: false },
  low_balance: { title: 'Low balance', kind: 'notice', has_token: false },
  budget: { title: 'Spend limit', kind: 'notice', has_token: false },
  plan_renewed: { title: 'Plan renewed', kind: 'money', has_token: false },
  plan_begun: { title: 'Plan started', kind: 'money', has_token: false },
  plan_unpaid: { title: 'Plan not paid', kind: 'money', has_token: false },
  plan_ended: { title: 'Plan ended', kind: 'money', has_token: false },
  plan_not_begun: { title: 'Plan not started', kind: 'money', has_token: false },
  automatic_top_up_off: { title: 'Automatic top-up off', kind: 'money', has_token: false },
  key_expiring: { title: 'API key expiring', kind: 'notice', has_token: false },
  test: { title: 'Test', kind: 'security', has_token: false },
}

/** A name that a newer version may have written. */
export const isPurpose = (name: string): name is Purpose => Object.hasOwn(PURPOSES, name)

/** The sender as recipients know it. */
export interface Brand {
  name: string
  /** Below the public URL; undefined without one. */
  logo_path: string | undefined
  /** A page or an address for questions; undefined without one. */
  support_url: string | undefined
  /** The colours of the button, as CSS has them. */
  button: { fill: string; text: string }
}

/** The context of a template besides its fields. */
export interface About {
  brand: Pick<Brand, 'name'>
  link_expires_at_ms: number | null
}

/** A mail as it is written: a heading, paragraphs, one button, small print. Plain text throughout. */
export interface MailText {
  subject: string
  title: string
  paragraphs: readonly string[]
  /** The label of the button, and where it leads if not to the mail's own link: a path below the public URL. */
  button?: { label: string; path?: string }
  small?: readonly string[]
}

export type Templates = { readonly [P in Purpose]: (fields: MailFields[P], about: About) => MailText }
