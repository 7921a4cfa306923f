// The invitation of a person into an account: mailed if there is a mail server, else a link to pass on.
import { makePersonInvitation, type NewInvitation, revokeInvitation } from '../../src/access/invitations.ts'
import type { Issuance } from '../../src/access/keys.ts'
import { personsAddress } from '../../src/domain/mail-address.ts'
import type { Tx } from '../../src/store/db.ts'
import { withoutTrailing } from '../../src/utilities/text-ends.ts'
import { cancelLinks, queueMail } from '../mail/index.ts'

const JOIN_PAGE = '/console/join'

interface InvitationRequest extends Omit<NewInvitation, 'is_mailed'> {
  has_mail: boolean
  /** The name of the inviting person, for the mail; undefined for the operator. */
  inviter: string | undefined
}

interface CreatedInvitation {
  email: string
  /** Undefined if the link was mailed. */
  token: string | undefined
  expires_at_ms: number
}

/** Invites, and queues the mail. The transaction has locked the account. @throws GatewayError as `makePersonInvitation`; invalid_request */
export async function invitePerson(
  tx: Tx,
  { has_mail, inviter, ...invitation }: InvitationRequest,
  issuing: Issuance,
): Promise<CreatedInvitation> {
  const { account, is_counted, invited_by, role } = invitation
  const email = personsAddress(invitation.email)
  const { row, token } = await makePersonInvitation(
    tx,
    { account, is_counted, invited_by, role, email, is_mailed: has_mail },
    issuing,
  )
  const { expires_at_ms } = row
  if (!has_mail) return { email, token, expires_at_ms }
  await queueMail(
    tx,
    {
      purpose: 'invitation',
      to: email,
      account_id: account.id,
      fields: { account: account.name, invited_by: inviter ?? 'The operator' },
      link: { path: `${JOIN_PAGE}#${token}`, expires_at_ms },
      request_key: `member-invitation:${row.id}:${row.sha256.toString('hex').slice(0, 16)}`,
    },
    issuing.now_ms,
  )
  return { email, token: undefined, expires_at_ms }
}

/** Revokes an invitation, and cancels its unsent mail. In a transaction that has locked the account. @throws GatewayError not_found */
export async function withdrawInvitation(tx: Tx, account_id: number, id: number): Promise<void> {
  const { email } = await revokeInvitation(tx, account_id, id)
  await cancelLinks(tx, {
    account_id,
    page: JOIN_PAGE,
    recipient: email,
    failure: 'The invitation was revoked.',
  })
}

export const joinUrl = (base: string, token: string): string =>
  `${withoutTrailing(base, '/')}${JOIN_PAGE}#${token}`
