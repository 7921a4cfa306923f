// Rows of passkeys: added, renamed, removed and used. If the device counts its uses, each use must increase the counter.
import { and, asc, sql } from 'drizzle-orm'
import { conflict, invalidRequest, notFound } from '../../src/domain/errors.ts'
import type { Db, Tx } from '../../src/store/db.ts'
import { equals, placeholder, placeholders, rawPlaceholders } from '../../src/store/placeholders.ts'
import { perConnection } from '../../src/store/prepared.ts'
import { type PasskeyRow, passkeys, sessions } from '../../src/store/schema.ts'

const MAX_OF_PERSON = 20

const matchesOwn = () => and(equals(passkeys.id, 'id'), equals(passkeys.person_id, 'person_id'))

const queries = perConnection({
  ofPerson: (orm) =>
    orm.select().from(passkeys).where(equals(passkeys.person_id, 'person_id')).orderBy(asc(passkeys.id)),
  byId: (orm) => orm.select().from(passkeys).where(equals(passkeys.id, 'id')),
  byCredential: (orm) => orm.select().from(passkeys).where(equals(passkeys.credential_id, 'credential_id')),
  insert: (orm) =>
    orm
      .insert(passkeys)
      .values({
        ...placeholders('person_id', 'credential_id', 'public_key', 'counter', 'transports', 'name'),
        created_at_ms: placeholder('now_ms'),
      })
      .onConflictDoNothing()
      .returning(),
  rename: (orm) => orm.update(passkeys).set(rawPlaceholders('name')).where(matchesOwn()).returning(),
  remove: (orm) => orm.delete(passkeys).where(matchesOwn()).returning(),
  endSessions: (orm) =>
    orm
      .delete(sessions)
      .where(and(equals(sessions.person_id, 'person_id'), sql`${sessions.proof} = 'passkey'`))
      .returning({ id: sessions.id }),
  /** The new counter must exceed the stored one; both are 0 if the device does not count. */
  use: (orm) =>
    orm
      .update(passkeys)
      .set(rawPlaceholders('counter', 'last_used_at_ms'))
      .where(
        and(
          equals(passkeys.id, 'id'),
          sql`(${passkeys.counter} < ${placeholder('counter')} OR (${passkeys.counter} = 0 AND CAST(${placeholder('counter')} AS bigint) = 0))`,
        ),
      )
      .returning(),
})

export type NewPasskey = Pick<
  PasskeyRow,
  'person_id' | 'credential_id' | 'public_key' | 'counter' | 'transports' | 'name'
>

export const passkeysOf = async (db: Db, person_id: number): Promise<readonly PasskeyRow[]> =>
  await queries(db).ofPerson.all({ person_id })

export const passkeyById = async (db: Db, id: number): Promise<PasskeyRow | undefined> =>
  await queries(db).byId.get({ id })

export const passkeyByCredential = async (db: Db, credential_id: Buffer): Promise<PasskeyRow | undefined> =>
  await queries(db).byCredential.get({ credential_id })

/** In a transaction that has locked the person. @throws GatewayError conflict for a passkey that exists already; invalid_request beyond 20 */
export async function addPasskey(tx: Tx, passkey: NewPasskey, now_ms: number): Promise<PasskeyRow> {
  if ((await passkeysOf(tx, passkey.person_id)).length >= MAX_OF_PERSON)
    throw invalidRequest(
      `You have ${MAX_OF_PERSON} passkeys, which is the most. Remove one that you no longer use.`,
    )
  const added = await queries(tx).insert.get({ ...passkey, now_ms })
  if (!added) throw conflict('This passkey was added already. Use another device.', { code: 'passkey_known' })
  return added
}

/** @returns the passkey with its new name @throws GatewayError not_found for another person's passkey */
export async function renamePasskey(
  tx: Tx,
  { id, person_id, name }: { id: number; person_id: number; name: string },
): Promise<PasskeyRow> {
  return (await queries(tx).rename.get({ id, person_id, name })) ?? notKnown()
}

/** @returns the removed passkey @throws GatewayError not_found for another person's passkey */
export async function removePasskey(tx: Tx, of: { id: number; person_id: number }): Promise<PasskeyRow> {
  return (await queries(tx).remove.get(of)) ?? notKnown()
}

/** Ends all sessions that a person opened with passkeys; a session does not name its passkey. @returns the number of sessions */
export const endPasskeySessions = async (tx: Tx, person_id: number): Promise<number> =>
  (await queries(tx).endSessions.all({ person_id })).length

/** Records a use. @returns false if the counter did not increase: the passkey was copied, or its answer replayed */
export async function usePasskey(
  tx: Tx,
  { id, counter, now_ms }: { id: number; counter: number; now_ms: number },
): Promise<boolean> {
  return (await queries(tx).use.get({ id, counter, last_used_at_ms: now_ms })) !== undefined
}

const notKnown = (): never => {
  throw notFound('Passkey not found. It may have been removed.')
}
