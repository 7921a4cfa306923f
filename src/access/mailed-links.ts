// Links that people ask for and get by mail: to sign in, to set another password, and to show that an address is theirs.
import { permissionDenied } from '../domain/errors.ts'
import { recordAction } from '../store/actions.ts'
import type { Db, Tx } from '../store/db.ts'
import type { PersonRow, SignInLinkRow } from '../store/schema.ts'
import { claimEmail, personOfEmail } from './emails.ts'
import type { Issuing } from './keys.ts'
import { enteringAs, lockPerson, type PersonIn } from './people.ts'
import { peopleQueries } from './people-queries.ts'
import { linkQueries } from './session-queries.ts'
import { readLinkFor, type SignInLink, storeLink } from './sign-in-links.ts'

export const MAILED_LINK_MINUTES = 15
const MINUTE_MS = 60_000
/** So long a second request for the same gets no other link: whoever asks for somebody else would make theirs stop working. */
const MIN_BETWEEN_MS = MINUTE_MS

/** A link to be mailed. */
interface MailedLink extends SignInLink {
  person: PersonRow
  /** The place where they come in. */
  account_id: number | null
}

/**
 * A link for the person of an address, in place of an earlier one of the same purpose.
 *
 * @returns undefined where no mail may go to it: nobody has shown that it is theirs, they come in nowhere, or got a link a moment ago
 */
export function makeMailedLink(
  db: Db,
  { email, purpose }: { email: string; purpose: 'sign_in' | 'reset' },
  issuing: Issuing,
): Promise<MailedLink | undefined> {
  return db.begin(async (tx) => {
    const { id: person_id } = (await personOfEmail(tx, email)) ?? {}
    if (person_id === undefined) return undefined
    await lockPerson(tx, person_id)
    const entering = await enteringAs(tx, person_id)
    if (!entering) return undefined
    const { account_id, person } = entering
    // It may be another's by now.
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

/** Whom a link signs in. @throws GatewayError not_found for one that is of no use */
export const readSignInLink = (db: Db, token: string, now_ms: number): Promise<PersonIn> =>
  readLinkFor(db, token, now_ms, SIGNS_IN)

/** Uses a link up that signs in. @throws GatewayError not_found for one that is of no use */
export async function takeSignInLink(tx: Tx, token: string, now_ms: number): Promise<PersonIn> {
  const { id: person_id } = (await readSignInLink(tx, token, now_ms)).person
  await lockPerson(tx, person_id)
  // Once more: another may have used it until now.
  const link = await readSignInLink(tx, token, now_ms)
  await linkQueries(tx).removeOfPurpose.run({ person_id, purpose: 'sign_in' })
  return link
}

/** A link by which a person shows that an address is theirs. */
export const makeEmailLink = (
  tx: Tx,
  { person_id, email }: { person_id: number; email: string },
  issuing: Issuing,
): Promise<SignInLink> =>
  storeLink(tx, { person_id, purpose: 'email', email }, MAILED_LINK_MINUTES * MINUTE_MS, issuing)

/**
 * Uses a link up whose address becomes the person's, and ends their other links, which went to the one before.
 *
 * @param person_id who is signed in: a link that somebody else asked for gives them nobody's address
 * @returns the person as they were, and the address
 * @throws GatewayError not_found for a link that is of no use; permission_denied for another person's; conflict as `claimEmail`
 */
export async function takeEmailLink(
  tx: Tx,
  token: string,
  { person_id, now_ms }: { person_id: number; now_ms: number },
): Promise<{ person: PersonRow; email: string }> {
  await lockPerson(tx, person_id)
  const { person, email } = await readLinkFor(tx, token, now_ms, ['email'])
  if (person.id !== person_id || email === null) throw ofAnother()
  await claimEmail(tx, { person_id, email, now_ms })
  await linkQueries(tx).removeOfPerson.run({ person_id })
  return { person, email }
}

/** The address that a person has been sent a link to, and has not shown to be theirs yet. */
export async function pendingEmail(db: Db, person_id: number, now_ms: number): Promise<string | null> {
  const link: SignInLinkRow | undefined = await linkQueries(db).ofPurpose.get({ person_id, purpose: 'email' })
  return link && link.expires_at_ms > now_ms ? link.email : null
}

/** A person by their number. */
export const personById = async (db: Db, id: number): Promise<PersonRow | undefined> =>
  await peopleQueries(db).byId.get({ id })

const ofAnother = () =>
  permissionDenied(
    'Somebody else asked for this link. Sign in as the person who did, or ignore the mail if you did not.',
    { code: 'other_person' },
  )
