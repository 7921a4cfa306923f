// An invitation: by mail where there is a mail server and the account has an address, else as a link to pass on.
import { detailsOf } from '../../src/access/account-details.ts'
import { lockedAccount } from '../../src/access/accounts.ts'
import type { Issuing } from '../../src/access/keys.ts'
import { makeInvitation, readLink, type SignInLink } from '../../src/access/sign-in-links.ts'
import { teamQueries } from '../../src/access/team-queries.ts'
import type { Tx } from '../../src/store/db.ts'
import type { PersonRow } from '../../src/store/schema.ts'
import { cancelLinks, isMailAddress, queueMail } from '../mail/index.ts'

export const INVITATION_PAGE = '/console/invitation'

interface Invited extends SignInLink {
  account: string
  /** Undefined: it was not mailed, and the link is to be shown. */
  mailed_to: string | undefined
}

interface Inviting extends Issuing {
  /** Whether there is a mail server. */
  has_mail: boolean
}

/**
 * Makes a link by which an account sets its password, in place of an earlier one, and queues its mail. A mailed link is shown to nobody else.
 *
 * @throws GatewayError as `makeInvitation`
 */
export async function invite(
  tx: Tx,
  account_name: string,
  { has_mail, ...issuing }: Inviting,
): Promise<Invited> {
  // Before the account: in the order of `makeInvitation`.
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
      // Each invitation has a link of its own.
      request_key: `invitation:${crypto.randomUUID()}`,
    },
    issuing.now_ms,
  )
  return { ...made, account: account.name, mailed_to: email }
}

/**
 * Where an invitation is mailed: to the account. The password of an owner who is in other accounts, too, lets in there as well: its link goes to
 * an address that they have shown to be theirs, whoever reads the account's mails. Empty: it can go nowhere.
 */
async function addressFor(tx: Tx, account_id: number, person: PersonRow): Promise<string> {
  const own = await teamQueries(tx).accountsOf.all({ person_id: person.id })
  if (own.every(({ account }) => account.id === account_id)) return (await detailsOf(tx, account_id)).email
  return person.email_verified_at_ms === null ? '' : (person.email ?? '')
}
