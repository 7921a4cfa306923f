// The commands `backup`, `backup list` and `backup verify`: everything in the data folder as one archive, with or without a running gateway.
import { statSync } from 'node:fs'
import { basename } from 'node:path'
import { type Command, Option } from 'commander'
import { type Context, contextOf } from '../../../src/app/command-line/context.ts'
import {
  type DataFolder,
  engineOfFolder,
  filesOfFolder,
  withDatabase,
} from '../../../src/app/command-line/data-folder.ts'
import { addExample, type CliDeps } from '../../../src/app/command-line/terminal.ts'
import { untilStopped, untilThen, withProgress } from '../../../src/app/commands/progress.ts'
import { rowFor, tableColumnsOf } from '../../../src/app/list/columns.ts'
import { databaseCopyWork } from '../../../src/app/process/data-paths.ts'
import type { Fields } from '../../../src/domain/actions.ts'
import { conflict, unprocessable } from '../../../src/domain/errors.ts'
import type { Audit } from '../../../src/money/ledger/audit.ts'
import { recordAction } from '../../../src/store/actions.ts'
import { makeWorkFolder } from '../../../src/store/work-folder.ts'
import { messageOf } from '../../../src/utilities/thrown.ts'
import { archive_columns } from '../list.ts'
import { type MadeBackup, makeBackup, type Progress } from '../making/make.ts'
import { pastKeeping } from '../places/place.ts'
import { configuredPlace, type Located, locateNew, type WhereOptions, whereOptions } from '../places/where.ts'
import { type KeyFlags, lockFor, withKeyOptions } from './options.ts'
import { addBackupVerifyCommand } from './verify.ts'

interface BackupFlags extends KeyFlags {
  databaseOnly?: boolean
  scheduled?: boolean
  progress?: boolean
}

export function addBackupCommand(program: Command, deps: CliDeps): void {
  const backup = program
    .command('backup')
    .argument('[file]', 'a new file, or s3://BUCKET/NAME (default: the place of [backup])')
    .summary('Back up everything into one archive.')
    .description(
      'Back up everything into one archive, even while the gateway runs: a checked and audited copy of the database, the ' +
        'images, files and responses that it names, the catalogue, and plugins. An archive holds the ' +
        "providers' keys: only its owner can read it, and it is encrypted before it goes to a bucket. Nothing is overwritten.",
    )
  withKeyOptions(backup, 'encrypt')
    .option('--database-only', 'copy only the database, as a SQLite file')
    .option('--scheduled', 'run as scheduled: also delete the oldest backups beyond [backup] keep')
    .addOption(new Option('--progress', 'report the progress on standard error, as JSON').hideHelp())
    .action(async (file: string | undefined, flags: BackupFlags, command: Command) => {
      const context = contextOf(command, deps)
      if (flags.databaseOnly) await copyDatabase(context, file)
      else await makeArchive(context, file, flags, deps)
    })
  addExample(backup, 'backup /mnt/backups/tollgate.tar.zst')
  addBackupListCommand(backup, deps)
  addBackupVerifyCommand(backup, deps)
}

function addBackupListCommand(backup: Command, deps: CliDeps): void {
  const list = backup
    .command('list')
    .summary('List the backups.')
    .description('List the backups at the place in [backup], newest first.')
  addExample(list, 'backup list').action(async () => {
    const context = contextOf(list, deps)
    const place = configuredPlace(await whereOptions(context, deps))
    const archives = await place.list()
    const table = context.tableOf(
      tableColumnsOf(archive_columns),
      archives,
      'No backups yet. Create one with `tollgate backup`.',
    )
    context.answer(
      {
        place: place.where,
        backups: archives.map((archive) => rowFor(archive_columns, 'command', archive)),
      },
      `${place.where}\n\n${table}`,
    )
  })
}

/** Copies the database. A note in the data folder names the copy until it is finished, so that a copy that was killed is removed later. */
async function writeDatabaseCopy(folder: DataFolder, file: string): Promise<Audit> {
  const engine = await engineOfFolder(folder)
  // Throws with advice if there is no database.
  await (await engine.open({ access: 'read' })).close()
  using work = makeWorkFolder(databaseCopyWork(folder.dir))
  return await engine.writeSnapshot(file, work.goesWith)
}

async function copyDatabase(context: Context, file: string | undefined): Promise<void> {
  const { folder, answer } = context
  if (file === undefined) throw unprocessable('Name the file: tollgate backup --database-only tollgate.db')
  const { totals } = await writeDatabaseCopy(folder, file)
  const { size } = statSync(file)
  await recordMade(context, basename(file), { database_only: true, bytes: size })
  answer(
    { file, bytes: size, accounts: totals.accounts, calls: totals.calls, clean: true },
    `${file}: accounts ${totals.accounts}, calls ${totals.calls}, bytes ${size}; checked, audit clean.`,
  )
}

async function makeArchive(
  context: Context,
  file: string | undefined,
  flags: BackupFlags,
  deps: CliDeps,
): Promise<void> {
  const { folder } = context
  const engine = await engineOfFolder(folder)
  // Throws with advice if there is no database.
  await (await engine.open({ access: 'read' })).close()
  const options = await whereOptions(context, deps)
  const lock = await lockFor(flags, options.settings)
  if (flags.scheduled && file !== undefined)
    throw conflict('--scheduled writes to the place in [backup]: leave out the file.')
  const now_ms = deps.now()
  const archive = await locateNew(file, {
    ...options,
    made_at_ms: now_ms,
    is_encrypted: lock !== undefined,
    is_scheduled: flags.scheduled === true,
  })
  let retention: RetentionOutcome = { deleted: [], warnings: [] }
  const stores = await filesOfFolder(folder)
  const made = await withReports(context, flags, deps, (onProgress) =>
    untilStopped('The backup was stopped and its file removed.', (check) =>
      makeBackup({
        paths: folder,
        engine,
        stores,
        lock,
        now_ms,
        async put(content, expected_bytes, goesWith) {
          const bytes = await archive.put(untilThen(content, check), expected_bytes, goesWith)
          if (flags.scheduled) retention = await deleteOldBackups(options)
          return bytes
        },
        onProgress,
      }),
    ),
  )
  // If the gateway started this process (`--progress`), the gateway records the backup with its actor.
  if (!flags.progress) await recordMade(context, archive.name, { files: made.files })
  answerMade(context, { archive, made, is_encrypted: lock !== undefined, ...retention })
}

/** Only warns if the audit log cannot be written, because the archive is already complete. */
async function recordMade({ folder, warn }: Context, name: string, after: Fields): Promise<void> {
  try {
    await withDatabase(folder, 'write', (db) =>
      db.begin((tx) => recordAction(tx, { action: 'backup.created', subject: name, after })),
    )
  } catch (cause) {
    warn(`The backup is not in the audit log: ${messageOf(cause)}`)
  }
}

/** The outcome of the deletion of older archives. */
interface RetentionOutcome {
  deleted: readonly string[]
  warnings: readonly string[]
}

/** Only warns if older archives cannot be deleted, because the new one is already complete. */
async function deleteOldBackups(options: WhereOptions): Promise<RetentionOutcome> {
  try {
    const place = configuredPlace(options)
    const deleted = pastKeeping(await place.list(), options.settings.keep)
    for (const name of deleted) await place.remove(name)
    return { warnings: [], deleted }
  } catch (cause) {
    return { warnings: [`Older backups could not be deleted: ${messageOf(cause)}`], deleted: [] }
  }
}

interface Outcome extends RetentionOutcome {
  archive: Located
  made: MadeBackup
  is_encrypted: boolean
}

function answerMade({ answer, warn }: Context, outcome: Outcome): void {
  const { archive, made, is_encrypted, deleted, warnings } = outcome
  const { accounts, calls, bytes, files, deleted_meanwhile, missing, left_out, unreadable } = made
  for (const warning of warnings) warn(warning)
  if (left_out.length > 0)
    warn(
      `Left out of the backup: links, and paths with a backslash or over 1,024 characters: ${left_out.slice(0, 20).join(', ')}. Replace links by the files.`,
    )
  if (unreadable.length > 0)
    warn(
      `Left out of the backup, because SQLite cannot read these plugin databases: ${unreadable.slice(0, 20).join(', ')}.`,
    )
  if (missing.length > 0)
    warn(
      `Files missing or damaged where they are stored, and so in the backup: ${missing.length}, such as ${missing[0]}. \`tollgate audit\` lists those that are missing or have another size.`,
    )
  const lines = [
    `${archive.where}`,
    `accounts ${accounts}, calls ${calls}, files ${files}, bytes ${bytes}; checked, audit clean.`,
    is_encrypted ? 'Encrypted.' : "Not encrypted. It holds the providers' keys: keep it safe.",
    ...(deleted_meanwhile.length > 0
      ? [`Files deleted during the backup and left out: ${deleted_meanwhile.length}.`]
      : []),
    ...(deleted.length > 0 ? [`Older scheduled backups deleted: ${deleted.join(', ')}.`] : []),
  ]
  answer(
    { file: archive.where, name: archive.name, ...made, clean: true, encrypted: is_encrypted, deleted },
    lines.join('\n'),
  )
}

/** Reports progress as JSON lines for a program, or as a progress line in a terminal. */
const withReports = <T>(
  { json }: Context,
  flags: BackupFlags,
  deps: CliDeps,
  make: (onProgress: (progress: Progress) => void) => Promise<T>,
): Promise<T> =>
  flags.progress
    ? make(throttled((progress) => deps.terminal.err(JSON.stringify({ progress }))))
    : withProgress(deps, json, (show) => {
        show({ what: 'Copying the database', done: 0, unit: 'bytes' })
        return make(({ bytes, of_bytes }) =>
          show({ what: 'Packing', done: bytes, of: of_bytes, unit: 'bytes' }),
        )
      })

const REPORT_EVERY_MS = 500

function throttled(report: (progress: Progress) => void): (progress: Progress) => void {
  let reported_at_ms = 0
  return (progress) => {
    const now_ms = performance.now()
    if (now_ms - reported_at_ms < REPORT_EVERY_MS) return
    reported_at_ms = now_ms
    report(progress)
  }
}
