// Requests and responses of the console routes of teams.
import { Type } from '@sinclair/typebox'
import { UsdText } from '../../../src/app/surface/console/fields.ts'
import { ACCOUNT_PARAMETER } from '../../../src/app/surface/console/references.ts'
import { TermsView } from '../../../src/app/surface/console/terms.ts'
import { WholeNumber } from '../../../src/http/parameters.ts'
import { Closed, Nullable } from '../../../src/http/schema.ts'
import { TimeFields } from '../../../src/http/views.ts'
import { Roles } from '../list.ts'

const Token = Type.String({ maxLength: 256, must: 'the part of the link after its #' })
const Person = WholeNumber({ minimum: 1 }, 'the number of a person')

export const NewInvitation = Closed({
  ...ACCOUNT_PARAMETER,
  email: Type.String({ maxLength: 254, must: 'an email address' }),
  role: Roles,
  as_link: Type.Optional(
    Type.Boolean({ description: 'for operators: answers with the link, also where it could be mailed' }),
  ),
})
export const InvitedView = Closed({
  email: Type.String(),
  url: Nullable(Type.String({ description: 'works once; shown only here; null if it was mailed' })),
  ...TimeFields('expires'),
})

/** What happens to the person's keys: revoke them, or hand them over. At most one of the two. */
const KEYS_CHOICE = {
  keys: Type.Optional(Type.Literal('revoke', { must: '"revoke"' })),
  keys_to: Type.Optional(Person),
}
const WITHOUT_OWNER = Type.Optional(
  Type.Boolean({ description: 'for operators: the account may be left without an owner' }),
)
export const RoleChange = Closed({
  ...ACCOUNT_PARAMETER,
  role: Roles,
  ...KEYS_CHOICE,
  without_owner: WITHOUT_OWNER,
})
export const Removal = Closed({ ...ACCOUNT_PARAMETER, ...KEYS_CHOICE, without_owner: WITHOUT_OWNER })
const Limit = Type.Optional(Nullable(UsdText))
/** Spend limits of all keys of a person together; null removes a limit. */
export const Limits = Closed({
  ...ACCOUNT_PARAMETER,
  five_hour_limit: Limit,
  daily_limit: Limit,
  weekly_limit: Limit,
  monthly_limit: Limit,
})
export const AccountQuery = Closed(ACCOUNT_PARAMETER)
export const PersonParams = Type.Object({ person: Person })
export const InvitationParams = Type.Object({
  id: WholeNumber({ minimum: 1 }, 'the number of an invitation'),
})
export const DoneView = Closed({ done: Type.Literal(true) })

export const LinkToken = Closed({ token: Token })
export const LinkView = Closed({
  account: Type.String(),
  email: Type.String(),
  role: Roles,
  signs_in: Type.Boolean({ description: 'the address belongs to a person here, who signs in to join' }),
  /** Null for a visitor without a session. */
  signed_in_as: Nullable(Type.String({ description: 'the name of the signed-in person, who would join' })),
  /** The terms that a new person accepts; null if none exist. */
  terms: Nullable(TermsView),
  min_password_chars: Type.Integer(),
  ...TimeFields('expires'),
})
export const NewMember = Closed({
  token: Token,
  name: Type.String({ maxLength: 200, must: 'a name' }),
  password: Type.String({ maxLength: 1_024, must: 'text of at most 1,024 characters' }),
  /** Absent or null if none were accepted. */
  terms: Type.Optional(Nullable(TermsView)),
})

export const SidesView = Closed({
  sides: Type.Array(
    Closed({
      account_id: Nullable(Type.Integer({ description: 'null: the staff' })),
      account: Nullable(Type.String()),
      role: Type.String(),
      is_suspended: Type.Boolean({ description: 'whether its calls are refused until it is resumed' }),
      is_current: Type.Boolean(),
    }),
  ),
})
export const SideChoice = Closed({
  account_id: Nullable(WholeNumber({ minimum: 1 }, 'the number of an account, or null for the staff')),
})
