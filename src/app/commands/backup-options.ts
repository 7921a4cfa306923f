// The section [backup] of a folder's catalogue, as commands use it.
import { existsSync, readFileSync } from 'node:fs'
import type { BackupSettings } from '../../domain/catalogue.ts'
import type { Context } from '../command-line/context.ts'
import { readCatalogueOf } from '../command-line/data-folder.ts'
import type { CliDeps } from '../command-line/terminal.ts'
import type { WhereOptions } from '../../../plugins/backups/places/where.ts'

/** The section [backup] of the folder's catalogue; undefined, with a warning, if it cannot be read. */
async function backupSettings({ folder, warn }: Context): Promise<BackupSettings | undefined> {
  if (!existsSync(folder.catalogue_path)) return undefined
  const read = await readCatalogueOf(folder)
  if ('catalogue' in read) return read.catalogue.backup
  if (!readFileSync(folder.catalogue_path, 'utf8').includes('backup')) return undefined
  warn(
    `${folder.catalogue_path} has mistakes, so its section [backup] is ignored. \`tollgate config check\` lists them.`,
  )
  return undefined
}

export async function whereOptions(context: Context, { env }: CliDeps): Promise<WhereOptions> {
  return { settings: await backupSettings(context), data_folder: context.folder.dir, env }
}
