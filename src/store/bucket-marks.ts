// The mark of the bucket of files: how it is read and made.
import type { Db } from './db.ts'
import { placeholders } from './placeholders.ts'
import { perConnection } from './prepared.ts'
import { bucket_marks } from './schema.ts'

const markQueries = perConnection({
  read: (orm) => orm.select({ mark: bucket_marks.mark }).from(bucket_marks),
  insert: (orm) => orm.insert(bucket_marks).values(placeholders('id', 'mark')).onConflictDoNothing(),
  remove: (orm) => orm.delete(bucket_marks),
})

/** The mark of this database's bucket; undefined if it has had none. */
export const bucketMark = async (db: Db): Promise<string | undefined> =>
  (await markQueries(db).read.get())?.mark

/** Gives the database a mark, unless it has one. @returns the one that it has: of gateways that do this at once all get the same */
export async function makeBucketMark(db: Db, mark: string): Promise<string> {
  await db.write((db) => markQueries(db).insert.run({ id: 1, mark }))
  return (await bucketMark(db)) ?? mark
}

/** As if the database had had no bucket. */
export const forgetBucketMark = (db: Db): Promise<unknown> =>
  db.write(async (db) => void (await markQueries(db).remove.run()))
