// Opening of a session after a proof of identity, with the audit log and the known addresses.
import { HOUR_MS } from '../domain/ranges.ts'
import { recordAction } from '../store/actions.ts'
import type { Tx } from '../store/db.ts'
import type { PersonRow, Proof } from '../store/schema.ts'
import { peopleQueries } from './people-queries.ts'
import {
  newSessionToken,
  openSession,
  type SessionOwner,
  type SessionParts,
  type SignedIn,
  type Visitor,
  viewerOf,
} from './session-rows.ts'
import { isKnownAddress, rememberAddress } from './sign-in-rate.ts'
import { actionContextOf, ownerOf } from './viewer.ts'

/** Runs the decision on a sign-in and the opening of its session in one transaction. */
export async function runSignIn(
  { db, log }: SessionParts,
  { request_id }: Visitor,
  work: (tx: Tx) => Promise<SignedIn>,
): Promise<SignedIn> {
  const signed_in = await db.begin(work)
  log.info({ request_id, ...signed_in.viewer }, 'signed in to the console')
  return signed_in
}

/** Opens a session and records it. @throws GatewayError as `viewerOf` */
export async function openLoggedSession(
  parts: SessionParts,
  tx: Tx,
  owner: SessionOwner,
  { visitor, proof }: { visitor: Visitor; proof: Proof },
): Promise<SignedIn> {
  const { settings, randomBytes, now } = parts
  const token = newSessionToken(randomBytes)
  const now_ms = now()
  const { address } = visitor
  const row = await openSession(tx, owner, { token, visitor, proof, now_ms, settings: settings() })
  const viewer = await viewerOf(tx, row, { now_ms, address })
  const by = actionContextOf(viewer, visitor, parts.now())
  const after = { browser: row.user_agent, by: proof }
  await recordAction(tx, { action: 'session.started', ...ownerOf(viewer), after }, by)
  if (owner.person_id !== null)
    await rememberPlace(parts, tx, { person_id: owner.person_id, visitor, now_ms })
  return { viewer, token, lasts_s: settings().session_hours * 3_600 }
}

/** Remembers the person's address, and raises an event for a new one. */
async function rememberPlace(
  { events }: SessionParts,
  tx: Tx,
  { person_id, visitor, now_ms }: { person_id: number; visitor: Visitor; now_ms: number },
): Promise<void> {
  const { address, user_agent } = visitor
  if (address === undefined) return
  const is_known = await isKnownAddress(tx, { person_id, address, now_ms })
  await rememberAddress(tx, { person_id, address, now_ms })
  const person: PersonRow | undefined = await peopleQueries(tx).byId.get({ id: person_id })
  // Every address is new to a person who was just created.
  if (is_known || !person || person.created_at_ms > now_ms - HOUR_MS) return
  await events.raise(tx, { kind: 'new_place', person, address, user_agent, at_ms: now_ms })
}
