// Signing in to the console by password, key, link or another proof, and the viewer of a session.
import { isFailure, unauthenticated } from '../domain/errors.ts'
import { recordAction } from '../store/actions.ts'
import type { Awaitable, Tx } from '../store/db.ts'
import type { Proof, SessionRow } from '../store/schema.ts'
import { OPERATORS_NAME } from './accounts.ts'
import { confirmSignIn, confirmWithPassword } from './fresh-sign-in.ts'
import type { KeyOfAccount } from './gate.ts'
import { consumeSignInLink, readSignInLink } from './mailed-links.ts'
import { openLoggedSession, runSignIn } from './opening-sessions.ts'
import { changePassword, type PasswordChange } from './password-change.ts'
import { checkPassword, hashOf, hasImportedHashes, upgradeHash } from './passwords.ts'
import { type Entrance, lockPerson, type ProvedPerson, personNamed } from './people.ts'
import { sessionQueries } from './session-queries.ts'
import {
  endOf,
  type SessionParts,
  type SignedIn,
  sessionByToken,
  sessionRequired,
  sweepSessions,
  TOUCH_EVERY_MS,
  type Visitor,
  viewerOf,
} from './session-rows.ts'
import { consumeLink, type PasswordLink, readLink } from './sign-in-links.ts'
import { isKnownAddress, placeOf } from './sign-in-rate.ts'
import { switchAccount } from './switching.ts'
import { actionContextOf, ownerOf, type Viewer } from './viewer.ts'

export interface Sessions {
  /**
   * Signs in with a password.
   *
   * @param credentials `who` is a name for `personNamed`; undefined: the operator
   * @throws GatewayError unauthenticated, with the same message and after the same time for unknown people; rate_limited; overloaded
   */
  withPassword(credentials: PasswordSignIn, visitor: Visitor): Promise<SignedIn>
  /**
   * Signs in with a key.
   *
   * @param admit admits the key, or throws
   * @throws GatewayError rate_limited; errors of `admit`
   */
  withKey(admit: () => Awaitable<KeyOfAccount>, visitor: Visitor): Promise<SignedIn>
  /**
   * Sets a password with a link, ends the person's sessions, and signs in.
   *
   * @param onTaken called in the same transaction; an error leaves the link valid
   * @throws GatewayError invalid_request for a bad password; not_found for an invalid link; rate_limited
   */
  withLink(
    link: { token: string; password: string },
    visitor: Visitor,
    onTaken?: (tx: Tx, link: PasswordLink) => Promise<void>,
  ): Promise<SignedIn>
  /**
   * Signs in by another proof of identity, such as a passkey.
   *
   * @param decide verifies and consumes the proof in the transaction that opens the session; throws also for a person who can enter no account
   * @throws GatewayError rate_limited; as `viewerOf`; errors of `decide`
   */
  withProof(proof: Proof, decide: (tx: Tx) => Promise<ProvedPerson>, visitor: Visitor): Promise<SignedIn>
  /**
   * Changes the viewer's password, and ends their other sessions and their links.
   *
   * @throws GatewayError invalid_request for a bad new password; permission_denied for a wrong old one, or a session by key
   */
  changePassword(viewer: Viewer, change: PasswordChange, visitor: Visitor): Promise<void>
  /**
   * Makes the viewer's session fresh by a new proof, with a new token: `confirmSignIn`.
   *
   * @param proof `decide` as in `withProof`, returns the person of the proof
   */
  confirm(
    viewer: Viewer,
    proof: { proof: Proof; decide: (tx: Tx) => Promise<{ id: number }> },
    visitor: Visitor,
  ): Promise<SignedIn>
  /** Makes the viewer's session fresh by their password. @throws GatewayError permission_denied for a wrong password; rate_limited */
  confirmWithPassword(viewer: Viewer, password: string, visitor: Visitor): Promise<SignedIn>
  /** Moves the viewer's session to another of their accounts, with a new token: `switchAccount`. */
  switchTo(viewer: Viewer, account_id: number | null, visitor: Visitor): Promise<SignedIn>
  /**
   * Returns the viewer of the session with a cookie's token.
   *
   * @param request_id updates the session's last use; without it the session is only read
   * @throws GatewayError unauthenticated without a session; as `viewerOf`
   */
  viewer(token: string | undefined, address: string | undefined, request_id?: string): Promise<Viewer>
  /** Looks up an unguessable secret, such as a link, and counts failures. @throws GatewayError rate_limited; errors of `look` */
  found<T>(visitor: Visitor, look: () => Awaitable<T>): Promise<T>
  /** Signs in by a mailed link, once. @throws GatewayError not_found for an invalid link; rate_limited; as `viewerOf` */
  withSignInLink(token: string, visitor: Visitor): Promise<SignedIn>
  /** Counts a mail that a visitor requests, sent or not. @throws GatewayError rate_limited */
  countMail(email: string, visitor: Visitor): void
  /** Counts a request of a visitor that stores something, such as a challenge. @throws GatewayError rate_limited */
  countVisit(visitor: Visitor): void
  /** Deletes expired rows. */
  sweep(): Promise<void>
}

interface PasswordSignIn {
  who: string | undefined
  password: string
}

export function createSessions(parts: SessionParts): Sessions {
  const { db, passwords, rate, settings, now } = parts
  const found = async <T>({ address }: Visitor, look: () => Awaitable<T>): Promise<T> => {
    try {
      return await look()
    } catch (thrown) {
      if (!isFailure(thrown)) rate.guessed(address)
      throw thrown
    }
  }

  return {
    withPassword: (who, visitor) => withPassword(parts, who, visitor),

    async withKey(admit, visitor) {
      const { key, account } = await found(visitor, admit)
      rate.visit(`key ${key.id}`)
      const owner = { person_id: null, account_id: account.id, key_id: key.id } as const
      return await runSignIn(parts, visitor, (tx) =>
        openLoggedSession(parts, tx, owner, { visitor, proof: 'key' }),
      )
    },

    async withLink({ token, password }, visitor, onTaken) {
      checkPassword(password, 'password')
      await found(visitor, () => readLink(db, token, now()))
      const hash = await passwords.hash(password)
      return await runSignIn(parts, visitor, async (tx) => {
        const entering = await consumeLink(tx, token, { hash, now_ms: now() })
        await onTaken?.(tx, entering)
        return await afterLink(parts, tx, entering, visitor)
      })
    },

    withProof: (proof, decide, visitor) => withProof(parts, proof, decide, visitor),

    async withSignInLink(token, visitor) {
      await found(visitor, () => readSignInLink(db, token, now()))
      return await withProof(parts, 'link', (tx) => consumeSignInLink(tx, token, now()), visitor)
    },

    countVisit: ({ address }) => rate.visit(`visitor ${placeOf(address)}`),

    countMail: (email, { address }) => rate.mail({ email, address }),

    changePassword: (viewer, change, visitor) => changePassword(parts, viewer, change, visitor),

    confirm: (viewer, proof, visitor) => confirmSignIn(parts, viewer, proof, visitor),

    confirmWithPassword: (viewer, password, visitor) => confirmWithPassword(parts, viewer, password, visitor),

    switchTo: (viewer, account_id, visitor) => switchAccount(parts, viewer, account_id, visitor),

    async viewer(token, address, request_id) {
      const row = token === undefined ? undefined : await sessionByToken(db, token)
      const now_ms = now()
      if (!row || endOf(row, settings()) <= now_ms) throw sessionRequired()
      const viewer = await viewerOf(db, row, { now_ms, address })
      if (request_id !== undefined && now_ms - row.last_seen_at_ms >= TOUCH_EVERY_MS)
        void touch(parts, row, { now_ms, request_id })
      return viewer
    },

    found,

    sweep: () => sweepSessions(db, now()),
  }
}

const withProof = (
  parts: SessionParts,
  proof: Proof,
  decide: (tx: Tx) => Promise<ProvedPerson>,
  visitor: Visitor,
): Promise<SignedIn> =>
  runSignIn(parts, visitor, async (tx) => {
    const { person, account_id, identity } = await decide(tx)
    parts.rate.visit(`person ${person.id}`)
    const owner = { person_id: person.id, account_id, key_id: null, identity }
    return await openLoggedSession(parts, tx, owner, { visitor, proof })
  })

async function withPassword(
  parts: SessionParts,
  { who, password }: PasswordSignIn,
  visitor: Visitor,
): Promise<SignedIn> {
  const { db, passwords, rate, now } = parts
  const { address } = visitor
  const entering = await personNamed(db, who)
  const person_id = entering?.person.id
  // Both are read for unknown people, too, so that the time is the same.
  const is_known = await isKnownAddress(db, { person_id, address, now_ms: now() })
  const hash = await hashOf(db, person_id ?? NOBODY)
  const succeeded = rate.attempt({ address, name: countedName(entering, who), is_known })
  const has_imported = await hasImportedHashes(db)
  const is_right = await passwords.verify(password, hash, { is_known, has_imported })
  if (!is_right || !entering || person_id === undefined) throw wrongPassword()
  succeeded()
  const current = await upgradeHash(db, passwords, { person_id, password, hash, now_ms: now() })
  if (current === undefined) throw wrongPassword()
  return await runSignIn(parts, visitor, async (tx) => {
    await lockPerson(tx, person_id)
    // The password may have been changed during the check.
    if ((await hashOf(tx, person_id)) !== current) throw wrongPassword()
    return await openLoggedSession(
      parts,
      tx,
      { person_id, account_id: entering.account_id, key_id: null },
      { visitor, proof: 'password' },
    )
  })
}

/** No person has this ID. */
const NOBODY = 0

/** The name under which password attempts are counted: one per person, whatever name was typed. */
const countedName = (entering: Entrance | undefined, who: string | undefined): string =>
  entering ? `person ${entering.person.id}` : `name ${who ?? OPERATORS_NAME}`

async function afterLink(
  parts: SessionParts,
  tx: Tx,
  { person, account_id, has_password, purpose }: PasswordLink,
  visitor: Visitor,
): Promise<SignedIn> {
  if (has_password || purpose === 'reset')
    await parts.events.raise(tx, { kind: 'changed', person, change: 'password', at_ms: parts.now() })
  const signed_in = await openLoggedSession(
    parts,
    tx,
    { person_id: person.id, account_id, key_id: null },
    { visitor, proof: 'link' },
  )
  const { viewer } = signed_in
  await recordAction(
    tx,
    { action: 'password.set', ...ownerOf(viewer) },
    actionContextOf(viewer, visitor, parts.now()),
  )
  return signed_in
}

/** Not awaited by the request, so that it does not wait for the disk. */
async function touch(
  { db, settings, log }: SessionParts,
  row: SessionRow,
  { now_ms, request_id }: { now_ms: number; request_id: string },
): Promise<void> {
  const expires_at_ms = endOf({ ...row, last_seen_at_ms: now_ms }, settings())
  const seen = { id: row.id, now_ms, before_ms: now_ms - TOUCH_EVERY_MS, expires_at_ms }
  try {
    await db.write((db) => sessionQueries(db).touch.run(seen))
  } catch (cause) {
    // The next request tries again.
    log.warn({ request_id, cause }, 'could not mark a session as seen')
  }
}

const wrongPassword = () =>
  unauthenticated(
    'Wrong account or password. Forgot your password, or never set one? Get a link by mail, or ask the operator.',
    {
      code: 'wrong_password',
      param: 'password',
    },
  )
