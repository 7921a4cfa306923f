// The queries of the catalogue's history, prepared once per connection.
import { desc, eq, lt, lte, sql } from 'drizzle-orm'
import type { Awaitable, Statements } from '../store/db.ts'
import { equals, isOneOf, placeholder, placeholders } from '../store/placeholders.ts'
import { perConnection } from '../store/prepared.ts'
import { accounts, catalogues, keys, sessions } from '../store/schema.ts'
import type { SharedText } from './load-file.ts'

const { version, made_at_ms, made_by, shared } = catalogues
const VERSION = { version, text: catalogues.text, made_at_ms, made_by }

export const pastQueries = perConnection({
  newest: (orm) => orm.select().from(catalogues).orderBy(desc(version)).limit(1),
  newestShared: (orm) =>
    orm.select(VERSION).from(catalogues).where(eq(shared, 1)).orderBy(desc(version)).limit(1),
  unshare: (orm) => orm.update(catalogues).set({ shared: 0 }).where(eq(shared, 1)),
  insert: (orm) =>
    orm
      .insert(catalogues)
      .values(placeholders('text', 'made_at_ms', 'made_by', 'shared'))
      .returning({ version }),
  removeUpTo: (orm) => orm.delete(catalogues).where(sql`${version} <= ${placeholder('version')}`),
  remove: (orm) => orm.delete(catalogues).where(isOneOf(version, 'versions')),
  page: (orm) =>
    orm
      .select({ id: version, made_at_ms, made_by })
      .from(catalogues)
      .where(lt(version, placeholder('below_id')))
      .orderBy(desc(version))
      .limit(placeholder('row_limit')),
  one: (orm) => orm.select(VERSION).from(catalogues).where(equals(version, 'version')),
  /** The stored version before another. */
  before: (orm) =>
    orm
      .select(VERSION)
      .from(catalogues)
      .where(lt(version, placeholder('version')))
      .orderBy(desc(version))
      .limit(1),
  /** A version, if it is stored, and the one before. */
  withBefore: (orm) =>
    orm
      .select({ version, text: catalogues.text })
      .from(catalogues)
      .where(lte(version, placeholder('version')))
      .orderBy(desc(version))
      .limit(2),
  sessionOrigin: (orm) =>
    orm
      .select({ address: sessions.address, person_id: sessions.person_id })
      .from(sessions)
      .where(equals(sessions.id, 'id')),
  accountsByName: (orm) =>
    orm
      .select({ name: accounts.name, account_id: accounts.id })
      .from(accounts)
      .where(isOneOf(accounts.name, 'names')),
  keysByPrefix: (orm) =>
    orm
      .select({ prefix: keys.prefix, account_id: keys.account_id, key_id: keys.id })
      .from(keys)
      .where(isOneOf(keys.prefix, 'prefixes')),
  all: (orm) => orm.select({ version, text: catalogues.text }).from(catalogues),
})

/** Reads the text in force in the database; undefined before the first. */
export const newestShared = (db: Statements): Awaitable<SharedText | undefined> =>
  pastQueries(db).newestShared.get()
