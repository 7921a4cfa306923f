// `restore`: puts a backup in place while no gateway runs, and keeps what it replaces.
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { type Context, contextOf } from '../../../src/app/command-line/context.ts'
import type { DataFolder } from '../../../src/app/command-line/data-folder.ts'
import { addExample } from '../../../src/app/command-line/example.ts'
import type { CliDeps } from '../../../src/app/command-line/terminal.ts'
import { withoutGateway } from '../../../src/app/commands/without-gateway.ts'
import { conflict } from '../../../src/domain/errors.ts'
import { roomIn } from '../archive/unpack-room.ts'
import { type Destination, openDestination } from '../restoring/destination.ts'
import { type Restored, restoreArchive } from '../restoring/restore.ts'
import { restoreDatabase } from '../restoring/restore-database.ts'
import { isDatabase, peek } from '../restoring/unpacked.ts'
import {
  archiveNamed,
  type KeyFlags,
  type UnpackFlags,
  withKeyOptions,
  withUnpackOptions,
} from './options.ts'
import { withUnpacking } from './unpacking.ts'
import { viewOf } from './verify.ts'

interface RestoreFlags extends KeyFlags, UnpackFlags {
  force?: boolean
}

export function addRestoreCommand(program: Command, deps: CliDeps): void {
  const command = program
    .command('restore')
    .argument('<archive>', 'a file, s3://BUCKET/NAME, or a name that `backup list` shows')
    .summary('Replace everything with a backup.')
    .description(
      'Check and audit a backup, then replace the database, images, files, responses and the ' +
        'catalogue with it. Stop the gateway first. The replaced files are kept. A backup of only the database replaces the ' +
        'database alone.',
    )
  addExample(command, 'restore tollgate-20261121T030000Z.tar.zst --data ./restored')
  withUnpackOptions(withKeyOptions(command, 'decrypt'))
    .option('--force', 'replace an existing database')
    .action(async (name: string, flags: RestoreFlags, called: Command) => {
      const context = contextOf(called, deps)
      const { archive, keys } = await archiveNamed(name, flags, context, deps)
      await withoutGateway(context.folder, async () => {
        const archived = await archive.open()
        refuseExisting(context.folder, flags)
        const { first, all } = await peek(archived)
        // An empty file is told about as a database, too.
        await using destination = await openDestination(context.folder, deps.env)
        if (first.length === 0 || isDatabase(first))
          await answerDatabase(context, name, flags, { ...deps, destination })
        else {
          const { maxBytes: max_bytes } = flags
          const restored = await withUnpacking(
            { archive, content: all, json: context.json, deps },
            (content, onAudit) =>
              restoreArchive(content, {
                paths: context.folder,
                destination,
                archive: archive.where,
                keys,
                max_bytes,
                now_ms: deps.now(),
                onAudit,
                by: context.folder.by,
              }),
          )
          answerArchive(context, archive.where, restored)
        }
      })
    })
}

async function answerDatabase(
  { folder, answer }: Context,
  file: string,
  { maxBytes: max_bytes }: UnpackFlags,
  { now, destination: { bucket, takeRows } }: CliDeps & { destination: Destination },
): Promise<void> {
  roomIn({ folder: folder.dir, archive: file, max_bytes }).take(statSync(file).size, 0)
  const { kept, is_on_server } = await restoreDatabase(file, folder, now(), { takeRows })
  const replaced = kept === undefined ? '' : ` The replaced database is kept as ${kept}.`
  const database = is_on_server ? ON_SERVER : folder.database_path
  answer(
    { file, database, replaced: kept ?? null },
    `${database} is now the backup ${file}.${replaced}\n${beforeServe(bucket)}`,
  )
}

function answerArchive({ folder, answer, warn }: Context, where: string, restored: Restored): void {
  const { kept_as } = restored
  const kept = kept_as === undefined ? undefined : join(folder.dir, kept_as)
  const view = viewOf(restored)
  if (view.missing.length > 0)
    warn(
      `Files missing or damaged when the backup was made: ${view.missing.length}. \`tollgate audit\` lists them.`,
    )
  answer(
    { file: where, data_folder: folder.dir, replaced: kept ?? null, ...view },
    [
      `${folder.dir} is now the backup ${where}, of ${view.made_at}:`,
      `accounts ${view.accounts}, calls ${view.calls}, files ${view.files}; every hash is right, audit ${view.clean ? 'clean' : 'with the same problems as then'}.`,
      ...(restored.is_on_server ? [`Its rows are in ${ON_SERVER}.`] : []),
      ...(restored.bucket === undefined ? [] : [`Its files are in ${restored.bucket}.`]),
      ...(kept === undefined ? [] : [`The replaced files are kept in ${kept}.`]),
      ...(needsPackages(folder.dir)
        ? [`Install the packages of the plugins: run \`bun install\` in ${join(folder.dir, 'plugins')}.`]
        : []),
    ].join('\n'),
  )
}

const ON_SERVER = 'the database that [storage] names'

/** An archive has plugins without what they have installed. */
const needsPackages = (dir: string): boolean =>
  existsSync(join(dir, 'plugins', 'package.json')) && !existsSync(join(dir, 'plugins', 'node_modules'))

/** The database only names these files. */
const beforeServe = (bucket = 'the folders images/, files/ and responses/'): string =>
  `Before you start the gateway, also restore ${bucket} of the same time. Images and kept responses without their files are shown as missing.`

function refuseExisting({ database_path }: DataFolder, { force = false }: RestoreFlags): void {
  const replaces = existsSync(database_path)
  if (replaces && !force)
    throw conflict(
      `A database exists at ${database_path}. Add --force to replace it; the old one is kept beside the new one.`,
    )
  // SQLite would replay this log onto the restored database.
  if (!replaces && existsSync(`${database_path}-wal`))
    throw conflict(`${database_path}-wal belongs to a database that was removed. Move it away first.`)
}
