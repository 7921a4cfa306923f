// Invitations to set a password: by mail if there is a mail server and an address, else as a link to pass on.
import { detailsOf } from '../../src/access/account-details.ts'
import { lockedAccount } from '../../src/access/accounts.ts'
import type { Issuance } from '../../src/access/keys.ts'
import { makeInvitation, readLink, type SignInLink } from '../../src/access/sign-in-links.ts'
import { teamQueries } from '../../src/access/team-queries.ts'
import type { Tx } from '../../src/store/db.ts'
import type { PersonRow } from '../../src/store/schema.ts'
import { cancelLinks, isMailAddress, queueMail } from '../mail/index.ts'

export const INVITATION_PAGE = '/console/invitation'

interface CreatedInvitation extends SignInLink {
  account: string
  /** Undefined if the link was not mailed: then the caller shows it. */
  mailed_to: string | undefined
}

interface InvitationOptions extends Issuance {
  /** Whether there is a mail server. */
  has_mail: boolean
}

/**
 * Creates a link by which an account sets its password, replaces the earlier one, and queues its mail. A mailed link is not shown to anybody else.
 *
 * @throws GatewayError as `makeInvitation`
 */
export async function invite(
  tx: Tx,
  account_name: string,
  { has_mail, ...issuing }: InvitationOptions,
): Promise<CreatedInvitation> {
  // Locks in the order of `makeInvitation`: this lock before the account's.
  await tx.lock(null)
  const account = await lockedAccount(tx, account_name)
  const made = await makeInvitation(tx, account_name, issuing)
  await cancelLinks(tx, { account_id: account.id, page: INVITATION_PAGE })
  const { has_password, person } = await readLink(tx, made.token, issuing.now_ms)
  const email = await addressFor(tx, account.id, person)
  if (!has_mail || !isMailAddress(email)) return { ...made, account: account.name, mailed_to: undefined }
  await queueMail(
    tx,
    {
      purpose: has_password ? 'reset' : 'invitation',
      to: email,
      account_id: account.id,
      fields: { account: account.name },
      link: { path: `${INVITATION_PAGE}#${made.token}`, expires_at_ms: made.expires_at_ms },
      // Each invitation has a new link, and so a new mail.
      request_key: `invitation:${crypto.randomUUID()}`,
    },
    issuing.now_ms,
  )
  return { ...made, account: account.name, mailed_to: email }
}

/**
 * Returns the address for an invitation: the account's. If the owner is also in other accounts, the password opens those, too: then the link goes
 * only to an address that the owner has verified, not to the account's readers. Empty if there is no such address.
 */
async function addressFor(tx: Tx, account_id: number, person: PersonRow): Promise<string> {
  const own = await teamQueries(tx).accountsOf.all({ person_id: person.id })
  if (own.every(({ account }) => account.id === account_id)) return (await detailsOf(tx, account_id)).email
  return person.email_verified_at_ms === null ? '' : (person.email ?? '')
}
