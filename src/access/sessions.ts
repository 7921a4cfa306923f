// Signing in to the console, by password, key or link, and who is signed in.

import type { ActionContext } from '../domain/actions.ts'
import type { ConsoleSettings } from '../domain/catalogue.ts'
import { permissionDenied, unauthenticated } from '../domain/errors.ts'
import type { Logger } from '../observe/log.ts'
import { recordAction } from '../store/actions.ts'
import type { Awaitable, Db, Tx } from '../store/db.ts'
import type { Account, SessionRow } from '../store/schema.ts'
import { OPERATORS_NAME } from './accounts.ts'
import type { KeyOfAccount } from './gate.ts'
import {
  checkPassword,
  hashOf,
  hasImportedHashes,
  ownHash,
  type Passwords,
  setPassword,
} from './passwords.ts'
import { accountQueries } from './queries.ts'
import type { RandomBytes } from './secret.ts'
import { sessionQueries } from './session-queries.ts'
import {
  endOf,
  openSession,
  type Person,
  SESSION_TOKEN_BYTES,
  sessionByToken,
  sessionRequired,
  sweepSessions,
  TOUCH_EVERY_MS,
  type Visitor,
  viewerOf,
} from './session-rows.ts'
import { readLink, takeLink } from './sign-in-links.ts'
import { isKnownAddress, rememberAddress, type SignInRate } from './sign-in-rate.ts'
import { actorOf, ownerOf, type Viewer } from './viewer.ts'

/** A session that was opened. */
export interface SignedIn {
  viewer: Viewer
  /** For the browser's cookie; stored nowhere. */
  token: string
  /** The longest that it can last. */
  lasts_s: number
}

export interface Sessions {
  /**
   * Signs in with a password.
   *
   * @param account its name; undefined: the operator
   * @throws GatewayError unauthenticated, in the same words and after the same time for who does not exist; rate_limited;
   * overloaded; permission_denied for a suspended account
   */
  withPassword(who: { account: string | undefined; password: string }, visitor: Visitor): Promise<SignedIn>
  /**
   * Signs in with a key. @param admit lets the key in, or throws
   *
   * @throws GatewayError rate_limited; what `admit` throws
   */
  withKey(admit: () => Awaitable<KeyOfAccount>, visitor: Visitor): Promise<SignedIn>
  /**
   * Sets the password that a link is for, and signs in; sessions by the password before are ended.
   *
   * @throws GatewayError invalid_request for a bad password; not_found for a link that is of no use; rate_limited
   */
  withLink(link: { token: string; password: string }, visitor: Visitor): Promise<SignedIn>
  /**
   * Changes the password of whoever looks, and ends their other sessions.
   *
   * @throws GatewayError invalid_request for a bad new password; permission_denied for a wrong old one, or a session by key
   */
  changePassword(viewer: Viewer, change: PasswordChange, visitor: Visitor): Promise<void>
  /**
   * The viewer of the session that a cookie's token opens.
   *
   * @param request_id of the request that uses the session, which is marked as seen; without one it is only looked at
   * @throws GatewayError unauthenticated without one; and as `viewerOf`
   */
  viewer(token: string | undefined, address: string | undefined, request_id?: string): Promise<Viewer>
  /** Looks for what nobody guesses, such as a link. @throws what `look` throws; GatewayError rate_limited after too many of those */
  found<T>(visitor: Visitor, look: () => Awaitable<T>): Promise<T>
  /** Deletes what is over. */
  sweep(): Promise<void>
}

export interface PasswordChange {
  old_password: string
  new_password: string
}

interface SessionParts {
  db: Db
  passwords: Passwords
  rate: SignInRate
  settings: () => ConsoleSettings
  randomBytes: RandomBytes
  now: () => number
  log: Logger
}

/** The name under which attempts on the operator's password are counted; no account is called so. */
const OPERATOR = ''

export function createSessions(parts: SessionParts): Sessions {
  const { db, passwords, rate, settings, now } = parts
  const found = async <T>({ address }: Visitor, look: () => Awaitable<T>): Promise<T> => {
    try {
      return await look()
    } catch (thrown) {
      rate.guessed(address)
      throw thrown
    }
  }

  return {
    withPassword: (who, visitor) => withPassword(parts, who, visitor),

    async withKey(admit, visitor) {
      const { key, account } = await found(visitor, admit)
      rate.visit(`key ${key.id}`)
      return await enter(parts, visitor, (tx) =>
        opened(parts, tx, { account_id: account.id, key_id: key.id }, visitor),
      )
    },

    async withLink({ token, password }, visitor) {
      checkPassword(password, 'password')
      await found(visitor, () => readLink(db, token, now()))
      const hash = await passwords.hash(password)
      return await enter(parts, visitor, async (tx) => {
        const { account } = await takeLink(tx, token, { hash, now_ms: now() })
        return await afterLink(parts, tx, account, visitor)
      })
    },

    changePassword: (viewer, change, visitor) => changePassword(parts, viewer, change, visitor),

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

/** Opens a session by what decides on it, in one transaction. */
async function enter(
  { db, log }: SessionParts,
  { request_id }: Visitor,
  work: (tx: Tx) => Promise<SignedIn>,
): Promise<SignedIn> {
  const signed_in = await db.begin(work)
  log.info({ request_id, ...signed_in.viewer }, 'signed in to the console')
  return signed_in
}

async function withPassword(
  parts: SessionParts,
  { account: account_name, password }: Parameters<Sessions['withPassword']>[0],
  visitor: Visitor,
): Promise<SignedIn> {
  const { db, passwords, rate, now } = parts
  const { address } = visitor
  const account =
    account_name === undefined
      ? undefined
      : await accountQueries(db).accountByName.get({ name: account_name })
  const name =
    account === undefined && account_name?.toLowerCase() === OPERATORS_NAME ? undefined : account_name
  const account_id = account?.id ?? null
  const exists = name === undefined || account !== undefined
  // Both are read for who does not exist, too, so that it takes as long.
  const was_here = await isKnownAddress(db, { account_id, address, now_ms: now() })
  const stored_hash = await hashOf(db, account_id)
  const [is_known, hash] = [exists && was_here, exists ? stored_hash : undefined]
  const succeeded = rate.attempt({ address, name: name ?? OPERATOR, is_known })
  const has_imported = await hasImportedHashes(db)
  if (!(await passwords.verify(password, hash, { is_known, has_imported }))) throw wrongPassword()
  succeeded()
  const current = await ownHash(db, passwords, { account_id, password, hash, now_ms: now() })
  if (current === undefined) throw wrongPassword()
  return await enter(parts, visitor, async (tx) => {
    await tx.lock(account_id)
    // It may have been changed while it was checked.
    if ((await hashOf(tx, account_id)) !== current) throw wrongPassword()
    return await opened(parts, tx, { account_id, key_id: null }, visitor)
  })
}

/** @throws GatewayError as `viewerOf` */
async function opened(parts: SessionParts, tx: Tx, person: Person, visitor: Visitor): Promise<SignedIn> {
  const { settings, randomBytes, now } = parts
  const token = Buffer.from(randomBytes(SESSION_TOKEN_BYTES)).toString('base64url')
  const now_ms = now()
  const { address } = visitor
  const row = await openSession(tx, person, { token, visitor, now_ms, settings: settings() })
  const viewer = await viewerOf(tx, row, { now_ms, address })
  const by = signingIn(parts, viewer, visitor)
  const after = { browser: row.user_agent }
  await recordAction(tx, { action: 'session.started', ...ownerOf(viewer), after }, by)
  if (person.key_id === null) await rememberAddress(tx, { ...person, address, now_ms })
  return { viewer, token, lasts_s: settings().session_hours * 3_600 }
}

/** The actor of a session that has just begun: they act for themselves. */
const signingIn = (
  { now }: SessionParts,
  viewer: Viewer,
  { address, request_id }: Visitor,
): ActionContext => ({
  actor: actorOf(viewer, address),
  now_ms: now(),
  request_id,
})

async function afterLink(
  parts: SessionParts,
  tx: Tx,
  account: Account | undefined,
  visitor: Visitor,
): Promise<SignedIn> {
  const signed_in = await opened(parts, tx, { account_id: account?.id ?? null, key_id: null }, visitor)
  const { viewer } = signed_in
  await recordAction(tx, { action: 'password.set', ...ownerOf(viewer) }, signingIn(parts, viewer, visitor))
  return signed_in
}

async function changePassword(
  parts: SessionParts,
  viewer: Viewer,
  { old_password, new_password }: PasswordChange,
  visitor: Visitor,
): Promise<void> {
  const { db, passwords, rate, now, log } = parts
  const { address, request_id } = visitor
  if (viewer.role === 'key')
    throw permissionDenied(
      'You signed in with an API key. To change the password, sign in with the account’s password.',
    )
  checkPassword(new_password, 'new_password')
  const account_id = viewer.role === 'operator' ? null : viewer.account_id
  const old_hash = await hashOf(db, account_id)
  const name = viewer.role === 'operator' ? OPERATOR : viewer.account
  const is_known = await isKnownAddress(db, { account_id, address, now_ms: now() })
  const succeeded = rate.attempt({ address, name, is_known })
  if (!(await passwords.verify(old_password, old_hash, { is_known }))) throw wrongOldPassword()
  succeeded()
  const hash = await passwords.hash(new_password)
  await db.begin(
    async (tx) => {
      await tx.lock(account_id)
      if ((await hashOf(tx, account_id)) !== old_hash) throw wrongOldPassword()
      await setPassword(tx, { account_id, hash, now_ms: now() })
      const others = await sessionQueries(tx).removeOthers.all({
        account_id,
        key_id: null,
        id: viewer.session_id,
      })
      const after = { ended_sessions: others.length }
      await recordAction(tx, { action: 'password.changed', ...ownerOf(viewer), after })
    },
    { by: signingIn(parts, viewer, visitor) },
  )
  log.info({ request_id, role: viewer.role, account_id }, 'password of the console changed')
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
const wrongOldPassword = () =>
  permissionDenied('The current password is wrong.', { code: 'wrong_password', param: 'old_password' })
