// The regular sweeps of a gateway: orphaned holds, expired rows, found images; and the upkeep of calls. A sweep's failure stops no other.
import { findMissing } from '../../library/missing.ts'
import { endAbandoned } from '../../library/recovery.ts'
import { expireOrphanedHolds } from '../../money/ledger/sweep.ts'
import type { Logger } from '../../observe/log.ts'
import { sweepRates } from '../../store/engines/postgres/rates.ts'
import { endedGateways, removeEnded } from '../../store/gateways.ts'
import type { Gateway as GatewayRow } from '../../store/schema.ts'
import { withinTime } from '../../utilities/time-limit.ts'
import type { Gateway, SharingGateways } from '../surface/gateway.ts'
import { isEldest } from './engine/own-gateway.ts'
import { reportSwept } from './reports.ts'
import type { Stores } from './stores.ts'
import { createUpkeep, type UpkeepParts } from './upkeep.ts'

/**
 * Ends the unfinished work of ended gateways, after their holds have expired, and removes their rows.
 * @param ended gateways that had ended before the holds were read
 */
async function removeOthers(
  { db, library }: Stores,
  ended: readonly GatewayRow[],
  log: Logger,
): Promise<void> {
  if (ended.length === 0) return
  const left_behind = await endAbandoned(library)
  if (left_behind > 0)
    log.warn(
      { left_behind },
      'ended the unfinished images and uploads of gateways that have ended: images are marked as failed, uploads are removed',
    )
  await removeEnded(db, ended)
}

/** Returns all live gateways as of this one's last heartbeat. */
export function sharingGateways({ engine, own_gateway }: Stores): SharingGateways | undefined {
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

export interface Sweep {
  name: string
  /** @throws any failure: the next round tries again */
  sweep(): unknown
}

interface SweepRounds {
  /** Runs one round, unless one is running. Never rejects. */
  run(): Promise<void>
  /** Starts no further sweep. @returns once the running sweep has ended, or its time is over */
  stop(): Promise<void>
}

interface SweepLimits {
  /** After this time the round continues although the sweep still runs, as on a disk that does not answer. */
  max_sweep_ms?: number
  /** The maximum wait of a stop for the running sweep. */
  max_stop_ms?: number
}

/** Creates rounds of sweeps, run in order; a failure is logged with the sweep's name. */
export function sweepEach(
  sweeps: readonly Sweep[],
  log: Pick<Logger, 'error'>,
  { max_sweep_ms = 300_000, max_stop_ms = 5_000 }: SweepLimits = {},
): SweepRounds {
  const under_way = new Set<string>()
  let stopping = false
  let running: Promise<void> | undefined

  async function begin({ name, sweep }: Sweep): Promise<void> {
    under_way.add(name)
    try {
      await sweep()
    } finally {
      under_way.delete(name)
    }
  }

  const runAll = async (): Promise<void> => {
    for (const each of sweeps) {
      if (stopping) return
      if (under_way.has(each.name)) continue
      try {
        await withinTime(max_sweep_ms, () => begin(each))
      } catch (cause) {
        log.error({ cause, sweep: each.name }, 'sweep failed')
      }
    }
  }

  return {
    run: () =>
      (running ??= runAll().finally(() => {
        running = undefined
      })),
    async stop() {
      stopping = true
      // Dropped: the result no longer matters to a process that ends.
      await withinTime(max_stop_ms, () => running).catch(() => {})
    },
  }
}

interface SweepOptions extends Pick<UpkeepParts, 'closed' | 'after'> {
  stores: Stores
  every_ms: number
}

type Swept = Pick<Gateway, 'calls' | 'people'>

function sweepsOf(gateway: Swept, stores: Stores): Sweep[] {
  const { calls, people } = gateway
  const { own_gateway, engine, db, idempotency, files, library, responses } = stores
  const { log } = calls
  const of_shared: Sweep[] = [
    { name: 'idempotent answers of other gateways', sweep: () => idempotency.followOthers() },
    { name: 'responses of other gateways', sweep: () => responses.followOthers() },
    { name: 'rates', sweep: () => sweepRates(db) },
  ]
  return [
    { name: 'silent gateways', sweep: () => own_gateway.endSilent() },
    { name: 'holds', sweep: () => sweepHolds(gateway, stores) },
    { name: 'idempotent answers', sweep: () => idempotency.sweep() },
    { name: 'responses', sweep: () => responses.sweep() },
    { name: 'sessions', sweep: () => people.sessions.sweep() },
    ...(engine.is_shared ? of_shared : []),
    // In a bucket each check would be a request. There, reading a missing image finds it.
    ...(files.bucket ? [] : [{ name: 'missing images', sweep: () => reportFound(library, log) }]),
  ]
}

/** Expires orphaned holds, and then ends the other work of ended gateways: while their holds stay, their files stay. */
async function sweepHolds({ calls: { running, log, now } }: Swept, stores: Stores): Promise<void> {
  const { gateway_id, engine, db, ledger, settlements } = stores
  /** Whether its call is running, or its settlement is still to be written. */
  const isUnderWay = (hold_id: number) => running.isUnderWay(hold_id) || settlements.has(hold_id)
  // Read before the holds and files of these gateways.
  const ended = engine.is_shared ? await endedGateways(db) : []
  reportSwept(await expireOrphanedHolds(db, ledger, { now_ms: now(), gateway_id, isUnderWay }), log)
  await removeOthers(stores, ended, log)
}

async function reportFound(library: Stores['library'], log: Logger): Promise<void> {
  const found_files = await findMissing(library)
  if (found_files > 0) log.info({ found_files }, 'missing images are back')
}

/**
 * Runs a round of sweeps every `every_ms`. A failure is logged, and the next round tries again.
 * @returns stops the rounds, and waits for the running sweep
 */
export function sweepRegularly(
  gateway: Swept,
  of_plugins: readonly Sweep[],
  { stores, every_ms, closed, after }: SweepOptions,
): () => Promise<void> {
  const { catalogue, log, now } = gateway.calls
  const sweeping = sweepEach([...sweepsOf(gateway, stores), ...of_plugins], log)
  const upkeep = createUpkeep({ db: stores.db, catalogue, closed, log, now, after })
  // Not awaited by the sweeps, since it may take minutes. One of all gateways does it.
  const keepUp = () => {
    if (isEldest(stores.own_gateway))
      void upkeep.run().catch((cause) => log.error({ cause }, 'the upkeep of calls failed'))
  }
  const timer = setInterval(() => {
    void sweeping.run()
    keepUp()
  }, every_ms)
  keepUp()
  return async () => {
    clearInterval(timer)
    await Promise.all([sweeping.stop(), upkeep.stop()])
  }
}
