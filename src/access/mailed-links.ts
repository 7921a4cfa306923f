// Links that people request and get by mail: to sign in, to reset the password, and to verify an address.
import { permissionDenied } from '../domain/errors.ts'
import { recordAction } from '../store/actions.ts'
import type { Db, Tx } from '../store/db.ts'
import type { PersonRow, SignInLinkRow } from '../store/schema.ts'
import { claimEmail, personOfEmail } from './emails.ts'
import type { Issuance } from './keys.ts'
import { type Entrance, entranceOf, lockPerson } from './people.ts'
import { peopleQueries } from './people-queries.ts'
import { linkQueries } from './session-queries.ts'
import { readLinkFor, type SignInLink, storeLink } from './sign-in-links.ts'

export const MAILED_LINK_MINUTES = 15
const MINUTE_MS = 60_000
/** A repeated request within this time creates no new link: otherwise a stranger's requests would invalidate the person's link. */
const MIN_BETWEEN_MS = MINUTE_MS

/** A link to be mailed. */
interface MailedLink extends SignInLink {
  person: PersonRow
  /** The account that the person enters; null: the operators' side. */
  account_id: number | null
}

/**
 * Creates a link for the person with an address, replacing an earlier one of the same purpose.
 *
 * @returns undefined if no mail may be sent: the address is unverified, the person can enter neither an account nor the staff's side, or
 * got a link a moment ago
 */
export function makeMailedLink(
  db: Db,
  { email, purpose }: { email: string; purpose: 'sign_in' | 'reset' },
  issuing: Issuance,
): Promise<MailedLink | undefined> {
  return db.begin(async (tx) => {
    const { id: person_id } = (await personOfEmail(tx, email)) ?? {}
    if (person_id === undefined) return undefined
    await lockPerson(tx, person_id)
    const entering = await entranceOf(tx, person_id)
    if (!entering) return undefined
    const { account_id, person } = entering
    // The address may belong to another person now.
    if (person.email !== email || person.email_verified_at_ms === null) return undefined
    const earlier: SignInLinkRow | undefined = await linkQueries(tx).ofPurpose.get({ person_id, purpose })
    if (earlier && earlier.created_at_ms > issuing.now_ms - MIN_BETWEEN_MS) return undefined
    const link = await storeLink(
      tx,
      { person_id, purpose, email: null },
      MAILED_LINK_MINUTES * MINUTE_MS,
      issuing,
    )
    await recordAction(tx, {
      action: 'sign_in_link.mailed',
      account_id: account_id ?? undefined,
      after: { purpose },
    })
    return { ...link, person, account_id }
  })
}

const SIGNS_IN = ['sign_in'] as const

/** Returns the person that a link signs in. @throws GatewayError not_found for an invalid link */
export const readSignInLink = (db: Db, token: string, now_ms: number): Promise<Entrance> =>
  readLinkFor(db, token, now_ms, SIGNS_IN)

/** Consumes a sign-in link. @throws GatewayError not_found for an invalid link */
export async function consumeSignInLink(tx: Tx, token: string, now_ms: number): Promise<Entrance> {
  const { id: person_id } = (await readSignInLink(tx, token, now_ms)).person
  await lockPerson(tx, person_id)
  // Read again under the lock: another request may have consumed it.
  const link = await readSignInLink(tx, token, now_ms)
  await linkQueries(tx).removeOfPurpose.run({ person_id, purpose: 'sign_in' })
  return link
}

/** Creates a link by which a person verifies an address. */
export const makeEmailLink = (
  tx: Tx,
  { person_id, email }: { person_id: number; email: string },
  issuing: Issuance,
): Promise<SignInLink> =>
  storeLink(tx, { person_id, purpose: 'email', email }, MAILED_LINK_MINUTES * MINUTE_MS, issuing)

/**
 * Consumes a link that verifies an address, sets the person's address, and ends their other links, which went to the previous one.
 *
 * @param person_id the signed-in person, who must be the one that requested the link
 * @returns the person before the change, and the address
 * @throws GatewayError not_found for an invalid link; permission_denied for another person's link; conflict as `claimEmail`
 */
export async function consumeEmailLink(
  tx: Tx,
  token: string,
  { person_id, now_ms }: { person_id: number; now_ms: number },
): Promise<{ person: PersonRow; email: string }> {
  await lockPerson(tx, person_id)
  const { person, email } = await readLinkFor(tx, token, now_ms, ['email'])
  if (person.id !== person_id || email === null) throw wrongPerson()
  await claimEmail(tx, { person_id, email, now_ms })
  await linkQueries(tx).removeOfPerson.run({ person_id })
  return { person, email }
}

/** The address that a person has not verified yet, while its link is valid. */
export async function pendingEmail(db: Db, person_id: number, now_ms: number): Promise<string | null> {
  const link: SignInLinkRow | undefined = await linkQueries(db).ofPurpose.get({ person_id, purpose: 'email' })
  return link && link.expires_at_ms > now_ms ? link.email : null
}

export const personById = async (db: Db, id: number): Promise<PersonRow | undefined> =>
  await peopleQueries(db).byId.get({ id })

const wrongPerson = () =>
  permissionDenied(
    'Somebody else asked for this link. Sign in as the person who did, or ignore the mail if you did not.',
    { code: 'other_person' },
  )
