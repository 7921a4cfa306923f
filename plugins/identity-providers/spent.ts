// Used tokens of providers: each works once, over all gateways.
import { lte } from 'drizzle-orm'
import { hashKey } from '../../src/access/secret.ts'
import type { Awaitable, Db, Tx } from '../../src/store/db.ts'
import { bareColumns, equals, placeholder, placeholders } from '../../src/store/placeholders.ts'
import { perConnection } from '../../src/store/prepared.ts'
import { spent_tokens } from './tables.ts'

const queries = perConnection({
  find: (orm) =>
    orm.select({ id: spent_tokens.id }).from(spent_tokens).where(equals(spent_tokens.sha256, 'sha256')),
  insert: (orm) =>
    orm
      .insert(spent_tokens)
      .values(placeholders('sha256', 'expires_at_ms'))
      .onConflictDoNothing({ target: bareColumns('sha256') })
      .returning({ id: spent_tokens.id }),
  removeExpired: (orm) =>
    orm.delete(spent_tokens).where(lte(spent_tokens.expires_at_ms, placeholder('now_ms'))),
})

/** The state of a sign-in or the ID of a logout token; kind and issuer keep them apart. */
type TokenName = readonly [kind: 'state' | 'logout', issuer: string, token: string]

const hashOf = (name: TokenName): Buffer => hashKey(JSON.stringify(name))

export const isSpent = async (db: Db, name: TokenName): Promise<boolean> =>
  (await queries(db).find.get({ sha256: hashOf(name) })) !== undefined

/** Uses up a token, in the caller's transaction. @returns false if it was used before */
export const spend = async (tx: Tx, name: TokenName, expires_at_ms: number): Promise<boolean> =>
  (await queries(tx).insert.get({ sha256: hashOf(name), expires_at_ms })) !== undefined

export const sweepSpent = (db: Db, now_ms: number): Awaitable<unknown> =>
  db.write((db) => queries(db).removeExpired.run({ now_ms }))
