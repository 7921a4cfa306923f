// What is kept in the data folder besides the catalogue: opened under the folder's lock, and recovered after a crash.
import type { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { neverBlock } from '../db/busy.ts'
import type { MigrationCopy } from '../db/copy.ts'
import { refuseUnwritable } from '../db/folder.ts'
import { takeLock } from '../db/lock.ts'
import { openDatabase } from '../db/open.ts'
import type { Catalogue } from '../domain/catalogue.ts'
import {
  JOURNAL_FILES,
  openSettlementJournal,
  type SettlementJournal,
} from '../exchange/settlement-journal.ts'
import { createSettlementQueue, type SettlementQueue } from '../exchange/settlement-queue.ts'
import { createDeeds, type Deeds } from '../idempotency/deeds.ts'
import { createIdempotency, type Idempotency } from '../idempotency/idempotency.ts'
import { createKeptAnswers } from '../idempotency/kept-answers.ts'
import { createReplayCount } from '../idempotency/replays.ts'
import { answerLimitsOf } from '../idempotency/room.ts'
import type { OnChange } from '../ledger/health.ts'
import { openLedger } from '../ledger/ledger.ts'
import type { Ledger } from '../ledger/operations.ts'
import { holdQueries } from '../ledger/queries.ts'
import { expireOrphanedHolds } from '../ledger/sweep.ts'
import { type Library, openLibrary } from '../library/library.ts'
import { refuseMissingFolders } from '../library/missing.ts'
import { recoverLibrary } from '../library/recovery.ts'
import { createFileStore } from '../media/store.ts'
import type { Logger } from '../observe/log.ts'
import { createKeptResponses, type KeptResponses, RESPONSES_FOLDER } from '../responses/store.ts'
import {
  reportLedger,
  reportLedgerMoved,
  reportRecovered,
  reportStrayResponses,
  reportSwept,
} from './reports.ts'

export interface StoreOptions {
  data_folder: string
  /** Where the ledger's writer runs is taken once, at the start. */
  catalogue: () => Catalogue
  log: Logger
  now: () => number
  probe: (point: string) => void
}

export interface Stores {
  db: Database
  database_path: string
  ledger: Ledger
  /** Settlements that the ledger could not write yet. */
  settlements: SettlementQueue
  /** What an earlier stop could not write. */
  journal: SettlementJournal
  idempotency: Idempotency
  deeds: Deeds
  library: Library
  responses: KeptResponses
  /** Closes everything, and releases the folder's lock. */
  close(): Promise<void>
}

/** What a gateway writes of the data folder besides its database. */
const WRITTEN = ['images', 'files', 'answers', RESPONSES_FOLDER, ...JOURNAL_FILES]

/** @throws Error where another process serves the folder, or it cannot be written */
export async function openStores({ data_folder, catalogue, log, now, probe }: StoreOptions): Promise<Stores> {
  refuseUnwritable(data_folder, WRITTEN)
  const unlock = takeLock(join(data_folder, 'serve.lock'))
  if (!unlock)
    throw new Error(`Another gateway is serving ${data_folder}. Stop it first, or use another --data folder.`)
  const database_path = join(data_folder, 'tollgate.db')
  const onCopy = (copy: MigrationCopy) =>
    log.info({ ...copy }, 'migrated the database; a copy from before is kept')
  const db = openDatabase(database_path, { onCopy })
  const onChange: OnChange = (failing, cause) => reportLedger(failing, cause, log)
  const ledger = await openLedger({
    path: database_path,
    writer: catalogue().server.ledger_writer,
    probe,
    onChange,
    onMove: (place, cause) => reportLedgerMoved(place, cause, log),
  })
  const journal = openSettlementJournal(data_folder, log)
  const settlements = createSettlementQueue({ ledger, log, journal: journal.keep })
  const answers = createKeptAnswers(db, createFileStore(join(data_folder, 'answers')), {
    now,
    limits: () => answerLimitsOf(catalogue().server),
  })
  const responses_db = openForResponses(database_path)
  const responses = createKeptResponses({
    db: responses_db,
    files: createFileStore(join(data_folder, RESPONSES_FOLDER)),
    settings: () => catalogue().responses,
    now,
    probe,
  })
  const replays = createReplayCount(db, { now, log })
  return {
    db,
    database_path,
    ledger,
    settlements,
    journal,
    idempotency: createIdempotency({ answers, log, countReplay: replays.count }),
    deeds: createDeeds(db, answers),
    library: openLibrary({ db, now, probe, data_folder }),
    responses,
    async close() {
      // What is under way settles first: it may be added to the queue yet.
      await ledger.close()
      settlements.close()
      await replays.close()
      responses_db.close()
      db.close()
      unlock()
    },
  }
}

/**
 * A connection that does not wait for the disk. What it wrote survives the death of the process at once, and a power cut
 * from the next commit of the ledger on, which flushes the same log; it leaves checkpoints to the ledger, too.
 */
function openForResponses(path: string): Database {
  const db = openDatabase(path)
  db.run('PRAGMA synchronous = NORMAL')
  db.run('PRAGMA wal_autocheckpoint = 0')
  neverBlock(db)
  return db
}

export interface RecoverOptions {
  data_folder: string
  /** Goes on where the folders of images are missing; their rows are marked. */
  accept_missing_files: boolean
  now: () => number
  log: Logger
}

/**
 * Resolves what a dead process left behind. Only before the first call, since it expires every pending hold.
 *
 * @throws Error where a folder of images is missing, before anything is changed
 */
export async function recover(stores: Stores, options: RecoverOptions): Promise<void> {
  const { db, ledger, journal, idempotency, library, responses } = stores
  const { data_folder, accept_missing_files, now, log } = options
  if (!accept_missing_files) await refuseMissingFolders(library, data_folder)
  const pending = holdQueries(db).pending.all({ expired_by_ms: Number.MAX_SAFE_INTEGER })
  await journal.apply(ledger, pending)
  reportSwept(await expireOrphanedHolds(db, ledger, now(), { all: true }), log)
  await idempotency.sweep()
  await idempotency.recover()
  await responses.sweep()
  reportStrayResponses(await responses.recover(), log)
  reportRecovered(await recoverLibrary(library), log)
  journal.reserve()
  // From the first call on, nobody waits for a lock of another process.
  neverBlock(db)
}
