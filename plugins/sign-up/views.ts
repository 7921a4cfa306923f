// Requests and responses of the console routes of sign-up.
import { Type } from '@sinclair/typebox'
import { TermsView } from '../../src/app/surface/console/terms.ts'
import { Closed, Nullable, OneOf } from '../../src/http/schema.ts'
import { MoneyFields, TimeFields } from '../../src/http/views.ts'
import { MAX_DAYS, MAX_USES } from './codes.ts'
import { CHALLENGES, MODES } from './settings.ts'

const Text = (maxLength: number, must: string) => Type.String({ maxLength, must })
const Email = Text(254, 'an email address')
const Token = Text(256, 'the part of the link after its #')

/** The code of a referral link. */
const Ref = Type.Optional(Type.String({ pattern: '^[0-9a-z]{1,40}$', must: 'the code of a referral link' }))

export const SignUpView = Closed({
  mode: OneOf(MODES, { description: 'who may sign up' }),
  challenge: OneOf(CHALLENGES),
  site_key: Nullable(Type.String({ description: 'of Turnstile' })),
  email_domains: Type.Array(Type.String(), { description: 'the only ones that may sign up; empty: all' }),
  ...MoneyFields('welcome', 'What the first payment brings beside its credit, at most as much as that'),
})

/** As the ALTCHA library makes and solves it. */
export const AltchaView = Type.Object({
  parameters: Type.Unsafe<import('altcha-lib').ChallengeParameters>(Type.Any()),
  signature: Type.Optional(Type.String()),
})

const Code = Text(256, 'the code of an invitation')

export const SignUpForm = Closed({
  email: Email,
  code: Type.Optional(Code),
  ref: Ref,
  solution: Type.Optional(Text(4_096, 'the solution of the challenge')),
})

export const InvitationCode = Closed({ code: Code })

export const LinkToken = Closed({ token: Token })
export const LinkView = Closed({
  email: Type.String(),
  name: Type.String({ description: 'a free one, as a proposal; may be empty' }),
  terms: Nullable(TermsView),
  min_password_chars: Type.Integer(),
  ...TimeFields('expires'),
})

export const Finish = Closed({
  token: Token,
  name: Text(64, 'a name'),
  /** Only the size is limited here: the password rules have better error messages. */
  password: Text(1_024, 'text of at most 1,024 characters'),
  terms: Nullable(TermsView),
  ref: Ref,
})

export const DoneView = Closed({ done: Type.Literal(true) })

export const Invitation = Closed({
  email: Type.Optional(Email),
  uses: Type.Optional(
    Type.Integer({ minimum: 1, maximum: MAX_USES, must: `a whole number from 1 to ${MAX_USES}` }),
  ),
  days: Type.Optional(
    Type.Integer({ minimum: 1, maximum: MAX_DAYS, must: `a whole number from 1 to ${MAX_DAYS}` }),
  ),
})
export const InvitationView = Closed({
  id: Type.Integer(),
  url: Nullable(Type.String({ description: 'shown only here; null if it was mailed' })),
  mailed_to: Nullable(Type.String()),
  uses: Type.Integer(),
  ...TimeFields('expires'),
})
