// Changes of the catalogue in the database, whose text all its gateways use instead of their files.

import { conflict, type GatewayError } from '../domain/errors.ts'
import type { Db, Tx } from '../store/db.ts'
import { keepShared, type NewVersion } from './past.ts'
import { newestShared, pastQueries } from './past-queries.ts'

/**
 * Brings a text into force for all gateways, in the caller's transaction, and records its changes in the audit log.
 *
 * @param next without keys and settings of the machine
 * @param from the version that it is based on; undefined for the first text
 * @returns its version, which is `from` if nothing has changed @throws GatewayError conflict if another text has come into force
 */
export async function applyShared(tx: Tx, next: NewVersion, from: number | undefined): Promise<number> {
  await tx.lock(null)
  const newest = await newestShared(tx)
  if (newest?.version !== from) throw changedMeanwhile('catalogue')
  return newest?.text === next.text ? newest.version : await keepShared(tx, next)
}

/** Stores the first catalogue of a database, unless another gateway already has. */
export const adoptShared = (db: Db, first: NewVersion): Promise<void> =>
  db.begin(async (tx) => {
    await tx.lock(null)
    if (!(await newestShared(tx))) await keepShared(tx, first)
  })

/** Removes the catalogue from a moved database, since it belonged to the gateways of the old one. */
export async function dropShared(tx: Tx): Promise<void> {
  await pastQueries(tx).unshare.run()
}

/** The refusal of a change that is based on an outdated text. */
export const changedMeanwhile = (what: 'file' | 'catalogue'): GatewayError =>
  conflict(
    `The ${what} has changed since you read it. Read it again, and make your change there; nothing was saved.`,
    { code: 'configuration_changed', param: 'hash' },
  )
