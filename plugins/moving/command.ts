// `migrate`: moves the database to PostgreSQL and the files to a bucket, or back; both, or one of them.
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { type Context, contextOf } from '../../src/app/command-line/context.ts'
import { engineOfFolder } from '../../src/app/command-line/data-folder.ts'
import { addExample, type CliDeps } from '../../src/app/command-line/terminal.ts'
import type { Engine } from '../../src/app/process/engine/engine.ts'
import { storageOfFolder } from '../../src/app/process/engine/of.ts'
import { conflict } from '../../src/domain/errors.ts'
import { answerFiles, answerToFolder, answerToServer } from './answers.ts'
import { planFileMove } from './files.ts'
import { moveFilesOnly, moveToFolder, moveToServer } from './moves.ts'
import { readFilesTarget, readTarget, type Target } from './target.ts'

interface MigrateFlags {
  to?: string
  files?: string
  copy?: boolean
}

export function addMigrateCommand(program: Command, deps: CliDeps): void {
  addExample(program.command('migrate'), 'migrate --to env:DATABASE_URL')
    .summary('Move the database to PostgreSQL and the files into a bucket, or back.')
    .description(
      'Copy all rows to an empty PostgreSQL database, or from one into a folder as a SQLite file; and all files into a bucket, or from ' +
        'one into a folder. Stop the gateway first. Every row is read back and compared, and the books are audited on both sides. ' +
        'With --files alone it also works beside a running gateway: then stop the gateway and run it again for new files. ' +
        'The old database and the old files stay as they are.',
    )
    .option(
      '--to <place>',
      'for the database: "postgres://USER@HOST/NAME", "env:NAME" for a variable with that URL, or a folder, which also gets the files of a bucket',
    )
    .option(
      '--files <place>',
      'for the files: "s3://BUCKET/PREFIX", with its keys in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or the data folder',
    )
    .option('--copy', 'copy what is stored now, beside a running gateway, to try it out')
    .action(async (flags: MigrateFlags, command: Command) => {
      if (flags.to === undefined && flags.files === undefined)
        command.error('error: Give --to for the database, --files for the files, or both.')
      if (flags.to === undefined && flags.copy)
        command.error(
          'error: --copy is for --to: files alone are copied beside a running gateway without it.',
        )
      await migrate(flags, contextOf(command, deps), deps)
    })
}

async function migrate({ to, files, copy = false }: MigrateFlags, context: Context, deps: CliDeps) {
  const { folder } = context
  const target = to === undefined ? undefined : readTarget(to, deps.env)
  const files_target = files === undefined ? undefined : readFilesTarget(files, deps.env)
  const from = await engineOfFolder(folder)
  const storage = await storageOfFolder(folder, deps.env)
  if (target) refuseSameEngine(target, from)
  const new_folder = target && 'folder' in target ? target.folder : folder.dir
  const chosen_files_target =
    files_target ?? (storage.files && target && 'folder' in target ? target : undefined)
  using file_move =
    chosen_files_target &&
    planFileMove({ context, deps, storage, target: chosen_files_target, folder: resolve(new_folder) })
  const move = { context, deps, from, storage, files: file_move, copy }
  if (!target) {
    if (!file_move) throw filesAlreadyThere(files)
    answerFiles(context, await moveFilesOnly({ ...move, files: file_move }))
  } else if ('url' in target) answerToServer(context, target, await moveToServer(move, target.url))
  else answerToFolder(context, target.folder, await moveToFolder(move, target.folder))
}

/** @throws GatewayError conflict if the database is on that engine already */
function refuseSameEngine(target: Target, { is_shared, address }: Engine): void {
  if ('url' in target && is_shared)
    throw conflict(
      `The database is on PostgreSQL already, at ${address}. Copy it to another server by pg_dump and pg_restore.`,
    )
  if ('folder' in target && !is_shared)
    throw conflict(
      `The database is a SQLite file already, ${address}. Move it by \`tollgate backup\` and \`tollgate restore\`, or name a PostgreSQL database in --to.`,
    )
}

const filesAlreadyThere = (place: string | undefined) =>
  conflict(
    `[storage] names ${place} already, so the files are there. To copy files of the data folder to it, take \`files\` out of [storage] first.`,
  )
