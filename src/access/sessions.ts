// Signing in to the console, by password, key or link, and who is signed in.

import { isFailure, unauthenticated } from '../domain/errors.ts'
import { recordAction } from '../store/actions.ts'
import type { Awaitable, Tx } from '../store/db.ts'
import type { Proof, SessionRow } from '../store/schema.ts'
import { OPERATORS_NAME } from './accounts.ts'
import { confirmSignIn, confirmWithPassword } from './fresh-sign-in.ts'
import type { KeyOfAccount } from './gate.ts'
import { readSignInLink, takeSignInLink } from './mailed-links.ts'
import { enter, opened } from './opening-sessions.ts'
import { changePassword, type PasswordChange } from './password-change.ts'
import { checkPassword, hashOf, hasImportedHashes, ownHash } from './passwords.ts'
import { lockPerson, type PersonIn, type ProvedPerson, personNamed } from './people.ts'
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
import { type PasswordLink, readLink, takeLink } from './sign-in-links.ts'
import { isKnownAddress, placeOf } from './sign-in-rate.ts'
import { switchAccount } from './switching.ts'
import { actingAs, ownerOf, type Viewer } from './viewer.ts'

export interface Sessions {
  /**
   * Signs in with a password.
   *
   * @param who as `personNamed` reads it; undefined: the operator
   * @throws GatewayError unauthenticated, in the same words and after the same time for who does not exist; rate_limited;
   * overloaded
   */
  withPassword(credentials: PasswordSignIn, visitor: Visitor): Promise<SignedIn>
  /**
   * Signs in with a key. @param admit lets the key in, or throws
   *
   * @throws GatewayError rate_limited; what `admit` throws
   */
  withKey(admit: () => Awaitable<KeyOfAccount>, visitor: Visitor): Promise<SignedIn>
  /**
   * Sets the password that a link is for, and signs in; sessions by the password before are ended.
   *
   * @param onTaken in the same transaction; what it throws leaves the link as it is
   * @throws GatewayError invalid_request for a bad password; not_found for a link that is of no use; rate_limited
   */
  withLink(
    link: { token: string; password: string },
    visitor: Visitor,
    onTaken?: (tx: Tx, link: PasswordLink) => Promise<void>,
  ): Promise<SignedIn>
  /**
   * Signs in by another proof of who somebody is than a password, such as a passkey.
   *
   * @param decide checks the proof and uses it up, in the transaction that opens the session; or throws, as for a person who is in no place
   * @throws GatewayError what `decide` throws; rate_limited; and as `viewerOf`
   */
  withProof(proof: Proof, decide: (tx: Tx) => Promise<ProvedPerson>, visitor: Visitor): Promise<SignedIn>
  /**
   * Changes the password of whoever looks, and ends their other sessions and their link.
   *
   * @throws GatewayError invalid_request for a bad new password; permission_denied for a wrong old one, or a session by key
   */
  changePassword(viewer: Viewer, change: PasswordChange, visitor: Visitor): Promise<void>
  /**
   * Makes the session of whoever looks fresh by another proof, under a new token: `confirmSignIn`.
   *
   * @param decide as in `withProof`. @returns the person of the proof
   */
  confirm(
    viewer: Viewer,
    proof: { proof: Proof; decide: (tx: Tx) => Promise<{ id: number }> },
    visitor: Visitor,
  ): Promise<SignedIn>
  /** The same by their password. @throws GatewayError permission_denied for a wrong one; rate_limited */
  confirmWithPassword(viewer: Viewer, password: string, visitor: Visitor): Promise<SignedIn>
  /** Takes the session of whoever looks to another account of theirs, under a new token: `switchAccount`. */
  switchTo(viewer: Viewer, account_id: number | null, visitor: Visitor): Promise<SignedIn>
  /**
   * The viewer of the session that a cookie's token opens.
   *
   * @param request_id of the request that uses the session, which is marked as seen; without one it is only looked at
   * @throws GatewayError unauthenticated without one; and as `viewerOf`
   */
  viewer(token: string | undefined, address: string | undefined, request_id?: string): Promise<Viewer>
  /** Looks for what nobody guesses, such as a link. @throws what `look` throws; GatewayError rate_limited after too many refusals */
  found<T>(visitor: Visitor, look: () => Awaitable<T>): Promise<T>
  /** Signs in by a link in a mail, once. @throws GatewayError not_found for one that is of no use; rate_limited; and as `viewerOf` */
  withSignInLink(token: string, visitor: Visitor): Promise<SignedIn>
  /** Counts a mail that a visitor asks for, whether or not it is sent. @throws GatewayError rate_limited */
  countMail(email: string, visitor: Visitor): void
  /** Counts what a visitor begins and leaves behind, such as a challenge. @throws GatewayError rate_limited */
  countVisit(visitor: Visitor): void
  /** Deletes what is over. */
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
      return await enter(parts, visitor, (tx) => opened(parts, tx, owner, { visitor, proof: 'key' }))
    },

    async withLink({ token, password }, visitor, onTaken) {
      checkPassword(password, 'password')
      await found(visitor, () => readLink(db, token, now()))
      const hash = await passwords.hash(password)
      return await enter(parts, visitor, async (tx) => {
        const entering = await takeLink(tx, token, { hash, now_ms: now() })
        await onTaken?.(tx, entering)
        return await afterLink(parts, tx, entering, visitor)
      })
    },

    withProof: (proof, decide, visitor) => withProof(parts, proof, decide, visitor),

    async withSignInLink(token, visitor) {
      await found(visitor, () => readSignInLink(db, token, now()))
      return await withProof(parts, 'link', (tx) => takeSignInLink(tx, token, now()), visitor)
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
  enter(parts, visitor, async (tx) => {
    const { person, account_id, identity } = await decide(tx)
    parts.rate.visit(`person ${person.id}`)
    const owner = { person_id: person.id, account_id, key_id: null, identity }
    return await opened(parts, tx, owner, { visitor, proof })
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
  // Both are read for who does not exist, too, so that it takes as long.
  const is_known = await isKnownAddress(db, { person_id, address, now_ms: now() })
  const hash = await hashOf(db, person_id ?? NOBODY)
  const succeeded = rate.attempt({ address, name: countedName(entering, who), is_known })
  const has_imported = await hasImportedHashes(db)
  const is_right = await passwords.verify(password, hash, { is_known, has_imported })
  if (!is_right || !entering || person_id === undefined) throw wrongPassword()
  succeeded()
  const current = await ownHash(db, passwords, { person_id, password, hash, now_ms: now() })
  if (current === undefined) throw wrongPassword()
  return await enter(parts, visitor, async (tx) => {
    await lockPerson(tx, person_id)
    // It may have been changed while it was checked.
    if ((await hashOf(tx, person_id)) !== current) throw wrongPassword()
    return await opened(
      parts,
      tx,
      { person_id, account_id: entering.account_id, key_id: null },
      { visitor, proof: 'password' },
    )
  })
}

/** No person has this number. */
const NOBODY = 0

/** Under which attempts on a password are counted: one for each person, however they are called. */
const countedName = (entering: PersonIn | undefined, who: string | undefined): string =>
  entering ? `person ${entering.person.id}` : `name ${who ?? OPERATORS_NAME}`

async function afterLink(
  parts: SessionParts,
  tx: Tx,
  { person, account_id, has_password, purpose }: PasswordLink,
  visitor: Visitor,
): Promise<SignedIn> {
  if (has_password || purpose === 'reset')
    await parts.events.raise(tx, { kind: 'changed', person, change: 'password', at_ms: parts.now() })
  const signed_in = await opened(
    parts,
    tx,
    { person_id: person.id, account_id, key_id: null },
    { visitor, proof: 'link' },
  )
  const { viewer } = signed_in
  await recordAction(
    tx,
    { action: 'password.set', ...ownerOf(viewer) },
    actingAs(viewer, visitor, parts.now()),
  )
  return signed_in
}

/** Beside the request, which does not wait for the disk. */
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
  unauthenticated('The account or the password is wrong. No password yet? Ask the operator for a link.', {
    code: 'wrong_password',
    param: 'password',
  })
