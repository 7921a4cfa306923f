// Rows of sessions: open, resolve to a viewer, list, and end.
import { compileAddresses } from '../domain/addresses.ts'
import type { ConsoleSettings } from '../domain/catalogue.ts'
import { notFound, permissionDenied, unauthenticated } from '../domain/errors.ts'
import { HOUR_MS } from '../domain/ranges.ts'
import type { Logger } from '../observe/log.ts'
import { recordAction } from '../store/actions.ts'
import type { Awaitable, Db } from '../store/db.ts'
import { type Page, type PageRequest, pageOf, pageValues } from '../store/page.ts'
import { jsonOrNull } from '../store/placeholders.ts'
import type { Proof, SessionRow } from '../store/schema.ts'
import { seesAccount } from './account-details.ts'
import { isUsable } from './key-status.ts'
import type { Passwords } from './passwords.ts'
import { type OpeningIdentity, personOnSide } from './people.ts'
import { visibleKeysOfPerson } from './person-keys.ts'
import { accountQueries, keyQueries } from './queries.ts'
import { may } from './rights.ts'
import { hashKey, type RandomBytes } from './secret.ts'
import { linkQueries, sessionQueries } from './session-queries.ts'
import type { SignInEvents } from './sign-in-events.ts'
import { type SignInRate, sweepAddresses } from './sign-in-rate.ts'
import { suspendedAccount, suspensionOf } from './suspension.ts'
import { invitationQueries } from './team-queries.ts'
import { accountOf, onlyKeysOf, ownerOf, seesKey, type Viewer, type VisibleKeys } from './viewer.ts'

/** Minimum interval between updates of a session's last use, each of which is a write. */
export const TOUCH_EVERY_MS = 60_000
/** Per person or key. A new session ends the oldest one. */
const MAX_SESSIONS = 50
const MAX_USER_AGENT_CHARS = 200

/** 256 bits in base64url. */
const SESSION_TOKEN_BYTES = 32
const TOKEN = /^[A-Za-z0-9_-]{43}$/

export const newSessionToken = (randomBytes: RandomBytes): string =>
  Buffer.from(randomBytes(SESSION_TOKEN_BYTES)).toString('base64url')

/** The owner of a session: a person, or a key. */
export type SessionOwner =
  /** `account_id`: one of the person's accounts; null: as staff. */
  | { person_id: number; account_id: number | null; key_id: null; identity?: OpeningIdentity | undefined }
  | { person_id: null; account_id: number; key_id: number }

/** Origin of a sign-in request. */
export interface Visitor {
  request_id: string
  /** Undefined if unknown. */
  address: string | undefined
  user_agent: string
}

/** Dependencies of signing in. */
export interface SessionParts {
  db: Db
  passwords: Passwords
  rate: SignInRate
  events: SignInEvents
  settings: () => ConsoleSettings
  randomBytes: RandomBytes
  now: () => number
  log: Logger
}

/** A new session, or a session with a new token. */
export interface SignedIn {
  viewer: Viewer
  /** For the browser's cookie; stored nowhere. */
  token: string
  /** Maximum duration. */
  lasts_s: number
}

/** Opens a session. @param token random; only the browser gets it */
export function openSession(
  db: Db,
  { person_id, account_id, key_id, ...opening }: SessionOwner,
  {
    token,
    visitor,
    proof = null,
    now_ms,
    settings,
  }: {
    token: string
    visitor: Omit<Visitor, 'request_id'>
    proof?: Proof | null
    now_ms: number
    settings: ConsoleSettings
  },
): Promise<SessionRow> {
  const identity = 'identity' in opening ? opening.identity : undefined
  const role = key_id !== null ? 'key' : account_id === null ? 'operator' : 'account'
  return db.begin(async (tx) => {
    // So that the account is not closed meanwhile, which ends its sessions.
    await tx.lock(account_id)
    const { insert, removeOldest } = sessionQueries(tx)
    const row: SessionRow = await insert.get({
      sha256: hashKey(token),
      role,
      account_id,
      person_id,
      key_id,
      identity_id: identity?.id ?? null,
      provider_session: identity?.provider_session ?? null,
      address: visitor.address ?? null,
      user_agent: visitor.user_agent.slice(0, MAX_USER_AGENT_CHARS),
      proof,
      confirmed_at_ms: person_id === null ? null : now_ms,
      now_ms,
      expires_at_ms: endOf({ created_at_ms: now_ms, last_seen_at_ms: now_ms }, settings),
    })
    await removeOldest.run({ person_id, key_id, kept: MAX_SESSIONS })
    return row
  })
}

/** Computes the end of a session without further use, by the current settings. */
export const endOf = (
  { created_at_ms, last_seen_at_ms }: Pick<SessionRow, 'created_at_ms' | 'last_seen_at_ms'>,
  { session_hours, idle_hours }: ConsoleSettings,
): number => Math.min(created_at_ms + session_hours * HOUR_MS, last_seen_at_ms + idle_hours * HOUR_MS)

/** The session of a token, ended or not; undefined if not found. */
export const sessionByToken = (db: Db, token: string): Awaitable<SessionRow | undefined> =>
  TOKEN.test(token) ? sessionQueries(db).byHash.get({ sha256: hashKey(token) }) : undefined

/**
 * Resolves a session to its viewer with their current rights.
 *
 * @throws GatewayError unauthenticated if its key was revoked or has expired, or its person no longer belongs to the side;
 * permission_denied for a key of a suspended account, or an address that the key does not allow
 */
export async function viewerOf(
  db: Db,
  { id: session_id, account_id, person_id, key_id, confirmed_at_ms }: SessionRow,
  { now_ms, address }: { now_ms: number; address: string | undefined },
): Promise<Viewer> {
  const found = person_id === null ? undefined : await personOnSide(db, { person_id, account_id })
  if (found?.side === 'operator')
    return { side: 'operator', role: found.role, session_id, person_id: found.person.id, confirmed_at_ms }
  if (account_id === null || (!found && key_id === null)) throw sessionRequired()
  const account = await accountQueries(db).accountById.get({ id: account_id })
  if (!account) throw sessionRequired()
  const by_key = key_id === null ? 'account' : await visibleKeysOfKey(db, key_id, { now_ms, address })
  const suspended_for = (await suspensionOf(db, account))?.reason
  const at = { session_id, account_id, account: account.name }
  if (found) {
    const { person, role } = found
    const sees = await visibleKeysOfPerson(db, { person_id: person.id, account_id, role })
    return { side: 'account', role, ...at, person_id: person.id, sees, confirmed_at_ms, suspended_for }
  }
  if (key_id === null) throw sessionRequired()
  if (suspended_for) throw suspendedAccount(suspended_for)
  return { side: 'key', role: 'key', ...at, key_id, sees: by_key }
}

/** The calls that a session by key may see. @throws GatewayError as `viewerOf` */
async function visibleKeysOfKey(
  db: Db,
  key_id: number,
  { now_ms, address }: { now_ms: number; address: string | undefined },
): Promise<VisibleKeys> {
  const key = await keyQueries(db).keyAndBudgets.get({ id: key_id })
  if (!key || !isUsable(key, now_ms)) throw keyEnded()
  if (key.addresses && !compileAddresses(key.addresses)(address ?? ''))
    throw permissionDenied(
      'This API key does not allow your network address. Sign in from an allowed network.',
    )
  return (await seesAccount(db, key)) ? 'account' : [key_id]
}

/**
 * Lists a page of the viewer's sessions, including ended ones that are not swept yet, and in an account those of its visible keys.
 *
 * @param scope `all`: all sessions of the gateway, only for the staff
 */
export async function listSessions(
  db: Db,
  viewer: Viewer,
  { scope, ...page }: PageRequest & { scope: 'own' | 'all' },
): Promise<Page<SessionRow>> {
  const { all, ofPerson, ofKey } = sessionQueries(db)
  if (viewer.side === 'key')
    return pageOf(await ofKey.all({ key_id: viewer.key_id, ...pageValues(page) }), page)
  if (viewer.side === 'operator' && scope === 'all') return pageOf(await all.all(pageValues(page)), page)
  return pageOf(await ofPerson.all({ ...sideOf(viewer), ...pageValues(page) }), page)
}

/**
 * Ends a session: one of the viewer's own, or any by an operator.
 *
 * @throws GatewayError not_found if it has ended, or the viewer may not end it
 */
export function endSession(db: Db, viewer: Viewer, id: number): Promise<void> {
  return db.begin(async (tx) => {
    const row = await sessionQueries(tx).byId.get({ id })
    const is_theirs = row !== undefined && mayEnd(viewer, row)
    const ended = is_theirs ? await sessionQueries(tx).remove.all({ id }) : []
    if (!is_theirs || ended.length === 0) throw notFound('Session not found. It may have ended.')
    const { account_id, key_id } = row
    await recordAction(tx, {
      action: 'session.ended',
      account_id: account_id ?? undefined,
      key_id: key_id ?? undefined,
      before: { session: id },
    })
  })
}

/** An operator may end all sessions, a person their own and those of keys that they see, a key its own. */
function mayEnd(viewer: Viewer, { account_id, person_id, key_id }: SessionRow): boolean {
  if (viewer.side === 'operator') return may(viewer, 'operate') || person_id === viewer.person_id
  if (viewer.side === 'key') return key_id === viewer.key_id
  if (person_id !== null) return person_id === viewer.person_id
  return account_id === viewer.account_id && key_id !== null && seesKey(viewer, key_id)
}

/** Query values for the sessions of a person and of the keys that they see in their current account. */
const sideOf = (viewer: Exclude<Viewer, { side: 'key' }>) => ({
  person_id: viewer.person_id,
  account_id: accountOf(viewer) ?? null,
  key_ids: jsonOrNull(onlyKeysOf(viewer) ?? null),
})

/** Ends the viewer's current session, unless it has ended. */
export function signOut(db: Db, viewer: Viewer): Promise<void> {
  const { session_id } = viewer
  return db.begin(async (tx) => {
    const ended = await sessionQueries(tx).remove.all({ id: session_id })
    if (ended.length > 0)
      await recordAction(tx, { action: 'session.ended', ...ownerOf(viewer), before: { session: session_id } })
  })
}

/**
 * Ends all sessions of a person and of their account's visible keys, or of a key.
 *
 * @returns the number of ended sessions
 */
export function endSessions(db: Db, viewer: Viewer): Promise<number> {
  return db.begin(async (tx) => {
    const { removeOfPerson, removeOthers } = sessionQueries(tx)
    const ended =
      viewer.side === 'key'
        ? await removeOthers.all({ person_id: null, key_id: viewer.key_id, id: 0 })
        : await removeOfPerson.all({ ...sideOf(viewer), id: 0 })
    const before = { sessions: ended.length }
    if (ended.length > 0) await recordAction(tx, { action: 'session.ended', ...ownerOf(viewer), before })
    return ended.length
  })
}

/** Deletes expired sessions, links, invitations and addresses. */
export function sweepSessions(db: Db, now_ms: number): Promise<void> {
  return db.begin(async (tx) => {
    await sessionQueries(tx).removeExpired.run({ now_ms })
    await linkQueries(tx).removeExpired.run({ now_ms })
    await invitationQueries(tx).removeExpired.run({ now_ms })
    await sweepAddresses(tx, now_ms)
  })
}

/** Ends all sessions and links after a restore, since they may have been ended after the backup. Passwords stay. */
export function forgetSessions(db: Db): Promise<void> {
  return db.begin(async (tx) => {
    await sessionQueries(tx).removeAll.run()
    await linkQueries(tx).removeAll.run()
    await invitationQueries(tx).removeAll.run()
  })
}

/** Error code on which pages show the sign-in form. */
const SESSION_REQUIRED = 'session_required'

export const sessionRequired = () =>
  unauthenticated('You are not signed in, or your session has ended. Sign in at /console.', {
    code: SESSION_REQUIRED,
  })
const keyEnded = () =>
  unauthenticated('The API key of this session was revoked or has expired. Sign in with another key.', {
    code: SESSION_REQUIRED,
  })
