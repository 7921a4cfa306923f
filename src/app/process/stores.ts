// The stores of a data folder besides the catalogue: opened under the folder's lock, and recovered after a crash.
import { join } from 'node:path'
import manifest from '../../../package.json' with { type: 'json' }
import { JOURNAL_FILES, openSettlementJournal, type SettlementJournal } from '../../calls/settling/journal.ts'
import { SettlementQueue } from '../../calls/settling/queue.ts'
import type { Catalogue } from '../../domain/catalogue.ts'
import { createIdempotency, type Idempotency } from '../../idempotency/idempotency.ts'
import { createKeptAnswers } from '../../idempotency/kept-answers.ts'
import { createReplayCount } from '../../idempotency/replays.ts'
import { answerLimitsOf } from '../../idempotency/room.ts'
import { type Library, openLibrary } from '../../library/library.ts'
import { refuseMissingFolders } from '../../library/missing.ts'
import { recoverLibrary } from '../../library/recovery.ts'
import type { Ledger } from '../../money/ledger/operations.ts'
import { holdQueries } from '../../money/ledger/queries.ts'
import { isRecorded } from '../../money/ledger/started-calls.ts'
import { expireOrphanedHolds } from '../../money/ledger/sweep.ts'
import type { Logger } from '../../observe/log.ts'
import { createKeptResponses, type KeptResponses } from '../../responses/store.ts'
import type { Db } from '../../store/db.ts'
import { refuseUnwritable } from '../../store/folder.ts'
import { endedGateways, removeEnded } from '../../store/gateways.ts'
import { takeServeLock } from '../../store/lock.ts'
import { removeAbandonedWork, type WorkLocation } from '../../store/work-folder.ts'
import type { Engine, ServedDatabase } from './engine/engine.ts'
import { engineOf } from './engine/of.ts'
import type { GatewayTiming, OwnGateway, SharedClock } from './engine/own-gateway.ts'
import { claimBucket } from './files/claim.ts'
import { FILE_FOLDERS, type FileStores, fileStoresOf } from './files/stores.ts'
import { removeLeftovers, tidy } from './leftovers.ts'
import { reportBucketTo, reportLedgerTo, reportLostTo, reportRecovered, reportSwept } from './reports.ts'
import { refuseOthers } from './start-refusals.ts'

interface StoreOptions {
  data_folder: string
  /** Releases the folder's lock, taken by `takeFolder`. */
  unlock: () => void
  catalogue: () => Catalogue
  onSharedVersion?: (version: number | undefined) => void
  clock: SharedClock
  log: Logger
  gateway_timing?: GatewayTiming | undefined
  accepts_others?: boolean | undefined
  max_busy_wait_ms?: number | undefined
  probe: (point: string) => void
}

export interface Stores {
  /** The ID of this gateway's row. */
  gateway_id: number
  own_gateway: OwnGateway
  engine: Engine
  db: Db
  database: Pick<ServedDatabase, 'trouble' | 'call_db'>
  database_path: string
  ledger: Ledger
  /** Settlements that the ledger could not write so far. */
  settlements: SettlementQueue
  /** Settlements that an earlier stop could not write. */
  journal: SettlementJournal
  idempotency: Idempotency
  files: FileStores
  library: Library
  responses: KeptResponses
  close(): Promise<void>
}

/** The names in the data folder that a gateway writes besides its database. */
const WRITTEN = [...FILE_FOLDERS, ...JOURNAL_FILES]

/** Opens the stores, and migrates an older database. @throws what opening the database throws, with the lock released */
export async function openStores(options: StoreOptions): Promise<Stores> {
  const { data_folder, unlock, catalogue, log, probe } = options
  await using undoing = new AsyncDisposableStack()
  undoing.defer(() => unlock())
  const { engine, database, own_gateway, ledger } = await openRows(options, undoing)
  const { db, call_db } = database
  const { now } = options.clock
  const gateway_id = own_gateway.id
  const files = fileStoresOf(catalogue().storage, data_folder, { onChange: reportBucketTo(log) })
  const { images, files: uploads, bucket } = files
  const isFailing = () => bucket?.isFailing() ?? false
  const journal = openSettlementJournal(data_folder, log)
  const settlements = new SettlementQueue({ ledger, log, journal: journal.keep })
  const answers = createKeptAnswers(call_db, files.answers, {
    now,
    limits: () => answerLimitsOf(catalogue().server),
    gateway_id,
    unwritten: () => ledger.unwritten.values(),
  })
  const responses = createKeptResponses({
    db: call_db,
    files: files.responses,
    settings: () => catalogue().responses,
    now,
    probe,
  })
  const replays = createReplayCount(db, { now, log })
  // From now on `close` closes everything, in its own order.
  undoing.move()
  return {
    gateway_id,
    own_gateway,
    engine,
    db,
    database,
    database_path: join(data_folder, 'tollgate.db'),
    ledger,
    settlements,
    journal,
    idempotency: createIdempotency({ answers, log, countReplay: replays.count }),
    files,
    library: openLibrary({ db: call_db, now, probe, gateway_id, images, files: uploads, isFailing }),
    responses,
    async close() {
      // First, since running calls may still add to the queue of settlements.
      await ledger.close()
      settlements.close()
      await replays.close()
      bucket?.stop()
      await own_gateway.end()
      await database.close()
      unlock()
    },
  }
}

/** Opens the database and the ledger, and registers this gateway. @param undoing closes them if a later step fails */
async function openRows(options: StoreOptions, undoing: AsyncDisposableStack) {
  const { data_folder, catalogue, onSharedVersion, clock, log, probe } = options
  const { gateway_timing, max_busy_wait_ms } = options
  const { storage } = catalogue()
  const engine = await engineOf(storage, data_folder)
  const database = await engine.serve(log, max_busy_wait_ms)
  undoing.defer(() => database.close())
  const { version } = manifest
  const joining = {
    version,
    data_folder,
    onSharedVersion,
    log,
    now: clock.machine_now,
    timing: gateway_timing,
  }
  const own_gateway = await engine.join(database.db, joining)
  undoing.defer(() => own_gateway.end())
  clock.follow(own_gateway)
  if (!storage.files && !options.accepts_others)
    refuseOthers(own_gateway.alive.filter(({ id }) => id !== own_gateway.id).map(({ name }) => name))
  const ledger = await engine.openLedger({
    gateway_id: own_gateway.id,
    blocked: () => database.trouble ?? own_gateway.outdated,
    onLost: reportLostTo(log),
    onFenced: () => own_gateway.revive(),
    now: clock.now,
    probe,
    onChange: reportLedgerTo(log, engine.address),
    max_busy_wait_ms,
  })
  return { engine, database, own_gateway, ledger }
}

/**
 * Takes the folder's lock, and removes leftovers of killed commands.
 * @param elsewhere their work folders outside the data folder
 * @returns releases the lock
 * @throws Error if another process serves the folder, or it is not writable
 */
export function takeFolder(data_folder: string, log: Logger, elsewhere: readonly WorkLocation[]): () => void {
  refuseUnwritable(data_folder, WRITTEN)
  const unlock = takeServeLock(data_folder)
  if (!unlock)
    throw new Error(`Another gateway is serving ${data_folder}. Stop it first, or use another --data folder.`)
  // The folder's owner cannot remove files of root. Such a failure does not stop a start.
  const removed = [
    ...tidy(() => removeLeftovers(data_folder, 'serve.lock')),
    ...elsewhere.flatMap((place) => tidy(() => removeAbandonedWork(place))),
  ]
  if (removed.length > 0) log.info({ removed }, 'removed files that earlier versions or killed commands left')
  return unlock
}

interface RecoverOptions {
  data_folder: string
  accept_missing_files: boolean
  now: () => number
  log: Logger
}

/**
 * Resolves the unfinished work of dead gateways, and then removes their rows. Only before the first call, since it reconciles files with rows.
 * @throws Error, before any change, if a folder of images is missing, or the bucket cannot be used or belongs to another database
 */
export async function recover(stores: Stores, options: RecoverOptions): Promise<void> {
  const { gateway_id, db, ledger, journal, idempotency, files, library, responses } = stores
  const { data_folder, accept_missing_files, now, log } = options
  const ended = await endedGateways(db)
  if (files.bucket) await claimBucket(db, files, { accept_missing_files })
  else if (!accept_missing_files) await refuseMissingFolders(library, data_folder)
  await journal.apply(ledger, {
    hasHold: async (id, request_id) =>
      (await holdQueries(db).ofRequest.get({ id, request_id })) !== undefined,
    isRecorded: (request_id, started_at_ms) => isRecorded(db, request_id, started_at_ms),
  })
  reportSwept(
    await expireOrphanedHolds(db, ledger, { now_ms: now(), gateway_id, isUnderWay: () => false }),
    log,
  )
  await idempotency.sweep()
  await idempotency.recover()
  await responses.sweep()
  const stray_files = await responses.recover()
  if (stray_files > 0) log.info({ stray_files }, 'deleted files of kept responses that no row names')
  reportRecovered(await recoverLibrary(library), log)
  await removeEnded(db, ended)
  journal.reserve()
}
