// The queries of the catalogue's past, prepared once for each connection.
import { desc, eq, lt, lte, sql } from 'drizzle-orm'
import { equals, isOneOf, placeholders } from '../store/placeholders.ts'
import { perConnection } from '../store/prepared.ts'
import { accounts, catalogues, keys, sessions } from '../store/schema.ts'

const { version, made_at_ms, made_by, shared } = catalogues
const VERSION = { version, text: catalogues.text, made_at_ms, made_by }

export const pastQueries = perConnection({
  newest: (orm) => orm.select().from(catalogues).orderBy(desc(version)).limit(1).prepare(),
  newestShared: (orm) =>
    orm.select(VERSION).from(catalogues).where(eq(shared, 1)).orderBy(desc(version)).limit(1).prepare(),
  unshare: (orm) => orm.update(catalogues).set({ shared: 0 }).where(eq(shared, 1)).prepare(),
  insert: (orm) =>
    orm
      .insert(catalogues)
      .values(placeholders('text', 'made_at_ms', 'made_by', 'shared'))
      .returning({ version })
      .prepare(),
  removeUpTo: (orm) =>
    orm
      .delete(catalogues)
      .where(sql`${version} <= ${sql.placeholder('version')}`)
      .prepare(),
  remove: (orm) => orm.delete(catalogues).where(isOneOf(version, 'versions')).prepare(),
  page: (orm) =>
    orm
      .select({ id: version, made_at_ms, made_by })
      .from(catalogues)
      .where(lt(version, sql.placeholder('below_id')))
      .orderBy(desc(version))
      .limit(sql.placeholder('row_limit'))
      .prepare(),
  one: (orm) => orm.select(VERSION).from(catalogues).where(equals(version, 'version')).prepare(),
  /** The one before, of those that are kept. */
  before: (orm) =>
    orm
      .select(VERSION)
      .from(catalogues)
      .where(lt(version, sql.placeholder('version')))
      .orderBy(desc(version))
      .limit(1)
      .prepare(),
  /** A version, if it is kept, and the one before. */
  withBefore: (orm) =>
    orm
      .select({ version, text: catalogues.text })
      .from(catalogues)
      .where(lte(version, sql.placeholder('version')))
      .orderBy(desc(version))
      .limit(2)
      .prepare(),
  sessionAddress: (orm) =>
    orm.select({ address: sessions.address }).from(sessions).where(equals(sessions.id, 'id')).prepare(),
  accountsByName: (orm) =>
    orm
      .select({ name: accounts.name, account_id: accounts.id })
      .from(accounts)
      .where(isOneOf(accounts.name, 'names'))
      .prepare(),
  keysByPrefix: (orm) =>
    orm
      .select({ prefix: keys.prefix, account_id: keys.account_id, key_id: keys.id })
      .from(keys)
      .where(isOneOf(keys.prefix, 'prefixes'))
      .prepare(),
  all: (orm) => orm.select({ version, text: catalogues.text }).from(catalogues).prepare(),
})
