// The purposes of mails: the fields of each template, its kind, and the form of a written mail.
import type { BudgetPeriod } from '../../src/domain/budgets.ts'
import type { Nanos } from '../../src/domain/money.ts'

/** The kind of change to a person's ways to sign in. */
type SignInChange =
  | 'email'
  | 'password'
  | 'passkey'
  | 'passkey_removed'
  | 'passkey_copied'
  | 'identity'
  | 'identity_removed'

/** The fields of each template: plain values without secrets, kept for 90 days. A link with its token is passed separately. */
export interface MailFields {
  /** Confirms the address of a person who signs up. */
  verification: Record<never, never>
  /** Tells a person who can sign in already that a visitor signed up with their address. */
  has_account: Record<never, never>
  /** A link by which the recipient may sign up. */
  sign_up_invitation: Record<never, never>
  /** A link that signs in without a password. */
  sign_in: Record<never, never>
  /** A link that makes the recipient's address the new address of a person. */
  email_change: Record<never, never>
  /** A link to set a new password. */
  reset: { account?: string }
  /** A link to set the first password, to join a team, or to join the staff. */
  invitation: { account: string; invited_by?: string } | { staff_role: 'operator' | 'support' | 'auditor' }
  /** A person signed in from a place where they had not signed in before. */
  new_sign_in: { address: string; browser: string; at_ms: number }
  /** Sent to the person's previous address, too. */
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
    /** Null: a limit of the account. */
    key: string | null
    percent: 80 | 100
    period: BudgetPeriod
    limit_nanos: Nanos
    used_nanos: Nanos
    resets_at_ms: number | null
    /** Present for a limit of a plan, whose calls the plan covers; absent for a limit on calls that the balance pays for. */
    plan?: { title: string; overflow: boolean }
  }
  /** The next month of a plan was paid, and has started. */
  plan_renewed: { account: string; plan: string; paid_nanos: Nanos; ends_ms: number }
  /** A plan has started after another one, whose month is over. */
  plan_begun: { account: string; plan: string; before: string; paid_nanos: Nanos; ends_ms: number }
  /** The next month was not paid, and the plan ends unless it is paid in time. `failure` is null if no card was charged. */
  plan_unpaid: { account: string; plan: string; due_nanos: Nanos; until_ms: number; failure: string | null }
  plan_ended: {
    account: string
    plan: string
    reason: 'cancelled' | 'not paid' | 'no longer offered' | 'refunded' | 'payment lost'
  }
  /** A payment for a plan arrived when the plan could no longer start: it was added to the balance. */
  plan_not_begun: { account: string; plan: string; amount: string; credit_nanos: Nanos }
  /** Three charges of the saved card in a row have failed. */
  automatic_top_up_off: { account: string; amount: string; failure: string }
  key_expiring: { account: string; key: string; prefix: string; expires_at_ms: number }
  test: Record<never, never>
}

export type Purpose = keyof MailFields

/** Recipients can unsubscribe from the kind `notice`; mails about security and paid money are always sent. */
type Kind = 'security' | 'money' | 'notice'

interface PurposeFacts {
  /** The title in lists. */
  title: string
  kind: Kind
  /** Whether its link has a token. Then the mail needs a link, and is not sent without. */
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

/** False for a purpose that a newer version of the gateway queued. */
export const isPurpose = (name: string): name is Purpose => Object.hasOwn(PURPOSES, name)

/** The sender as recipients see it. */
export interface Brand {
  name: string
  /** Below the public URL; undefined without one. */
  logo_path: string | undefined
  /** A page or an address for questions; undefined without one. */
  support_url: string | undefined
  /** CSS colors of the button. */
  button: { fill: string; text: string }
}

/** The context of a template besides its fields. */
export interface About {
  brand: Pick<Brand, 'name'>
  link_expires_at_ms: number | null
}

/** The text of a mail: a heading, paragraphs, one button, small print. Plain text, not HTML. */
export interface MailText {
  subject: string
  title: string
  paragraphs: readonly string[]
  /** The button's label, and its path below the public URL; without a path it opens the mail's link. */
  button?: { label: string; path?: string }
  small?: readonly string[]
}

export type Templates = { readonly [P in Purpose]: (fields: MailFields[P], about: About) => MailText }
