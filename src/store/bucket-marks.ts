// The mark that identifies the bucket of files: read, created, removed.
import type { Db } from './db.ts'
import { placeholders } from './placeholders.ts'
import { perConnection } from './prepared.ts'
import { bucket_marks } from './schema.ts'

const markQueries = perConnection({
  read: (orm) => orm.select({ mark: bucket_marks.mark }).from(bucket_marks),
  insert: (orm) => orm.insert(bucket_marks).values(placeholders('id', 'mark')).onConflictDoNothing(),
  remove: (orm) => orm.delete(bucket_marks),
})

/** Returns the mark of this database's bucket; undefined if it has had none. */
export const bucketMark = async (db: Db): Promise<string | undefined> =>
  (await markQueries(db).read.get())?.mark

/** Stores a mark unless the database has one. @returns the stored one: gateways that do this at the same time all get the same */
export async function makeBucketMark(db: Db, mark: string): Promise<string> {
  await db.write((db) => markQueries(db).insert.run({ id: 1, mark }))
  return (await bucketMark(db)) ?? mark
}

/** Removes the mark, as if the database had never had a bucket. */
export const forgetBucketMark = (db: Db): Promise<unknown> =>
  db.write(async (db) => void (await markQueries(db).remove.run()))
