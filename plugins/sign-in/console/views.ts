// Requests and responses of the routes of sessions, passwords and links.
import { Type } from '@sinclair/typebox'
import { RIGHT_NAMES, type Right } from '../../../src/access/rights.ts'
import { onlyKeysOf, type Viewer } from '../../../src/access/viewer.ts'
import { TermsView } from '../../../src/app/surface/console/terms.ts'
import { Closed, Nullable, OneOf } from '../../../src/http/schema.ts'
import { TimeFields } from '../../../src/http/views.ts'
import type { Key, PersonRow } from '../../../src/store/schema.ts'

import { SessionKey, SIDES, sessionKey } from '../list.ts'
import { SuspensionView } from './suspension.ts'

/** Only the size is limited here: the password rules have better error messages. */
const Password = Type.String({ maxLength: 1_024, must: 'text of at most 1,024 characters' })
const Token = Type.String({ maxLength: 256, must: 'the part of the link after its #' })
const AccountName = Type.String({ minLength: 1, maxLength: 64, must: 'the name of an account' })

/** By password, as the first operator if `account` is absent; or by key. */
export const SignIn = Closed({
  account: Type.Optional(
    Nullable(Type.String({ maxLength: 254, must: 'the name of an account, or a person’s email address' })),
  ),
  password: Type.Optional(Password),
  key: Type.Optional(Type.String({ maxLength: 256, must: 'an API key' })),
})

const ViewerView = Type.Object({
  side: SIDES,
  role: OneOf(['operator', 'support', 'auditor', 'owner', 'member', 'billing', 'key']),
  session_id: Type.Integer(),
  person: Nullable(Type.Object({ name: Type.String(), email: Nullable(Type.String()) })),
  account: Nullable(Type.String({ description: 'null: the staff' })),
  account_id: Nullable(Type.Integer()),
  key: Nullable(SessionKey),
  public_url: Nullable(
    Type.String({ description: 'the address at which callers reach the gateway, if it is set' }),
  ),
  see_account: Type.Boolean({
    description: 'sees all calls of the account; false: those of the key, or of a member’s keys, only',
  }),
  suspension: Nullable(SuspensionView),
  rights: Type.Array(OneOf(RIGHT_NAMES)),
  features: Type.Array(Type.String(), { description: 'the optional features that are set up here' }),
})

export const SessionView = Type.Object({
  viewer: Nullable(ViewerView),
  operator_is_set: Type.Boolean({ description: 'whether an operator can sign in' }),
  ways: Type.Array(Type.String(), { description: 'how visitors can sign in beside a password and a key' }),
  sign_in_refusal: Nullable(Type.String({ description: 'why nobody can sign in over this connection' })),
})

interface ViewerFacts {
  /** The key of a session by key. */
  key: Key | undefined
  /** The viewer of any other session. */
  person: PersonRow | undefined
  public_url: string | undefined
  suspension: SuspensionView | null
  rights: Right[]
  features: string[]
}

export function viewerView(
  viewer: Viewer,
  { key, person, public_url, suspension, rights, features }: ViewerFacts,
) {
  const { side, role, session_id } = viewer
  return {
    side,
    role,
    session_id,
    person: person ? { name: person.name, email: person.email } : null,
    account: viewer.side === 'operator' ? null : viewer.account,
    account_id: viewer.side === 'operator' ? null : viewer.account_id,
    key: key ? sessionKey(key) : null,
    public_url: public_url ?? null,
    see_account: onlyKeysOf(viewer) === undefined,
    suspension,
    rights,
    features,
  }
}

export const EndedView = Type.Object({ ended: Type.Integer({ description: 'how many sessions' }) })

export const Confirmation = Closed({ password: Password })
export const ConfirmingView = Type.Object({
  has_password: Type.Boolean(),
  ways: Type.Array(Type.String(), { description: 'the ways to sign in that this person has' }),
})

export const PasswordChange = Closed({ old_password: Password, new_password: Password })
export const DoneView = Type.Object({ done: Type.Literal(true) })

export const LinkToken = Closed({ token: Token })
export const LinkAcceptance = Closed({
  token: Token,
  password: Password,
  /** Absent or null if none were accepted. */
  terms: Type.Optional(Nullable(TermsView)),
})
export const NewName = Closed({ name: Type.String({ maxLength: 400, must: 'a name' }) })
export const NewEmail = Closed({ email: Type.String({ maxLength: 254, must: 'an email address' }) })
/** The viewer's own name and address. */
export const MeView = Type.Object({
  name: Type.String(),
  email: Nullable(Type.String()),
  email_is_verified: Type.Boolean({ description: 'whether the person has verified the address' }),
  pending_email: Nullable(Type.String({ description: 'an address that a link was mailed to' })),
  has_password: Type.Boolean(),
  can_mail: Type.Boolean({ description: 'whether this gateway sends mails' }),
})

export const LINK_PURPOSES = ['password', 'reset', 'sign_in'] as const
export const MailedLink = Closed({
  email: Type.String({ maxLength: 254, must: 'an email address' }),
  purpose: OneOf(['sign_in', 'reset']),
})
export const MailedLinkView = Type.Object({
  minutes: Type.Integer({ description: 'how long the link works, if one is sent' }),
})
export const LinkView = Type.Object({
  purpose: OneOf(LINK_PURPOSES),
  person: Type.String({ description: 'the name of the person who signs in' }),
  email: Nullable(
    Type.String({
      description: 'the address with which the person signs in; null if they use the name of the account',
    }),
  ),
  role: OneOf(['operator', 'account']),
  account: Nullable(Type.String()),
  has_password: Type.Boolean({ description: 'whether it replaces a password' }),
  /** The terms that the person accepts with their first password; null if none exist. */
  terms: Nullable(TermsView),
  min_password_chars: Type.Integer(),
  ...TimeFields('expires'),
})

export const Invitation = Closed({
  account: AccountName,
  as_link: Type.Optional(
    Type.Boolean({ description: 'answers with the link, also where it could be mailed' }),
  ),
})
export const InvitationView = Type.Object({
  account: Type.String(),
  url: Nullable(Type.String({ description: 'works once; shown only here; null if it was mailed' })),
  mailed_to: Nullable(Type.String({ description: 'the address that it is mailed to; null if it was not' })),
  ...TimeFields('expires'),
})
