// The duties of a gateway that shares its database: it ends the holds and files of gateways that died.
import { endAbandoned } from '../../library/recovery.ts'
import type { Logger } from '../../observe/log.ts'
import { endedGateways, removeEnded } from '../../store/gateways.ts'
import type { Gateway as GatewayRow } from '../../store/schema.ts'
import type { SharingGateways } from '../surface/gateway.ts'
import type { Stores } from './stores.ts'

type Shared = Pick<Stores, 'engine' | 'db' | 'library'>

/** Those that have ended, read before anything of theirs is looked for; none where this one has the database alone. */
export const endedOthers = async ({ engine, db }: Shared): Promise<GatewayRow[]> =>
  engine.is_shared ? await endedGateways(db) : []

/**
 * Ends what gateways left that have ended, once their holds have expired.
 * @param ended those that had ended before the holds were looked for
 */
export async function removeOthers(
  { db, library }: Shared,
  ended: readonly GatewayRow[],
  log: Logger,
): Promise<void> {
  if (ended.length === 0) return
  const left_behind = await endAbandoned(library)
  if (left_behind > 0)
    log.warn(
      { left_behind },
      'ended the images and uploads that gateways had under way which have ended: images are marked as failed, uploads are removed',
    )
  await removeEnded(db, ended)
}

/** All that are alive, as this one was told last. */
export function sharingGateways({
  engine,
  own_gateway,
}: Pick<Stores, 'engine' | 'own_gateway'>): SharingGateways | undefined {
  if (!engine.is_shared) return undefined
  const { id: own_id, alive, clock_offset_ms } = own_gateway
  return {
    clock_ahead_ms: clock_offset_ms,
    alive: alive.map(({ id, name, version, started_at_ms, seen_at_ms }) => ({
      id,
      name,
      version,
      started_at_ms,
      seen_at_ms: seen_at_ms ?? started_at_ms,
      is_this: id === own_id,
    })),
  }
}
