// Stored states of routes and keys: reading all, and merging new answers of a gateway into them.
import { eq, lt, sql } from 'drizzle-orm'
import { DAY_MS } from '../../src/domain/ranges.ts'
import type { Db } from '../../src/store/db.ts'
import {
  bareColumns,
  equals,
  placeholder,
  placeholders,
  rawPlaceholders,
} from '../../src/store/placeholders.ts'
import { perConnection } from '../../src/store/prepared.ts'
import { emptyKey, emptyRoute, type KeyState, mergeKeys, mergeRoutes, type RouteState } from './outage.ts'
import { health_states } from './tables.ts'

/** The maximum number of tries, because another gateway may write the same row at the same time. */
const MAX_WRITES = 3

interface StoredStates {
  routes: Map<string, RouteState>
  keys: Map<string, KeyState>
  versions: Map<string, number>
}

const isKey = (subject: string): boolean => subject.startsWith('["key"')

/** All rows: a few for each route, and one for each key that was rejected. */
export async function readAll(db: Pick<Db, 'orm'>): Promise<StoredStates> {
  const rows = await queries(db).all.all()
  const of = (keys: boolean) => rows.filter(({ subject }) => isKey(subject) === keys)
  return {
    routes: new Map(of(false).map(({ subject, state }) => [subject, JSON.parse(state)])),
    keys: new Map(of(true).map(({ subject, state }) => [subject, JSON.parse(state)])),
    versions: new Map(rows.map(({ subject, version }) => [subject, version])),
  }
}

/**
 * Merges the new answers of a gateway into the rows. Rows that other gateways change repeatedly at the same time are skipped after a few tries.
 *
 * @returns the names of all keys that have a row
 */
export async function storeAll(
  db: Db,
  gathered: Pick<StoredStates, 'routes' | 'keys'>,
  now_ms: number,
): Promise<Set<string>> {
  let left = gathered
  for (let writes = 0; writes < MAX_WRITES && left.routes.size + left.keys.size > 0; writes++)
    left = await db.begin((tx) => writeAll(tx, left, now_ms), { durable: false })
  return new Set([...(await readAll(db)).keys.keys()].map((subject) => JSON.parse(subject)[1]))
}

/** Returns the states whose rows another gateway has changed meanwhile. */
async function writeAll(
  tx: Db,
  { routes, keys }: { routes: Map<string, RouteState>; keys: Map<string, KeyState> },
  now_ms: number,
): Promise<{ routes: Map<string, RouteState>; keys: Map<string, KeyState> }> {
  const stored = await readAll(tx)
  const { insert, update, sweep } = queries(tx)
  const writeOne = async (subject: string, value: RouteState | KeyState): Promise<boolean> => {
    const version = stored.versions.get(subject)
    const row = { subject, state: JSON.stringify(value), changed_at_ms: now_ms }
    const written =
      version === undefined
        ? await insert.get({ ...row, version: 1 })
        : await update.get({ ...row, read_version: version, version: version + 1 })
    return written !== undefined
  }
  const left = { routes: new Map<string, RouteState>(), keys: new Map<string, KeyState>() }
  // In the same order at all gateways, so that they do not deadlock.
  for (const [subject, added] of [...routes].sort()) {
    const merged = mergeRoutes(stored.routes.get(subject) ?? emptyRoute(), added, now_ms)
    if (!(await writeOne(subject, merged))) left.routes.set(subject, added)
  }
  for (const [subject, added] of [...keys].sort()) {
    const known = stored.keys.get(subject)
    // A success needs no row if the key was not rejected.
    if (!known?.rejected && added.rejected === 0) continue
    const merged = mergeKeys(known ?? emptyKey(), added)
    if (!(await writeOne(subject, merged))) left.keys.set(subject, added)
  }
  await sweep.run({ changed_at_ms: now_ms - DAY_MS })
  return left
}

const queries = perConnection({
  all: (orm) => orm.select().from(health_states),
  insert: (orm) =>
    orm
      .insert(health_states)
      .values(placeholders('subject', 'state', 'version', 'changed_at_ms'))
      .onConflictDoNothing({ target: bareColumns('subject') })
      .returning({ subject: health_states.subject }),
  update: (orm) =>
    orm
      .update(health_states)
      .set(rawPlaceholders('state', 'version', 'changed_at_ms'))
      .where(
        sql`${equals(health_states.subject, 'subject')} AND ${eq(health_states.version, placeholder('read_version'))}`,
      )
      .returning({ subject: health_states.subject }),
  sweep: (orm) =>
    orm.delete(health_states).where(lt(health_states.changed_at_ms, placeholder('changed_at_ms'))),
})
