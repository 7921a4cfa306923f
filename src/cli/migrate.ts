// `migrate`: copies all rows to PostgreSQL, or from there into a folder, while no gateway runs.
import { Database } from 'bun:sqlite'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import { recordAction } from '../db/actions.ts'
import { postgresTarget } from '../db/copying/postgres-target.ts'
import { sqliteTarget } from '../db/copying/sqlite-target.ts'
import type { Db } from '../db/db.ts'
import { aliveGateways } from '../db/gateways.ts'
import { takeLock } from '../db/lock.ts'
import { serverClock } from '../db/postgres/heartbeat.ts'
import { openPostgres } from '../db/postgres/open.ts'
import { openDb } from '../db/sqlite.ts'
import { makeWorkFolder } from '../db/work-folder.ts'
import { conflict } from '../domain/errors.ts'
import { audit } from '../ledger/audit.ts'
import { backupWork, dataPaths } from '../server/backup/paths.ts'
import type { Engine } from '../server/engine/engine.ts'
import { TIMING } from '../server/engine/heartbeat.ts'
import { type Moved, type MoveOptions, moveRows } from '../server/moving/rows.ts'
import { checkFile, writeNew } from '../server/snapshot.ts'
import { closing } from '../utilities/at-end.ts'
import { type Context, contextOf } from './context.ts'
import { engineOfFolder } from './data-folder.ts'
import { readTarget } from './migrate-target.ts'
import { answerToFolder, answerToServer } from './migrate-text.ts'
import { withProgress } from './progress.ts'
import type { CliDeps } from './terminal.ts'
import { withoutGateway } from './without-gateway.ts'

/** Other commands write for less. */
const MAX_COMMAND_MS = 1_000

interface MigrateFlags {
  to: string
  copy?: boolean
}

export function addMigrateCommand(program: Command, deps: CliDeps): void {
  program
    .command('migrate')
    .summary('Move the database to PostgreSQL, or back.')
    .description(
      'Copy all rows to an empty PostgreSQL database, or from one into a folder as a SQLite file. Stop the gateway first. ' +
        'Every row is read back and compared, and the books are audited on both sides. The old database stays as it is.',
    )
    .requiredOption('--to <place>', '"postgres://USER@HOST/NAME", "env:NAME" with it, or a folder')
    .option('--copy', 'copy what is stored now, beside a running gateway, to try it out')
    .action(async (flags: MigrateFlags, command: Command) => {
      const context = contextOf(command, deps)
      const to = readTarget(flags.to, deps.env)
      const from = await engineOfFolder(context.folder)
      if ('url' in to) {
        if (from.is_shared)
          throw conflict(
            `The database is on PostgreSQL already, at ${from.address}. Copy it to another server by pg_dump and pg_restore.`,
          )
        const moved = await toServer({ context, deps, from, ...flags }, to.url)
        answerToServer(context, to, moved)
      } else {
        if (!from.is_shared)
          throw conflict(
            `The database is a SQLite file already, ${from.address}. Move it by \`tollgate backup\` and \`tollgate restore\`, or name a PostgreSQL database in --to.`,
          )
        const moved = await toFolder({ context, deps, from, ...flags }, to.folder)
        answerToFolder(context, to.folder, moved)
      }
    })
}

interface Move {
  context: Context
  deps: CliDeps
  from: Engine
  copy?: boolean
}

async function toServer({ context, deps, from, copy = false }: Move, url: string): Promise<Moved> {
  const { folder } = context
  await using source = await from.open({ access: 'read' })
  using _stopped = copy ? undefined : stoppedFolder(folder.dir)
  using _unchanged = copy ? undefined : unchanged(folder.database_path)
  await using target = await openPostgres(url, { by: folder.by, is_new: true })
  const moved = await told(context, deps, {
    from: source,
    to: postgresTarget(target),
    auditCopy: () => audit(target),
  })
  await recordMove(target, from)
  return moved
}

async function toFolder({ context, deps, from, copy = false }: Move, dir: string): Promise<Moved> {
  const { folder } = context
  const { database_path } = dataPaths(dir)
  const is_own = resolve(dir) === resolve(folder.dir)
  await using source = await from.open({ access: 'read' })
  return await withoutGateway({ dir }, async () => {
    using _stopped = copy || is_own ? undefined : stoppedFolder(folder.dir)
    refuseDatabase(database_path)
    if (!copy) await refuseAlive(source)
    using work = makeWorkFolder(backupWork(dir))
    const moved = await writeNew(database_path, { goesWith: work.goesWith }, async (unfinished) => {
      const moved = await told(context, deps, {
        from: source,
        to: sqliteTarget(unfinished),
        auditCopy: () => checkFile(unfinished),
      })
      // What one that started meanwhile has written would be lost.
      if (!copy) await refuseAlive(source)
      return moved
    })
    await using target = openDb(database_path, { by: folder.by })
    await recordMove(target, from)
    return moved
  })
}

/** @throws GatewayError conflict */
function stoppedFolder(dir: string): Disposable {
  const unlock = takeLock(join(dir, 'serve.lock'))
  if (!unlock)
    throw conflict(
      `A gateway is serving ${dir}: stop it first, so that nothing is written after the copy. --copy makes a copy beside it, to try it out.`,
    )
  return unlock
}

/** Until its end nobody writes a database's file: a top-up by a command would stay behind. @throws GatewayError conflict */
function unchanged(path: string): Disposable {
  const db = closing(new Database(path, { readwrite: true }))
  try {
    db.run(`PRAGMA busy_timeout = ${MAX_COMMAND_MS}`)
    db.run('BEGIN IMMEDIATE')
    return db
  } catch (cause) {
    db.close()
    throw conflict(`Another command is writing ${path}: try again when it has finished.`, { cause })
  }
}

/** @throws GatewayError conflict while a gateway on any machine is alive */
async function refuseAlive(db: Db): Promise<void> {
  const silent_before_ms = (await serverClock(db)) - TIMING.silent_after_ms
  const alive = (await aliveGateways(db)).filter(({ seen_at_ms }) => (seen_at_ms ?? 0) >= silent_before_ms)
  if (alive.length === 0) return
  const names = alive.map(({ id, name }) => `number ${id} on ${name}`)
  throw conflict(
    `Gateways are running over this database: ${names.join(', ')}. Stop all of them first; one that was killed counts for ${TIMING.silent_after_ms / 1_000} seconds. ` +
      '--copy makes a copy beside them, to try it out.',
  )
}

/** SQLite would replay a log that was left onto the new database. @throws GatewayError conflict */
function refuseDatabase(path: string): void {
  const there = ['', '-wal', '-shm'].map((suffix) => path + suffix).find((each) => existsSync(each))
  if (there !== undefined)
    throw conflict(`${there} exists already: move it away if you no longer need it, or name another folder.`)
}

const told = (context: Context, deps: CliDeps, move: Omit<MoveOptions, 'onStep'>): Promise<Moved> =>
  withProgress(deps, context.json, (show) =>
    moveRows({
      ...move,
      onStep: (step, done) =>
        show({ what: step === 'copying' ? 'Copying' : 'Checking the books', done, unit: 'rows' }),
    }),
  )

const recordMove = (db: Db, { address }: Engine): Promise<void> =>
  db.begin((tx) => recordAction(tx, { action: 'database.moved', subject: address }))
