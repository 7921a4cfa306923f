// Predecessor and successor of a rotated key, from the audit log, while it keeps the lines.
import { and, asc, eq, sql } from 'drizzle-orm'
import type { ListedKey } from '../../src/access/key-listing.ts'
import type { Db } from '../../src/store/db.ts'
import { equals } from '../../src/store/placeholders.ts'
import { perConnection } from '../../src/store/prepared.ts'
import { actions, keys } from '../../src/store/schema.ts'

const queries = perConnection({
  rotations: (orm) =>
    orm
      .select({ id: keys.id, prefix: keys.prefix, after: actions.after })
      .from(actions)
      .innerJoin(keys, eq(keys.id, actions.key_id))
      .where(and(equals(actions.account_id, 'account_id'), sql`${actions.action} = 'key.rotated'`))
      .orderBy(asc(actions.id)),
})

interface Lineage {
  /** The key that was rotated into this one. */
  replaces: { id: number; prefix: string } | null
  /** The prefix of the key that this one was rotated into. */
  replaced_by: string | null
}

export const NO_LINEAGE: Lineage = { replaces: null, replaced_by: null }

/** Returns the keys before and after a key in the rotations of its account. */
export async function lineageOf(db: Db, { id, prefix, account_id }: ListedKey): Promise<Lineage> {
  const rotations = (await queries(db).rotations.all({ account_id })).map(({ after, ...old }) => ({
    old,
    new_prefix: newKeyIn(after),
  }))
  return {
    replaces: rotations.findLast(({ new_prefix }) => new_prefix === prefix)?.old ?? null,
    replaced_by: rotations.findLast(({ old }) => old.id === id)?.new_prefix ?? null,
  }
}

function newKeyIn(after: string | null): string | null {
  const fields: unknown = after === null ? null : JSON.parse(after)
  const prefix: unknown = Reflect.get(Object(fields), 'new_key')
  return typeof prefix === 'string' ? prefix : null
}
