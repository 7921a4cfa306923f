// The catalogue in the database: the text that all gateways over it take in place of their files, and how it is replaced.

import { conflict, type GatewayError } from '../domain/errors.ts'
import type { Db, Tx } from '../store/db.ts'
import { keepShared, type NewVersion } from './past.ts'
import { newestShared, pastQueries } from './past-queries.ts'

/**
 * Puts a text in force for all gateways, in the caller's transaction, and writes to the audit log what it changes.
 *
 * @param next without keys, and without what is of a machine
 * @param from the version that it was made from; undefined: it is the first
 * @returns its version, which is `from` where nothing has changed @throws GatewayError conflict if another one came into force meanwhile
 */
export async function applyShared(tx: Tx, next: NewVersion, from: number | undefined): Promise<number> {
  await tx.lock(null)
  const newest = await newestShared(tx)
  if (newest?.version !== from) throw changedMeanwhile('catalogue')
  return newest?.text === next.text ? newest.version : await keepShared(tx, next)
}

/** Puts the first catalogue into a database. Another gateway may have been faster: its catalogue stays. */
export const adoptShared = (db: Db, first: NewVersion): Promise<void> =>
  db.begin(async (tx) => {
    await tx.lock(null)
    if (!(await newestShared(tx))) await keepShared(tx, first)
  })

/** Takes the catalogue out of a database that has moved: it belonged to the gateways of the old one. */
export async function dropShared(tx: Tx): Promise<void> {
  await pastQueries(tx).unshare.run()
}

/** Somebody else was faster. */
export const changedMeanwhile = (what: 'file' | 'catalogue'): GatewayError =>
  conflict(
    `The ${what} has changed since you read it. Read it again, and make your change there; nothing was saved.`,
    { code: 'configuration_changed', param: 'hash' },
  )
