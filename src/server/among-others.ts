// The part of a regular sweep that gateways need which share a database: what others left that have ended, and what those that are alive changed.
import { endedGateways, removeEnded } from '../db/gateways.ts'
import type { Gateway } from '../db/schema.ts'
import { endAbandoned } from '../library/recovery.ts'
import type { Logger } from '../observe/log.ts'
import type { Stores } from './stores.ts'

type Shared = Pick<Stores, 'engine' | 'db' | 'library' | 'idempotency' | 'responses'>

/** Those that have ended, read before anything of theirs is looked for; none where this one has the database alone. */
export const endedOthers = async ({ engine, db }: Shared): Promise<Gateway[]> =>
  engine.is_shared ? await endedGateways(db) : []

/**
 * Ends what gateways left that have ended, once their holds have expired, and takes note of what the others changed.
 *
 * @param ended those that had ended before the holds were looked for
 */
export async function followOthers(stores: Shared, ended: readonly Gateway[], log: Logger): Promise<void> {
  const { engine, db, library, idempotency, responses } = stores
  if (!engine.is_shared) return
  if (ended.length > 0) {
    const left_behind = await endAbandoned(library)
    if (left_behind > 0)
      log.warn(
        { left_behind },
        'ended the images and uploads that gateways had under way which have ended: images are marked as failed, uploads are removed',
      )
    await removeEnded(db, ended)
  }
  await idempotency.followOthers()
  await responses.followOthers()
}
