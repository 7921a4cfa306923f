// `restore`: puts a backup in place while no gateway runs, and keeps what it replaces.
import { Database } from 'bun:sqlite'
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import { forgetSessions } from '../access/session-rows.ts'
import type { ArchiveKeys } from '../backup/encryption.ts'
import { flush } from '../db/copy.ts'
import { createForOwner, giveFoldersToOwner, refuseUnwritable } from '../db/folder.ts'
import { takeLock } from '../db/lock.ts'
import { schemaVersion } from '../db/migrate.ts'
import { openDatabase } from '../db/open.ts'
import { conflict, unprocessable } from '../domain/errors.ts'
import { finishLocked } from '../server/backup/replace.ts'
import { closeWriteAheadLog, restoreArchive } from '../server/backup/restore.ts'
import { isDatabase, peek } from '../server/backup/unpacked.ts'
import { locate } from '../server/backup/where.ts'
import { check } from '../server/snapshot.ts'
import { type KeyFlags, keysFor, whereOptions, withKeyOptions } from './backup-options.ts'
import { viewOf } from './backup-verify.ts'
import { type Context, contextOf } from './context.ts'
import type { DataFolder } from './data-folder.ts'
import type { CliDeps } from './terminal.ts'

interface RestoreFlags extends KeyFlags {
  force?: boolean
}

export function addRestoreCommand(program: Command, deps: CliDeps): void {
  const command = program
    .command('restore')
    .argument('<archive>', 'a file, s3://BUCKET/NAME, or a name that `backup list` shows')
    .summary('Replace everything with a backup.')
    .description(
      'Check and audit a backup, and put it in place of the database, the images, the files, the responses and the ' +
        'catalogue. Stop the gateway first. What is replaced is kept. A backup of the database alone replaces the ' +
        'database alone.',
    )
  withKeyOptions(command, 'decrypt')
    .option('--force', 'replace a database that exists')
    .action(async (name: string, flags: RestoreFlags, called: Command) => {
      const context = contextOf(called, deps)
      const options = await whereOptions(context, deps)
      const archive = await locate(name, options)
      const keys = await keysFor(flags, options.settings)
      await withoutGateway(context.folder, async () => {
        const archived = await archive.open()
        refuseExisting(context.folder, flags)
        const { first, all } = await peek(archived)
        // An empty file is told of as a database, too.
        if (first.length === 0 || isDatabase(first)) answerDatabase(context, name, deps)
        else await answerArchive(context, all, { archive: archive.where, keys, now_ms: deps.now() })
      })
    })
}

function answerDatabase({ folder, answer }: Context, file: string, { now }: CliDeps): void {
  const kept = restoreDatabase(file, folder, now())
  const replaced = kept === undefined ? '' : ` The replaced database is kept as ${kept}.`
  answer(
    { file, database: folder.database_path, replaced: kept ?? null },
    `${folder.database_path} is now the backup ${file}.${replaced}\n${BEFORE_SERVE}`,
  )
}

async function answerArchive(
  { folder, answer, warn }: Context,
  archived: AsyncIterable<Uint8Array>,
  options: { archive: string; keys: ArchiveKeys; now_ms: number },
): Promise<void> {
  const restored = await restoreArchive(archived, { paths: folder, ...options })
  const { kept_as } = restored
  const kept = kept_as === undefined ? undefined : join(folder.dir, kept_as)
  const view = viewOf(restored)
  if (view.missing.length > 0)
    warn(
      `Missing or cut when the backup was made: ${view.missing.length} of the files. \`tollgate audit\` lists them.`,
    )
  answer(
    { file: options.archive, data_folder: folder.dir, replaced: kept ?? null, ...view },
    [
      `${folder.dir} is now the backup ${options.archive}, of ${view.made_at}:`,
      `accounts ${view.accounts}, calls ${view.calls}, files ${view.files}; every hash is right, audit ${view.clean ? 'clean' : 'as then'}.`,
      ...(kept === undefined ? [] : [`What was replaced is kept in ${kept}.`]),
      ...(needsPackages(folder.dir)
        ? [`Install the packages of the plugins: run \`bun install\` in ${join(folder.dir, 'plugins')}.`]
        : []),
    ].join('\n'),
  )
}

/** An archive has plugins without what they have installed. */
const needsPackages = (dir: string): boolean =>
  existsSync(join(dir, 'plugins', 'package.json')) && !existsSync(join(dir, 'plugins', 'node_modules'))

/** The database only names these files. */
const BEFORE_SERVE =
  'Before you start the gateway, restore the folders images/, files/ and responses/ of the same time beside it: an image without its file is missing until the file is back, and so is a kept response.'

/** Runs `work` while no gateway serves the folder, and none can start. */
async function withoutGateway<T>({ dir }: DataFolder, work: () => Promise<T>): Promise<T> {
  const made = mkdirSync(resolve(dir), { recursive: true, mode: 0o700 })
  if (made !== undefined) giveFoldersToOwner(made, resolve(dir))
  refuseUnwritable(dir)
  const unlock = takeLock(join(dir, 'serve.lock'))
  if (!unlock) throw conflict(`A gateway is serving ${dir}: stop it first.`)
  try {
    // Of a restore that was interrupted: what it put in place is what this one replaces.
    finishLocked(dir)
    return await work()
  } finally {
    unlock()
  }
}

function refuseExisting({ database_path }: DataFolder, { force = false }: RestoreFlags): void {
  const replaces = existsSync(database_path)
  if (replaces && !force)
    throw conflict(
      `There is a database at ${database_path}: --force replaces it, and keeps it beside the new one.`,
    )
  // SQLite would replay this log onto the restored database.
  if (!replaces && existsSync(`${database_path}-wal`))
    throw conflict(`${database_path}-wal is left over from a database that is gone: move it away first.`)
}

/** Puts a backup of the database alone in place. @returns what the old one is kept as */
function restoreDatabase(
  file: string,
  { dir, database_path }: DataFolder,
  now_ms: number,
): string | undefined {
  const incoming = `${database_path}.incoming`
  removeDatabase(incoming)
  try {
    prepare(file, incoming)
    const kept = existsSync(database_path) ? keepReplaced(database_path, now_ms) : undefined
    renameSync(incoming, database_path)
    flush(dir)
    return kept
  } finally {
    removeDatabase(incoming)
  }
}

function removeDatabase(path: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true })
}

/** Copies a backup, migrates and checks the copy, and flushes it to the disk. The backup itself is only read. */
function prepare(file: string, incoming: string): void {
  const source = new Database(file, { readonly: true })
  try {
    // To SQLite, an empty file is an empty database.
    if (schemaVersion(source) === 0)
      throw unprocessable(`${file} is not a backup of Tollgate: it has no tables.`)
    createForOwner(incoming)
    source.query('VACUUM INTO ?').run(incoming)
  } finally {
    source.close()
  }
  const copy = openDatabase(incoming, { before_migration: 'nothing' })
  try {
    check(copy, file)
    forgetSessions(copy)
    // Closing would leave it to the log, which does not come along, while prepared queries live on.
    copy.run('PRAGMA wal_checkpoint(TRUNCATE)')
  } finally {
    copy.close()
  }
  flush(incoming)
}

/** Renames a database that nothing has open; the new name says when it was replaced. */
function keepReplaced(path: string, now_ms: number): string {
  closeWriteAheadLog(path)
  const kept = `${path}.replaced-${new Date(now_ms).toISOString().replaceAll(':', '')}`
  renameSync(path, kept)
  return kept
}
