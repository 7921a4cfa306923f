// Other gateways over the same database: a start beside one that is alive is refused while files are in folders.
import type { Db } from '../../store/db.ts'
import { serverClock } from '../../store/engines/postgres/heartbeat.ts'
import { aliveGateways } from '../../store/gateways.ts'
import { TIMING } from './engine/heartbeat.ts'
import { knownNode } from './engine/own-gateway.ts'

interface Beside {
  /** This gateway's, under whose lock an earlier one there is dead. */
  data_folder: string
  silent_after_ms?: number | undefined
}

/** The names of the others that are alive, before this gateway has joined them. */
export async function aliveBeside(
  db: Db,
  { data_folder, silent_after_ms = TIMING.silent_after_ms }: Beside,
): Promise<string[]> {
  const gateways = await aliveGateways(db)
  if (gateways.length === 0) return []
  const node = knownNode(data_folder)
  const now_ms = await serverClock(db)
  return gateways
    .filter((one) => one.node !== node && Math.abs(now_ms - (one.seen_at_ms ?? 0)) <= silent_after_ms)
    .map(({ name }) => name)
}

/** @throws Error where others are alive: the start of one puts the files of its folder in order by the rows of all */
export function refuseOthers(others: readonly string[]): void {
  if (others.length === 0) return
  throw new Error(
    `Another gateway serves this database (${others.join(', ')}), and the files of this one are in its folder, where the other has none. ` +
      'Stop the other one first, or let both keep their files in a bucket: `files` in [storage]. One that was killed counts as alive for 30 seconds.',
  )
}
