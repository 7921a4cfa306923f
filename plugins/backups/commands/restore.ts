// The command `restore`: puts a backup into an empty folder or an empty database while no gateway uses it.
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { type Context, contextOf } from '../../../src/app/command-line/context.ts'
import { type DataFolder, dataFolder } from '../../../src/app/command-line/data-folder.ts'
import { addExample, type CliDeps } from '../../../src/app/command-line/terminal.ts'
import { withoutGateway } from '../../../src/app/commands/without-gateway.ts'
import { roomIn } from '../archive/unpack-room.ts'
import { type Destination, openDestination } from '../restoring/destination.ts'
import { type Restored, refuseNotEmpty, restoreArchive } from '../restoring/restore.ts'
import { refuseDatabase, restoreDatabase } from '../restoring/restore-database.ts'
import { isDatabase, peek } from '../restoring/unpacked.ts'
import {
  archiveNamed,
  type KeyFlags,
  type UnpackFlags,
  withKeyOptions,
  withUnpacking,
  withUnpackOptions,
} from './options.ts'
import { viewOf } from './verify.ts'

interface RestoreFlags extends KeyFlags, UnpackFlags {
  to?: string
}

export function addRestoreCommand(program: Command, deps: CliDeps): void {
  const command = program
    .command('restore')
    .argument('<archive>', 'a file, s3://BUCKET/NAME, or a name that `backup list` shows')
    .summary('Restore a backup into an empty folder.')
    .description(
      'Check and audit a backup, then put it into an empty folder: the database, images, files, responses, the catalogue and ' +
        'plugins. If the folder has a catalogue with [storage], rows and files go there. A backup of only the database needs a ' +
        'folder without a database. To replace a running gateway, stop it, restore into a new folder, and start with that.',
    )
  addExample(command, 'restore tollgate-20261121T030000Z.tar.zst --to ./restored')
  withUnpackOptions(withKeyOptions(command, 'decrypt'))
    .option('--to <folder>', 'a new or empty folder (default: the data folder)')
    .action(async (name: string, flags: RestoreFlags, called: Command) => {
      const context = contextOf(called, deps)
      const { archive, keys } = await archiveNamed(name, flags, context, deps)
      const { folder } = context
      const target = flags.to === undefined ? folder : { ...folder, ...dataFolder(flags.to, deps.env) }
      await withoutGateway(target, async () => {
        const { first, all } = await peek(await archive.open())
        // SQLite reads an empty file as an empty database; restoreDatabase refuses it.
        const is_database = first.length === 0 || isDatabase(first)
        if (is_database) refuseDatabase(target)
        else refuseNotEmpty(target)
        await using destination = await openDestination(target, deps.env)
        if (is_database) await restoreAndAnswer(context, { file: name, target, destination, ...flags })
        else {
          const { maxBytes: max_bytes } = flags
          const restored = await withUnpacking(
            { archive, content: all, json: context.json, deps },
            (content, onAudit) =>
              restoreArchive(content, {
                paths: target,
                destination,
                archive: archive.where,
                keys,
                max_bytes,
                now_ms: deps.now(),
                onAudit,
                by: folder.by,
              }),
          )
          answerArchive(context, target, archive.where, restored)
        }
      })
    })
}

interface DatabaseOptions extends UnpackFlags {
  /** The path of the database copy. */
  file: string
  target: DataFolder
  destination: Destination
}

async function restoreAndAnswer(
  { answer }: Context,
  { file, target, destination: { bucket, takeRows }, maxBytes: max_bytes }: DatabaseOptions,
): Promise<void> {
  roomIn({ folder: target.dir, archive: file, max_bytes }).take(statSync(file).size, 0)
  const is_on_server = await restoreDatabase(file, target, takeRows)
  const database = is_on_server ? ON_SERVER : target.database_path
  answer({ file, database }, `${database} is now the backup ${file}.\n${beforeServe(bucket)}`)
}

function answerArchive(
  { answer, warn }: Context,
  { dir }: DataFolder,
  where: string,
  restored: Restored,
): void {
  const { kept_catalogue } = restored
  const view = viewOf(restored)
  if (view.missing.length > 0)
    warn(
      `Files missing or damaged when the backup was created: ${view.missing.length}. \`tollgate audit\` lists them.`,
    )
  answer(
    { file: where, data_folder: dir, kept_catalogue: kept_catalogue ?? null, ...view },
    [
      `${dir} now has the backup ${where}, of ${view.made_at}:`,
      `accounts ${view.accounts}, calls ${view.calls}, files ${view.files}; all hashes match, audit ${view.clean ? 'clean' : 'with the same problems as before'}.`,
      ...(restored.is_on_server ? [`Its rows are in ${ON_SERVER}.`] : []),
      ...(restored.bucket === undefined ? [] : [`Its files are in ${restored.bucket}.`]),
      ...(kept_catalogue === undefined ? [] : [`The previous catalogue is now ${kept_catalogue}.`]),
      ...(needsPackages(dir)
        ? [`Install the packages of the plugins: run \`bun install\` in ${join(dir, 'plugins')}.`]
        : []),
      `Start with it: tollgate serve --data ${dir}`,
    ].join('\n'),
  )
}

const ON_SERVER = 'the database that [storage] names'

/** An archive has plugins without their node_modules. */
const needsPackages = (dir: string): boolean =>
  existsSync(join(dir, 'plugins', 'package.json')) && !existsSync(join(dir, 'plugins', 'node_modules'))

/** The operator must restore the files apart, because a database copy only names them. */
const beforeServe = (bucket = 'the folders images/, files/ and responses/'): string =>
  `Before you start the gateway, also restore ${bucket} of the same time. Images and kept responses without their files are shown as missing.`
