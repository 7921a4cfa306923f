// The moves of `migrate`: rows, files or both, guarded against other changes.

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Context } from '../../src/app/command-line/context.ts'
import type { DataFolder } from '../../src/app/command-line/data-folder.ts'
import type { CliDeps } from '../../src/app/command-line/terminal.ts'
import { withProgress } from '../../src/app/commands/progress.ts'
import { withoutGateway } from '../../src/app/commands/without-gateway.ts'
import { databaseCopyWork, dataPaths } from '../../src/app/process/data-paths.ts'
import type { Engine } from '../../src/app/process/engine/engine.ts'
import type { MovedFiles } from '../../src/app/process/moving/files-of-rows.ts'
import { type Moved, type MoveOptions, moveRows } from '../../src/app/process/moving/rows.ts'
import { checkFile, writeNew } from '../../src/app/process/snapshot.ts'
import { withMachine } from '../../src/catalogue/machine-text.ts'
import { newestShared } from '../../src/catalogue/past-queries.ts'
import { dropShared } from '../../src/catalogue/shared.ts'
import { readToml } from '../../src/catalogue/toml.ts'
import type { StorageSettings } from '../../src/domain/catalogue.ts'
import { conflict } from '../../src/domain/errors.ts'
import { audit } from '../../src/money/ledger/audit.ts'
import { recordAction } from '../../src/store/actions.ts'
import { forgetBucketMark } from '../../src/store/bucket-marks.ts'
import type { Db, Tx } from '../../src/store/db.ts'
import { postgresTarget, refuseRows } from '../../src/store/engines/postgres/copy-target.ts'
import { openPostgres } from '../../src/store/engines/postgres/open.ts'
import { sqliteTarget } from '../../src/store/engines/sqlite/copy-target.ts'
import { openDb } from '../../src/store/engines/sqlite/sqlite.ts'
import { giveToFolderOwner } from '../../src/store/folder.ts'
import { takeServeLock } from '../../src/store/lock.ts'
import { makeWorkFolder } from '../../src/store/work-folder.ts'
import { counted } from '../../src/utilities/counted.ts'
import type { FileMove } from './files.ts'
import {
  lockDatabaseFile,
  lockStoppedFolder,
  namesOfRunningGateways,
  refuseDatabase,
  refuseRunningGateways,
} from './guards.ts'

/** `to be written`: the folder already has a file, which stays unchanged. */
type PlacedCatalogue = 'written' | 'to be written'

/**
 * Writes the catalogue that the database shares between gateways to the folder, with the settings of this machine, unless the folder has one.
 *
 * @param keeps_bucket whether the files stay in the bucket of [storage]
 * @returns undefined if the database has no shared catalogue
 */
async function placeCatalogue(
  db: Db,
  from: DataFolder,
  dir: string,
  keeps_bucket: boolean,
): Promise<PlacedCatalogue | undefined> {
  const shared = await newestShared(db)
  if (!shared) return undefined
  const { catalogue_path } = dataPaths(dir)
  if (existsSync(catalogue_path)) return 'to be written'
  const document = readToml(readFileSync(from.catalogue_path, 'utf8'))
  const { storage, ...machine } = document.ok ? document.value : {}
  const { database: _, ...bucket } = Object(storage)
  const has_storage = keeps_bucket && Object.keys(bucket).length > 0
  const own = has_storage ? { ...machine, storage: bucket } : machine
  writeFileSync(catalogue_path, withMachine(shared.text, own), { flag: 'wx', mode: 0o600, flush: true })
  giveToFolderOwner(catalogue_path)
  return 'written'
}

interface Move {
  context: Context
  deps: CliDeps
  from: Engine
  storage: StorageSettings
  /** Undefined if the files stay in place. */
  files: FileMove | undefined
  /** Whether this is a copy beside a running gateway. */
  copy: boolean
}

export interface MovedAll {
  rows: Moved
  files: (MovedFiles & { move: FileMove }) | undefined
  /** The shared catalogue of the database; undefined without one. */
  catalogue?: PlacedCatalogue | undefined
}

/** Moves a database to a PostgreSQL server. @throws GatewayError, StorageFailure: the new database is then empty */
export async function moveToServer(move: Move, url: string): Promise<MovedAll> {
  const { context, from, files, copy } = move
  const { folder } = context
  await using source = await from.open({ access: 'read' })
  using _stopped = copy ? undefined : lockStoppedFolder(folder.dir)
  await using target = await openPostgres(url, { by: folder.by, is_new: true })
  if (files) {
    // Checks first that the target has no rows: copying the files may take hours.
    await refuseRows(target)
    await using db = await from.open({ access: 'write' })
    await files.claim(db)
  }
  using _unchanged = copy ? undefined : lockDatabaseFile(folder.database_path)
  const first = await moveFiles(move, source)
  const rows = await moveWithProgress(move, {
    from: source,
    to: postgresTarget(target),
    auditCopy: () => audit(target),
  })
  return await finishMove(move, { source, target, rows, first })
}

/** Moves a database to a folder. @param dir without a database @throws as `moveToServer` */
export async function moveToFolder(move: Move, dir: string): Promise<MovedAll> {
  const { context, from, copy } = move
  const { folder } = context
  const { database_path } = dataPaths(dir)
  const is_same_folder = resolve(dir) === resolve(folder.dir)
  await using source = await from.open({ access: 'read' })
  return await withoutGateway({ dir }, async () => {
    using _stopped = copy || is_same_folder ? undefined : lockStoppedFolder(folder.dir)
    refuseDatabase(database_path)
    if (!copy) await refuseRunningGateways(source)
    const first = await moveFiles(move, source)
    using work = makeWorkFolder(databaseCopyWork(dir))
    const rows = await writeNew(database_path, { goesWith: work.goesWith }, async (unfinished) => {
      const moved = await moveWithProgress(move, {
        from: source,
        to: sqliteTarget(unfinished),
        auditCopy: () => checkFile(unfinished),
      })
      // A gateway may have started during the copy: its rows would be lost.
      if (!copy) await refuseRunningGateways(source)
      return moved
    })
    await using target = openDb(database_path, { by: folder.by })
    const moved = await finishMove(move, { source, target, rows, first })
    return { ...moved, catalogue: await placeCatalogue(source, folder, dir, move.files === undefined) }
  })
}

/** Moves files only, even beside a running gateway. @returns `is_complete`: whether no more files can follow @throws as `moveFilesOfRows` */
export async function moveFilesOnly(
  move: Move & { files: FileMove },
): Promise<NonNullable<MovedAll['files']> & { is_complete: boolean }> {
  const { context, from, files } = move
  const { folder } = context
  using stopped = takeServeLock(folder.dir)
  await using db = await from.open({ access: 'write', by: folder.by })
  const isServed = async () => !stopped || (from.is_shared && (await namesOfRunningGateways(db)).length > 0)
  const was_served = await isServed()
  await files.claim(db)
  const moved = await files.move(db)
  const is_complete = moved.left === 0 && !was_served && !(await isServed())
  if (is_complete) {
    await files.mark(db, moved)
    await db.begin((tx) => recordAction(tx, { action: 'files.moved', subject: files.to.address }))
  }
  return { ...moved, move: files, is_complete }
}

/** Moves the files, unless they stay. @throws GatewayError conflict if files were added during the move */
async function moveFiles({ files, copy }: Move, source: Db): Promise<MovedFiles | undefined> {
  const moved = await files?.move(source)
  if (moved && moved.left > 0 && !copy)
    throw conflict(
      `${counted(moved.left, 'file')} were added meanwhile. Stop all gateways, and run this again.`,
    )
  return moved
}

interface CopiedRows {
  source: Db
  target: Db
  rows: Moved
  first: MovedFiles | undefined
}

async function finishMove(move: Move, { source, target, rows, first }: CopiedRows): Promise<MovedAll> {
  const { files, from, storage, copy } = move
  // Beside a running gateway, rows may refer to files that were added after the first pass.
  const moved = copy && first ? sumOf(first, await files?.move(source)) : first
  if (files && moved) await files.mark(target, moved)
  // Two databases with the mark of one bucket would both delete expired files from it, each by its own rows.
  if (copy && storage.files) await forgetBucketMark(target)
  await target.begin((tx) => recordMove(tx, from))
  return { rows, files: files && moved && { ...moved, move: files } }
}

/** Records the move. Drops the shared catalogue, which does not apply to the new database. */
async function recordMove(tx: Tx, { address }: Engine): Promise<void> {
  await tx.lock(null)
  await dropShared(tx)
  await recordAction(tx, { action: 'database.moved', subject: address })
}

const sumOf = (first: MovedFiles, then: MovedFiles = first): MovedFiles => ({
  ...then,
  copied: first.copied + then.copied,
})

const moveWithProgress = ({ context, deps }: Move, move: Omit<MoveOptions, 'onStep'>): Promise<Moved> =>
  withProgress(deps, context.json, (show) =>
    moveRows({
      ...move,
      onStep: (step, done) =>
        show({ what: step === 'copying' ? 'Copying' : 'Checking the books', done, unit: 'rows' }),
    }),
  )
