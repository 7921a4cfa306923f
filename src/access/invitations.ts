// Invitations of people to accounts: create, find by the token of the link, use once, and revoke.
import { conflict, notFound, permissionDenied, rateLimited } from '../domain/errors.ts'
import { HOUR_MS } from '../domain/ranges.ts'
import { recordAction } from '../store/actions.ts'
import type { Db, Tx } from '../store/db.ts'
import type { Account, InvitationRow, MembershipRow } from '../store/schema.ts'
import { refuseClosed } from './closing.ts'
import type { Issuance } from './keys.ts'
import { accountQueries, closingQueries } from './queries.ts'
import { hashKey } from './secret.ts'
import { INVITATION_DAYS, makeToken } from './sign-in-links.ts'
import { ACCOUNT_SUSPENDED } from './suspension.ts'
import { invitationQueries, teamQueries } from './team-queries.ts'

/** Limit for an account's own people, since each invitation may be a mail to a stranger. */
const MAX_AN_HOUR = 20
const TOKEN = /^[A-Za-z0-9_-]{32}$/

export interface NewInvitation {
  account: Account
  /** Result of `personsAddress`. */
  email: string
  role: MembershipRow['role']
  /** Whether the link is mailed instead of being shown. */
  is_mailed: boolean
  /** Null: a command. */
  invited_by: number | null
  /** Whether a person of the account invites, for whom the hourly limit applies. */
  is_counted: boolean
}

/**
 * Creates an invitation, replacing an open one for the address, in a transaction that has locked the account. Does not reveal whether a person
 * with the address exists.
 *
 * @returns the row, and the token of the link, which is stored nowhere
 * @throws GatewayError conflict for a closed account, and for a person who is a member; rate_limited
 */
export async function makePersonInvitation(
  tx: Tx,
  { account, email, role, is_mailed, invited_by, is_counted }: NewInvitation,
  { randomBytes, now_ms }: Issuance,
): Promise<{ row: InvitationRow; token: string }> {
  const { id: account_id } = account
  await refuseClosed(tx, account)
  if (await teamQueries(tx).byEmail.get({ account_id, email }))
    throw conflict('Somebody with this address is in the account already. Change their role in the team.', {
      code: 'is_member',
      param: 'email',
    })
  if (is_counted) await requireInvitationQuota(tx, account_id, now_ms)
  const { ofEmail, remove, insert } = invitationQueries(tx)
  const before: InvitationRow | undefined = await ofEmail.get({ account_id, email })
  if (before) await remove.run({ id: before.id })
  const token = makeToken(randomBytes)
  const row: InvitationRow = await insert.get({
    ...{ account_id, email, role, invited_by },
    sha256: hashKey(token),
    is_mailed: Number(is_mailed),
    created_at_ms: now_ms,
    expires_at_ms: now_ms + INVITATION_DAYS * 24 * HOUR_MS,
  })
  const expires_at = new Date(row.expires_at_ms).toISOString()
  await recordAction(tx, { action: 'member.invited', account_id, after: { email, role, expires_at } })
  return { row, token }
}

async function requireInvitationQuota(tx: Tx, account_id: number, now_ms: number): Promise<void> {
  const since_ms = now_ms - HOUR_MS
  const { invited = 0 } = (await invitationQueries(tx).countSince.get({ account_id, since_ms })) ?? {}
  if (invited >= MAX_AN_HOUR)
    throw rateLimited(`An account invites at most ${MAX_AN_HOUR} people an hour. Try again later.`, {
      retry_after_s: HOUR_MS / 1_000,
    })
}

/** Finds the open invitation of a token. @throws GatewayError not_found if it was used, revoked or replaced, or has expired */
export async function readInvitation(
  db: Db,
  token: string,
  now_ms: number,
): Promise<{ invitation: InvitationRow; account: Account }> {
  const invitation: InvitationRow | undefined = TOKEN.test(token)
    ? await invitationQueries(db).byHash.get({ sha256: hashKey(token) })
    : undefined
  if (!invitation || invitation.expires_at_ms <= now_ms) throw invalidInvitation()
  const { account_id } = invitation
  const account = await accountQueries(db).accountById.get({ id: account_id })
  if (!account || (await closingQueries(db).find.get({ account_id }))) throw invalidInvitation()
  return { invitation, account }
}

/**
 * Consumes an invitation in a transaction: of two concurrent requests, only one succeeds.
 *
 * @throws GatewayError not_found as `readInvitation`; permission_denied while the account is suspended
 */
export async function consumeInvitation(
  tx: Tx,
  token: string,
  now_ms: number,
): Promise<{ invitation: InvitationRow; account: Account }> {
  const { account } = await readInvitation(tx, token, now_ms)
  await tx.lock(account.id)
  const taken = await readInvitation(tx, token, now_ms)
  if (taken.account.status === 'suspended') throw cannotJoinNow()
  await invitationQueries(tx).remove.run({ id: taken.invitation.id })
  return taken
}

/** Revokes an open invitation, in a transaction that has locked the account. @throws GatewayError not_found */
export async function revokeInvitation(tx: Tx, account_id: number, id: number): Promise<InvitationRow> {
  const { byId, remove } = invitationQueries(tx)
  const found: InvitationRow | undefined = await byId.get({ account_id, id })
  if (!found) throw notFound('Invitation not found. It may have been used or revoked.')
  await remove.run({ id })
  const { email, role } = found
  await recordAction(tx, { action: 'invitation.revoked', account_id, before: { email, role } })
  return found
}

const cannotJoinNow = () =>
  permissionDenied(
    'This account is suspended, so nobody can join it now. Open this link again once it is resumed.',
    { code: ACCOUNT_SUSPENDED },
  )
const invalidInvitation = () =>
  notFound(
    'This invitation was already used, was revoked or replaced by a newer one, or has expired. Ask for a new one.',
    { code: 'link_not_valid', param: 'token' },
  )
