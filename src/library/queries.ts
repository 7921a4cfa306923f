// The queries on generated and uploaded images, prepared once per connection.
import { and, asc, desc, eq, gt, gte, isNotNull, isNull, lt, ne, type SQL, sql, sum } from 'drizzle-orm'
import type { Orm } from '../store/db.ts'
import { isAbandoned } from '../store/gateways.ts'
import { equals, isOneOf, placeholder, placeholders, rawPlaceholders } from '../store/placeholders.ts'
import { perConnection } from '../store/prepared.ts'
import { erased_accounts, files, generations } from '../store/schema.ts'

const thisGeneration = and(equals(generations.uuid, 'uuid'), equals(generations.account_id, 'account_id'))
const thisFile = and(equals(files.key, 'key'), equals(files.account_id, 'account_id'))
const PLACE = {
  id: generations.id,
  uuid: generations.uuid,
  account_id: generations.account_id,
  state: generations.state,
  file_key: generations.file_key,
  bytes: generations.bytes,
  sha256: generations.sha256,
  missing_since_ms: generations.missing_since_ms,
}
const FILE_PLACE = {
  id: files.id,
  key: files.key,
  sha256: files.sha256,
  missing_since_ms: files.missing_since_ms,
}

/** A page of images by ID, without the prompts, which may be long. */
const imagePlaces = (orm: Orm, which: SQL | undefined) =>
  orm
    .select(PLACE)
    .from(generations)
    .where(and(which, gt(generations.id, placeholder('after_id'))))
    .orderBy(asc(generations.id))
    .limit(placeholder('row_limit'))
/** A page of uploads by ID. */
const filePlaces = (orm: Orm, which: SQL | undefined) =>
  orm
    .select(FILE_PLACE)
    .from(files)
    .where(and(which, gt(files.id, placeholder('after_id'))))
    .orderBy(asc(files.id))
    .limit(placeholder('row_limit'))

/** Queries on generated images. Each takes the values of its placeholders by name, and throws if one is missing. */
export const generationQueries = perConnection({
  insert: (orm) =>
    orm.insert(generations).values({
      ...placeholders(
        'uuid',
        'account_id',
        'call_id',
        'position',
        'kind',
        'model',
        'prompt',
        'parents',
        'created_at_ms',
        'gateway_id',
      ),
      state: 'generating',
    }),
  /** Also applies to an image marked as failed, because its gateway was considered dead. */
  store: (orm) =>
    orm
      .update(generations)
      .set({
        ...rawPlaceholders('revised_prompt', 'file_key', 'mime', 'width', 'height', 'bytes', 'sha256'),
        state: 'stored',
      })
      .where(equals(generations.uuid, 'uuid'))
      .returning({ id: generations.id }),
  /** Changes nothing if the image is no longer being generated. */
  fail: (orm) =>
    orm
      .update(generations)
      .set({ state: 'failed' })
      .where(and(equals(generations.uuid, 'uuid'), eq(generations.state, 'generating'))),
  failAbandoned: (orm) =>
    orm
      .update(generations)
      .set({ state: 'failed' })
      // A literal, so that the partial index applies.
      .where(and(eq(generations.state, sql`'generating'`), isAbandoned(generations.gateway_id)))
      .returning({ id: generations.id }),
  /** `missing_since_ms` is null for existing files. */
  mark: (orm) =>
    orm.update(generations).set(rawPlaceholders('missing_since_ms')).where(isOneOf(generations.id, 'ids')),
  /** Images marked as missing, in the order of IDs. */
  missing: (orm) => imagePlaces(orm, isNotNull(generations.missing_since_ms)),
  /** Images whose files should exist, in the order of IDs. */
  expected: (orm) =>
    imagePlaces(orm, and(eq(generations.state, 'stored'), isNull(generations.missing_since_ms))),
  find: (orm) => orm.select().from(generations).where(thisGeneration),
  findOfAny: (orm) => orm.select().from(generations).where(equals(generations.uuid, 'uuid')),
  storedOfCall: (orm) =>
    orm
      .select({ uuid: generations.uuid })
      .from(generations)
      .where(and(equals(generations.call_id, 'call_id'), eq(generations.state, 'stored')))
      .orderBy(generations.position),
  /** The columns that determine each image's file, without the prompts, which may be long. */
  places: (orm) => orm.select(PLACE).from(generations),
  /** Does not delete an image that is being generated. */
  remove: (orm) =>
    orm
      .delete(generations)
      .where(and(thisGeneration, ne(generations.state, 'generating')))
      .returning(),
})

/** Queries on uploaded images. */
export const fileQueries = perConnection({
  insert: (orm) =>
    orm
      .insert(files)
      .values({
        ...placeholders('key', 'account_id', 'name', 'mime', 'created_at_ms', 'gateway_id'),
        state: 'storing',
        bytes: 0,
      })
      .returning({ id: files.id }),
  store: (orm) =>
    orm
      .update(files)
      .set({
        ...rawPlaceholders('bytes', 'sha256', 'width', 'height'),
        state: 'stored',
      })
      .where(equals(files.id, 'id'))
      .returning(),
  isErased: (orm) =>
    orm
      .select({ account_id: erased_accounts.account_id })
      .from(erased_accounts)
      .where(equals(erased_accounts.account_id, 'account_id')),
  find: (orm) => orm.select().from(files).where(thisFile),
  /** `missing_since_ms` is null for existing files. */
  mark: (orm) => orm.update(files).set(rawPlaceholders('missing_since_ms')).where(isOneOf(files.id, 'ids')),
  /** Uploads marked as missing, in the order of IDs. */
  missing: (orm) => filePlaces(orm, isNotNull(files.missing_since_ms)),
  /** Uploads whose files should exist, in the order of IDs. */
  expected: (orm) => filePlaces(orm, and(eq(files.state, 'stored'), isNull(files.missing_since_ms))),
  all: (orm) => orm.select().from(files),
  page: (orm) =>
    orm
      .select()
      .from(files)
      .where(
        and(
          equals(files.account_id, 'account_id'),
          eq(files.state, 'stored'),
          gte(files.created_at_ms, placeholder('since_ms')),
          lt(files.created_at_ms, placeholder('until_ms')),
          lt(files.id, placeholder('below_id')),
        ),
      )
      .orderBy(desc(files.id))
      .limit(placeholder('row_limit')),
  usedBytes: (orm) =>
    orm
      .select({ bytes: sum(files.bytes).mapWith(Number) })
      .from(files)
      .where(equals(files.account_id, 'account_id')),
  removeStored: (orm) =>
    orm
      .delete(files)
      .where(and(thisFile, eq(files.state, 'stored')))
      .returning(),
  remove: (orm) => orm.delete(files).where(isOneOf(files.id, 'ids')),
  removeAbandoned: (orm) =>
    orm
      .delete(files)
      .where(and(eq(files.state, 'storing'), isAbandoned(files.gateway_id)))
      .returning({ key: files.key }),
})
