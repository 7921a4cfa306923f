// `backup`: everything of the data folder as one archive, beside a running gateway or without; also its list and its drill.
import { statSync } from 'node:fs'
import { type Command, Option } from 'commander'
import { conflict, unprocessable } from '../domain/errors.ts'
import { messageOf } from '../domain/thrown.ts'
import { type MadeBackup, makeBackup, type Progress } from '../server/backup/make.ts'
import { recordMade, retain } from '../server/backup/retain.ts'
import { configuredPlace, type Located, locateNew, type WhereOptions } from '../server/backup/where.ts'
import { writeSnapshot } from '../server/snapshot.ts'
import { addBackupListCommand } from './backup-list.ts'
import { type KeyFlags, lockFor, whereOptions, withKeyOptions } from './backup-options.ts'
import { addBackupVerifyCommand } from './backup-verify.ts'
import { type Context, contextOf } from './context.ts'
import { withDatabase } from './data-folder.ts'
import type { CliDeps } from './terminal.ts'

interface BackupFlags extends KeyFlags {
  databaseOnly?: boolean
  scheduled?: boolean
  progress?: boolean
}

export function addBackupCommand(program: Command, deps: CliDeps): void {
  const backup = program
    .command('backup')
    .argument('[file]', 'a new file, or s3://BUCKET/NAME (default: the place of [backup])')
    .summary('Make one archive of everything.')
    .description(
      'Make one archive of everything, also while the gateway runs: a checked and audited copy of the database, the ' +
        'images, files and responses that it names, the catalogue, and plugins. An archive holds the keys of the ' +
        'providers: it can be read by its owner only, and is encrypted before it goes to a bucket. Nothing is overwritten.',
    )
  withKeyOptions(backup, 'encrypt')
    .option('--database-only', 'copy the database alone, as a file of SQLite')
    .option('--scheduled', 'as the schedule does: note the archive, and delete its oldest over [backup] keep')
    .addOption(new Option('--progress', 'tell of the progress on standard error, as JSON').hideHelp())
    .action(async (file: string | undefined, flags: BackupFlags, command: Command) => {
      const context = contextOf(command, deps)
      if (flags.databaseOnly) copyDatabase(context, file)
      else await makeArchive(context, file, flags, deps)
    })
  addBackupListCommand(backup, deps)
  addBackupVerifyCommand(backup, deps)
}

function copyDatabase({ folder, answer }: Context, file: string | undefined): void {
  if (file === undefined) throw unprocessable('Name the file: tollgate backup --database-only tollgate.db')
  const { totals } = withDatabase(folder, 'read', (db) => writeSnapshot(db, file))
  const { size } = statSync(file)
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
  // Fails here, with what to do, where there is no database.
  withDatabase(folder, 'read', () => {})
  const options = await whereOptions(context, deps)
  const lock = await lockFor(flags, options.settings)
  if (flags.scheduled && file !== undefined)
    throw conflict('--scheduled makes its archive in the place of [backup]: leave out the file.')
  const now_ms = deps.now()
  const archive = locateNew(file, { ...options, made_at_ms: now_ms, is_encrypted: lock !== undefined })
  if (archive.leaves_machine && !lock)
    throw unprocessable(
      `${archive.where}: an archive holds the keys of the providers, and leaves this machine encrypted only. ` +
        'Give --passphrase-file FILE or --key-file FILE, or set `passphrase` in [backup].',
    )
  await archive.check()
  let kept: Kept = { deleted: [], warnings: [] }
  const made = await untilEnded((ends) =>
    makeBackup({
      paths: folder,
      lock,
      now_ms,
      // Also the record is written by one backup at a time.
      async put(content, expected_bytes) {
        const bytes = await archive.put(ends(content), expected_bytes)
        if (flags.scheduled) kept = await keep(archive, now_ms, options)
        return bytes
      },
      onProgress: flags.progress
        ? nowAndThen((progress) => deps.terminal.err(JSON.stringify({ progress })))
        : undefined,
    }),
  )
  answerMade(context, { archive, made, is_encrypted: lock !== undefined, ...kept })
}

/** What became of those before. */
interface Kept {
  deleted: readonly string[]
  warnings: readonly string[]
}

/** The archive is made by now: whatever stands in the way of deleting others is no reason to call it failed. */
async function keep(archive: Located, made_at_ms: number, options: WhereOptions): Promise<Kept> {
  const { data_folder, settings } = options
  const place = configuredPlace(options)
  const warnings = recordMade({ data_folder, place }, archive.name, made_at_ms)
  try {
    return { warnings, deleted: await retain({ data_folder, place, keep: settings?.keep ?? DEFAULT_KEEP }) }
  } catch (cause) {
    return { warnings: [...warnings, `Older backups could not be deleted: ${messageOf(cause)}`], deleted: [] }
  }
}

const DEFAULT_KEEP = 7

interface Told extends Kept {
  archive: Located
  made: MadeBackup
  is_encrypted: boolean
}

function answerMade({ answer, warn }: Context, told: Told): void {
  const { archive, made, is_encrypted, deleted, warnings } = told
  const { accounts, calls, bytes, files, deleted_meanwhile, missing, left_out } = made
  for (const warning of warnings) warn(warning)
  if (left_out.length > 0)
    warn(
      `Not in the backup, which has no links and no paths with a backslash or over 1,024 characters: ${left_out.slice(0, 20).join(', ')}. Put the files themselves there.`,
    )
  if (missing.length > 0)
    warn(
      `Missing or cut, and so in the backup: ${missing.length} of the files that the database names. \`tollgate audit\` lists them.`,
    )
  const lines = [
    `${archive.where}`,
    `accounts ${accounts}, calls ${calls}, files ${files}, bytes ${bytes}; checked, audit clean.`,
    is_encrypted ? 'Encrypted.' : 'Not encrypted, and it holds the keys of the providers.',
    ...(deleted_meanwhile.length > 0
      ? [`Deleted meanwhile, and left out: ${deleted_meanwhile.length} files.`]
      : []),
    ...(deleted.length > 0 ? [`Older ones of the schedule were deleted: ${deleted.join(', ')}.`] : []),
  ]
  answer(
    { file: archive.where, name: archive.name, ...made, clean: true, encrypted: is_encrypted, deleted },
    lines.join('\n'),
  )
}

/** A signal ends the content, and with it nothing stays of what was written or sent. */
async function untilEnded<T>(
  work: (ends: (content: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>) => Promise<T>,
): Promise<T> {
  let ended = false
  const end = () => {
    ended = true
  }
  async function* ends(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const block of content) {
      if (ended) throw conflict('The backup was stopped. Nothing of it is kept.')
      yield block
    }
  }
  process.on('SIGTERM', end).on('SIGINT', end)
  try {
    return await work(ends)
  } finally {
    process.off('SIGTERM', end).off('SIGINT', end)
  }
}

const TELL_EVERY_MS = 500

function nowAndThen(tell: (progress: Progress) => void): (progress: Progress) => void {
  let told_at_ms = 0
  return (progress) => {
    const now_ms = performance.now()
    if (now_ms - told_at_ms < TELL_EVERY_MS) return
    told_at_ms = now_ms
    tell(progress)
  }
}
