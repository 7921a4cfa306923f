// Rows of identities: found by issuer and subject, created, used and deleted.
import { and, asc, ne, sql } from 'drizzle-orm'
import type { Awaitable, Db, Tx } from '../../src/store/db.ts'
import {
  bareColumns,
  equals,
  placeholder,
  placeholders,
  rawPlaceholder,
  rawPlaceholders,
} from '../../src/store/placeholders.ts'
import { perConnection } from '../../src/store/prepared.ts'
import { type IdentityRow, identities, sessions } from '../../src/store/schema.ts'
import type { ProvedIdentity } from './claims.ts'

const queries = perConnection({
  find: (orm) =>
    orm
      .select()
      .from(identities)
      .where(and(equals(identities.issuer, 'issuer'), equals(identities.subject, 'subject'))),
  byId: (orm) => orm.select().from(identities).where(equals(identities.id, 'id')),
  ofPerson: (orm) =>
    orm
      .select()
      .from(identities)
      .where(equals(identities.person_id, 'person_id'))
      .orderBy(asc(identities.id)),
  insert: (orm) =>
    orm
      .insert(identities)
      .values({
        ...placeholders('person_id', 'issuer', 'subject', 'provider', 'email'),
        created_at_ms: placeholder('now_ms'),
        last_used_at_ms: placeholder('now_ms'),
      })
      .onConflictDoNothing({ target: bareColumns('issuer', 'subject') })
      .returning(),
  use: (orm) =>
    orm
      .update(identities)
      .set({ ...rawPlaceholders('provider', 'email'), last_used_at_ms: rawPlaceholder('now_ms') })
      .where(equals(identities.id, 'id')),
  remove: (orm) => orm.delete(identities).where(equals(identities.id, 'id')).returning({ id: identities.id }),
  /** Detaches the session that stays open from the identity and from the provider's session. */
  keepSession: (orm) =>
    orm
      .update(sessions)
      .set({ identity_id: null, provider_session: null })
      .where(and(equals(sessions.identity_id, 'identity_id'), equals(sessions.id, 'session_id'))),
  endSessions: (orm) =>
    orm
      .delete(sessions)
      .where(and(equals(sessions.identity_id, 'identity_id'), ne(sessions.id, placeholder('but_id'))))
      .returning({ id: sessions.id, account_id: sessions.account_id }),
  endOfProvider: (orm) =>
    orm
      .delete(sessions)
      .where(
        sql`${sessions.provider_session} = ${placeholder('provider_session')}
          AND ${sessions.identity_id} IN (SELECT id FROM identities WHERE issuer = ${placeholder('issuer')})`,
      )
      .returning({ id: sessions.id, account_id: sessions.account_id }),
})

type IdentityKey = Pick<ProvedIdentity, 'issuer' | 'subject'>

export const findIdentity = (db: Db, { issuer, subject }: IdentityKey): Awaitable<IdentityRow | undefined> =>
  queries(db).find.get({ issuer, subject })

export const identityById = (db: Db, id: number): Awaitable<IdentityRow | undefined> =>
  queries(db).byId.get({ id })

export const identitiesOf = (db: Db, person_id: number): Awaitable<IdentityRow[]> =>
  queries(db).ofPerson.all({ person_id })

/** Inserts an identity, in the caller's transaction, which has locked the person. @returns undefined if the identity exists already */
export const insertIdentity = (
  tx: Tx,
  { issuer, subject, email = null }: IdentityKey & { email?: string | null | undefined },
  of: { person_id: number; provider: string; now_ms: number },
): Awaitable<IdentityRow | undefined> => queries(tx).insert.get({ issuer, subject, email, ...of })

/** Records a use of an identity, with the current name of its provider and the address that the provider reports now. */
export async function useIdentity(
  tx: Tx,
  { id }: Pick<IdentityRow, 'id'>,
  used: { provider: string; email: string | undefined; now_ms: number },
): Promise<void> {
  await queries(tx).use.run({ id, provider: used.provider, email: used.email ?? null, now_ms: used.now_ms })
}

/** An ended session with its account; null for the staff. */
interface EndedSession {
  id: number
  account_id: number | null
}

/** Deletes an identity and ends its sessions. @param but_id the session that stays open @returns whether the identity existed */
export async function removeIdentity(
  tx: Tx,
  { id }: Pick<IdentityRow, 'id'>,
  but_id: number,
): Promise<boolean> {
  await queries(tx).keepSession.run({ identity_id: id, session_id: but_id })
  await queries(tx).endSessions.all({ identity_id: id, but_id })
  return (await queries(tx).remove.all({ id })).length > 0
}

/** Ends all sessions that an identity opened. */
export const endSessionsOf = (tx: Tx, { id }: Pick<IdentityRow, 'id'>): Awaitable<EndedSession[]> =>
  queries(tx).endSessions.all({ identity_id: id, but_id: 0 })

/** Ends the sessions that belong to one session at the provider. */
export const endSessionsOfProvider = (
  tx: Tx,
  session: { issuer: string; provider_session: string },
): Awaitable<EndedSession[]> => queries(tx).endOfProvider.all(session)
