// Sessions as the console shows them, and what is sent to sign in.
import { type Static, Type } from '@sinclair/typebox'
import type { KeyOfAccount } from '../../../src/access/lookup.ts'
import { onlyKeyOf, type Viewer } from '../../../src/access/viewer.ts'
import { type CsvColumns, csvTime } from '../../../src/http/csv.ts'
import { PAGE_FIELDS, PAGE_PARAMETERS } from '../../../src/http/paging.ts'
import { Closed, Nullable, OneOf } from '../../../src/http/schema.ts'
import { TimeFields, time } from '../../../src/http/views.ts'
import type { Account, Key, SessionRow } from '../../../src/store/schema.ts'

const Role = OneOf(['operator', 'account', 'key'])
const KeyView = Type.Object({ id: Type.Integer(), name: Type.String(), prefix: Type.String() })

/** A password of any length: what it must be is checked with better words. */
const Password = Type.String({ maxLength: 1_024, must: 'text of at most 1,024 characters' })
const Token = Type.String({ maxLength: 256, must: 'the part of the link after its #' })
const AccountName = Type.String({ minLength: 1, maxLength: 64, must: 'the name of an account' })

/** By password, of the operator where no account is named; or by key. */
export const SignIn = Closed({
  account: Type.Optional(Nullable(Type.String({ maxLength: 64, must: 'the name of an account' }))),
  password: Type.Optional(Password),
  key: Type.Optional(Type.String({ maxLength: 256, must: 'an API key' })),
})

const ViewerView = Type.Object({
  role: Role,
  session_id: Type.Integer(),
  account: Nullable(Type.String({ description: 'null: the operator' })),
  account_id: Nullable(Type.Integer()),
  key: Nullable(KeyView),
  public_url: Nullable(Type.String({ description: 'how callers reach the gateway, where it is set' })),
  rights: Type.Object({
    operate: Type.Boolean({ description: 'sees and changes everything' }),
    see_account: Type.Boolean({
      description: 'sees all calls of the account; false: those of the key only',
    }),
    manage_keys: Type.Boolean({ description: 'creates, rotates and revokes keys' }),
    change_password: Type.Boolean(),
  }),
})

export const SessionView = Type.Object({
  viewer: Nullable(ViewerView),
  operator_is_set: Type.Boolean({ description: 'whether the operator has set a password' }),
  sign_in_refusal: Nullable(Type.String({ description: 'why nobody can sign in over this connection' })),
})

/** @param key the key of a session by key */
export function viewerView(viewer: Viewer, key: Key | undefined, public_url: string | undefined) {
  const { role, session_id } = viewer
  const account = role === 'operator' ? null : viewer.account
  const account_id = role === 'operator' ? null : viewer.account_id
  const rights = {
    operate: role === 'operator',
    see_account: onlyKeyOf(viewer) === undefined,
    manage_keys: role !== 'key',
    change_password: role !== 'key',
  }
  return {
    role,
    session_id,
    account,
    account_id,
    key: key ? keyView(key) : null,
    public_url: public_url ?? null,
    rights,
  }
}

const keyView = ({ id, name, prefix }: KeyOfAccount['key']) => ({ id, name, prefix })

const WHOSE = { whose: Type.Optional(OneOf(['own', 'all'])) }
export const SessionsFileQuery = Closed(WHOSE)
export const SessionsQuery = Closed({ ...PAGE_PARAMETERS, ...WHOSE })

const ListedSession = Type.Object({
  id: Type.Integer(),
  is_current: Type.Boolean(),
  role: Role,
  account: Nullable(Type.String()),
  key: Nullable(KeyView),
  address: Nullable(Type.String()),
  user_agent: Type.String(),
  ...TimeFields('created'),
  ...TimeFields('last_seen'),
  ...TimeFields('expires'),
})

export const SessionsView = Type.Object({ sessions: Type.Array(ListedSession), ...PAGE_FIELDS })

/** @param owner the account and the key that it was signed in with, as far as it was */
export function listedSession(
  row: SessionRow,
  {
    account,
    key,
    current_id,
    expires_at_ms,
  }: {
    account: Pick<Account, 'name'> | undefined
    key: Key | undefined
    current_id: number
    expires_at_ms: number
  },
) {
  const { id, role, address, user_agent, created_at_ms, last_seen_at_ms } = row
  return {
    id,
    is_current: id === current_id,
    role,
    account: account?.name ?? null,
    key: key ? keyView(key) : null,
    address,
    user_agent,
    ...time('created', created_at_ms),
    ...time('last_seen', last_seen_at_ms),
    ...time('expires', expires_at_ms),
  }
}

export const SESSION_COLUMNS: CsvColumns<Static<typeof ListedSession>> = {
  id: ({ id }) => id,
  role: ({ role }) => role,
  account: ({ account }) => account,
  key: ({ key }) => key?.name ?? null,
  key_prefix: ({ key }) => key?.prefix ?? null,
  address: ({ address }) => address,
  browser: ({ user_agent }) => user_agent,
  signed_in_utc: ({ created_at_ms }) => csvTime(created_at_ms),
  last_seen_utc: ({ last_seen_at_ms }) => csvTime(last_seen_at_ms),
  ends_utc: ({ expires_at_ms }) => csvTime(expires_at_ms),
}

export const EndedView = Type.Object({ ended: Type.Integer({ description: 'how many sessions' }) })

export const PasswordChange = Closed({ old_password: Password, new_password: Password })
export const DoneView = Type.Object({ done: Type.Literal(true) })

export const LinkToken = Closed({ token: Token })
export const LinkAcceptance = Closed({ token: Token, password: Password })
export const LinkView = Type.Object({
  role: OneOf(['operator', 'account']),
  account: Nullable(Type.String()),
  has_password: Type.Boolean({ description: 'whether it replaces a password' }),
  min_password_chars: Type.Integer(),
  ...TimeFields('expires'),
})

export const Invitation = Closed({ account: AccountName })
export const InvitationView = Type.Object({
  account: Type.String(),
  url: Type.String({ description: 'works once; shown only here' }),
  ...TimeFields('expires'),
})
