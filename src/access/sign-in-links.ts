// One-time links to set a password: for the operator's first visit, invited accounts, and resets by mail.
import { conflict, notFound } from '../domain/errors.ts'
import { HOUR_MS } from '../domain/ranges.ts'
import { recordAction, recordActions } from '../store/actions.ts'
import type { Db, Tx } from '../store/db.ts'
import { type Account, type SignInLinkRow, sign_in_links } from '../store/schema.ts'
import { lockedAccount } from './accounts.ts'
import { refuseClosed } from './closing.ts'
import type { Issuance } from './keys.ts'
import { hashOf, setPassword } from './passwords.ts'
import { type Entrance, entranceOf, lockPerson, requireFirstOperator, requireOwners } from './people.ts'
import { peopleQueries } from './people-queries.ts'
import { accountQueries } from './queries.ts'
import { hashKey } from './secret.ts'
import { linkQueries, sessionQueries } from './session-queries.ts'

export const OPERATORS_LINK_HOURS = 24
export const INVITATION_DAYS = 7

/** 192 bits, so that a link fits a terminal of 80 columns. */
const TOKEN_BYTES = 24
const TOKEN = /^[A-Za-z0-9_-]{32}$/

/** A new link. Its token is shown once; only its hash is stored. */
export interface SignInLink {
  token: string
  expires_at_ms: number
}

/** Creates a link for the first operator, replacing an earlier one. */
export const makeOperatorsLink = (db: Db, issuing: Issuance): Promise<SignInLink> =>
  db.begin(async (tx) => {
    await tx.lock(null)
    const { id: person_id } = await requireFirstOperator(tx, issuing.now_ms)
    return await makeLink(tx, { person_id, account_id: null }, OPERATORS_LINK_HOURS * HOUR_MS, issuing)
  })

/**
 * Creates the first operator's link at a start, replacing the link of an earlier start. An operator who was invited by address keeps the
 * invitation's link, which may be in their mail.
 *
 * @returns the link, or the address of an invited operator whose link is valid
 */
export const makeStartLink = (db: Db, issuing: Issuance): Promise<SignInLink | { invited: string }> =>
  db.begin(async (tx) => {
    await tx.lock(null)
    const { id: person_id, email } = await requireFirstOperator(tx, issuing.now_ms)
    const open: SignInLinkRow | undefined = await linkQueries(tx).ofPurpose.get({
      person_id,
      purpose: 'password',
    })
    if (email !== null && open && open.expires_at_ms > issuing.now_ms) return { invited: email }
    return await makeLink(tx, { person_id, account_id: null }, OPERATORS_LINK_HOURS * HOUR_MS, issuing)
  })

/** Creates a link for a staff member, replacing an earlier one. In a transaction that has locked the operator. */
export const makeStaffLink = (
  tx: Tx,
  { person_id, subject, lasts_ms }: { person_id: number; subject: string; lasts_ms: number },
  issuing: Issuance,
): Promise<SignInLink> => makeLink(tx, { person_id, account_id: null, subject }, lasts_ms, issuing)

/**
 * Creates a link for the first owner of an account, replacing an earlier one. Creates the owner if the account has none.
 *
 * @throws GatewayError not_found without the account; conflict if it is closed, or its owner is a staff member
 */
export function makeInvitation(db: Db, account_name: string, issuing: Issuance): Promise<SignInLink> {
  return db.begin(async (tx) => {
    await tx.lock(null)
    const account = await lockedAccount(tx, account_name)
    await refuseClosed(tx, account)
    const person_id = await requireOwner(tx, account, issuing.now_ms)
    await refuseStaff(tx, person_id, account)
    return await makeLink(tx, { person_id, account_id: account.id }, INVITATION_DAYS * 24 * HOUR_MS, issuing)
  })
}

/**
 * Refuses staff members: the link is shown to support and mailed to the account's address, and must not give operator rights.
 *
 * @throws GatewayError conflict if the owner is a staff member
 */
async function refuseStaff(tx: Tx, person_id: number, { name }: Account): Promise<void> {
  const found = await peopleQueries(tx).ofStaff.get({ person_id })
  if (!found) return
  const { email } = found.person
  const advice = email === null ? '`tollgate console link`' : `\`tollgate console link --email ${email}\``
  throw conflict(
    `The owner of "${name}" is of the staff, and signs in as such. An operator makes a link for them by ${advice}.`,
    { code: 'owner_is_staff' },
  )
}

async function requireOwner(tx: Tx, { id: account_id, name }: Account, now_ms: number): Promise<number> {
  const person_id = (await requireOwners(tx, [{ account_id, name }], now_ms)).get(account_id)
  if (person_id === undefined) throw new Error(`account ${account_id} has no owner`)
  return person_id
}

/** A link with a token that was generated in advance, for an account whose owner has no link. */
export interface PreparedInvitation extends SignInLink {
  account_id: number
  name: string
}

/** Generates the token of a link. */
export const makeToken = (randomBytes: Issuance['randomBytes']): string =>
  Buffer.from(randomBytes(TOKEN_BYTES)).toString('base64url')

/** Stores the links of many accounts, in a transaction that has locked the operator. An account that got a link meanwhile keeps it. */
export async function storeInvitations(
  tx: Tx,
  prepared: readonly PreparedInvitation[],
  now_ms: number,
): Promise<void> {
  if (prepared.length === 0) return
  const owners = await requireOwners(tx, prepared, now_ms)
  await tx.orm
    .insert(sign_in_links)
    .values(
      prepared.flatMap(({ account_id, token, expires_at_ms }) => {
        const person_id = owners.get(account_id)
        return person_id === undefined
          ? []
          : [
              {
                person_id,
                purpose: 'password' as const,
                sha256: hashKey(token),
                created_at_ms: now_ms,
                expires_at_ms,
              },
            ]
      }),
    )
    .onConflictDoNothing()
  await recordActions(
    tx,
    prepared.map(({ account_id, expires_at_ms }) => ({
      action: 'invitation.created',
      account_id,
      after: { expires_at: new Date(expires_at_ms).toISOString() },
    })),
  )
}

/** Whether an operator can sign in in any way. */
export const hasOperator = async (db: Db): Promise<boolean> =>
  (await peopleQueries(db).operatorWithWayIn.get()) !== undefined

type LinkPurpose = SignInLinkRow['purpose']

/** Purposes that set a password. */
const SETS_PASSWORD = ['password', 'reset'] as const

export type PasswordLink = OpenLink<(typeof SETS_PASSWORD)[number]>

/** A valid link with its person. */
export interface OpenLink<P extends LinkPurpose> extends Entrance {
  purpose: P
  /** The address that the link verifies. */
  email: string | null
  /** Undefined for an operator. */
  account: Account | undefined
  expires_at_ms: number
  /** Whether the person has a password, which the link would replace. */
  has_password: boolean
}

/** Reads a link that sets a password. @throws GatewayError not_found if it is unknown, was used or replaced, or has expired */
export const readLink = (db: Db, token: string, now_ms: number): Promise<PasswordLink> =>
  readLinkFor(db, token, now_ms, SETS_PASSWORD)

/** Reads a link for one of these purposes. @throws GatewayError not_found as `readLink` */
export async function readLinkFor<P extends LinkPurpose>(
  db: Db,
  token: string,
  now_ms: number,
  purposes: readonly P[],
): Promise<OpenLink<P>> {
  const found: SignInLinkRow | undefined = TOKEN.test(token)
    ? await linkQueries(db).byHash.get({ sha256: hashKey(token) })
    : undefined
  const purpose = purposes.find((one) => one === found?.purpose)
  if (!found || purpose === undefined || found.expires_at_ms <= now_ms) throw noSuchLink()
  const { person_id, email, expires_at_ms } = found
  const entering = await entranceOf(db, person_id)
  if (!entering) throw noSuchLink()
  const { account_id } = entering
  const has_password = (await hashOf(db, person_id)) !== undefined
  const about = { ...entering, purpose, email, expires_at_ms, has_password }
  if (account_id === null) return { ...about, account: undefined }
  const account = await accountQueries(db).accountById.get({ id: account_id })
  if (!account) throw noSuchLink()
  return { ...about, account }
}

/**
 * Consumes a link: sets the password and ends the person's sessions.
 *
 * @param hash hash of the new password
 * @throws GatewayError not_found as `readLink`
 */
export function consumeLink(
  db: Db,
  token: string,
  { hash, now_ms }: { hash: string; now_ms: number },
): Promise<PasswordLink> {
  return db.begin(async (tx) => {
    const { id: person_id } = (await readLink(tx, token, now_ms)).person
    await lockPerson(tx, person_id)
    // Read again under the lock: another request may have consumed it.
    const link = await readLink(tx, token, now_ms)
    await linkQueries(tx).removeOfPerson.run({ person_id })
    await setPassword(tx, { person_id, hash, now_ms })
    await sessionQueries(tx).removeOthers.all({ person_id, key_id: null, id: 0 })
    return link
  })
}

/** Creates a link to set a password, in a transaction that has locked the operator. */
export async function makeLink(
  tx: Tx,
  {
    person_id,
    account_id,
    subject,
  }: { person_id: number; account_id: number | null; subject?: string | undefined },
  lasts_ms: number,
  { randomBytes, now_ms }: Issuance,
): Promise<SignInLink> {
  const made = await storeLink(tx, { person_id, purpose: 'password', email: null }, lasts_ms, {
    randomBytes,
    now_ms,
  })
  await recordAction(tx, {
    action: account_id === null ? 'operator_link.created' : 'invitation.created',
    account_id: account_id ?? undefined,
    subject,
    after: { expires_at: new Date(made.expires_at_ms).toISOString() },
  })
  return made
}

/** Stores a link with a new token, replacing the person's earlier one of the same purpose. */
export async function storeLink(
  tx: Tx,
  { person_id, purpose, email }: Pick<SignInLinkRow, 'person_id' | 'purpose' | 'email'>,
  lasts_ms: number,
  { randomBytes, now_ms }: Issuance,
): Promise<SignInLink> {
  const token = makeToken(randomBytes)
  const expires_at_ms = now_ms + lasts_ms
  await lockPerson(tx, person_id)
  const { removeOfPurpose, insert } = linkQueries(tx)
  await removeOfPurpose.run({ person_id, purpose })
  await insert.run({ person_id, purpose, email, sha256: hashKey(token), now_ms, expires_at_ms })
  return { token, expires_at_ms }
}

const noSuchLink = () =>
  notFound('This link was already used, was replaced by a newer one, or has expired. Ask for a new one.', {
    code: 'link_not_valid',
    param: 'token',
  })
