// The trial of custom plugins: loaded from a scratch copy of their folder, as the user who runs the gateway.
import {
  cpSync,
  lchownSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { atEnd } from '../../utilities/at-end.ts'
import { messageOf } from '../../utilities/thrown.ts'
import type { PluginFile } from './files.ts'
import type { LoadedPlugin, LoadParts } from './load.ts'
import { refuseForeignOwners, userOfGateway } from './owners.ts'
import { pluginRefusal } from './refusal.ts'

/** A plugin, or why it cannot be loaded. */
export type Trial = { name: string } & ({ plugin: LoadedPlugin } | { problem: string })

const ROOT = 0
const PACKAGES = 'node_modules'

/**
 * Loads each plugin as a start would. Their code runs: what it writes beside itself goes with the copy, and where root asks, it runs as
 * the owner of the data folder, for the rest of this process.
 *
 * @param parts with the folder that has the plugins
 */
export async function tryPlugins(
  files: readonly PluginFile[],
  { data_folder, ...parts }: Omit<LoadParts, 'user'> & { data_folder: string },
): Promise<Trial[]> {
  if (files.length === 0) return []
  // Before this process is another user's, who may not be able to read the program.
  const { assertDistinct, loadPlugin } = await import('./load.ts')
  const user = userOfGateway(data_folder)
  const problems = new Map(files.map((file) => [file, ownersProblem(file, user)]))
  const copy = mkdtempSync(join(tmpdir(), 'tollgate-plugins-'))
  using _removing = atEnd(() => rmSync(copy, { recursive: true, force: true }))
  const folder = join(copy, 'plugins')
  copyPlugins(parts.folder, folder)
  if (process.geteuid?.() === ROOT && user !== ROOT) becomeOwner(data_folder, copy)
  const trials: Trial[] = []
  for (const file of files) {
    const { name } = file
    const loaded = trials.flatMap((trial) => ('plugin' in trial ? trial.plugin : []))
    try {
      const problem = problems.get(file)
      if (problem !== undefined) throw new Error(problem)
      const copied = { ...file, path: join(folder, file.file) }
      const plugin = await loadPlugin(copied, { ...parts, folder })
      assertDistinct(copied, plugin, loaded)
      trials.push({ name, plugin })
    } catch (thrown) {
      trials.push({ name, problem: messageOf(thrown).replaceAll(folder, parts.folder) })
    }
  }
  return trials
}

function ownersProblem({ path }: PluginFile, user: number | undefined): string | undefined {
  try {
    refuseForeignOwners(path, user)
    return undefined
  } catch (thrown) {
    return messageOf(pluginRefusal(path, thrown))
  }
}

/** Packages are many files and are not written to: they are linked, but for another user, who may not be able to reach them. */
function copyPlugins(from: string, to: string): void {
  const are_linked = process.geteuid?.() !== ROOT
  cpSync(from, to, {
    recursive: true,
    dereference: true,
    filter: (path) => !(are_linked && path === join(from, PACKAGES)),
  })
  if (are_linked && lstatSync(join(from, PACKAGES), { throwIfNoEntry: false }))
    symlinkSync(join(from, PACKAGES), join(to, PACKAGES))
}

/** @param copy is given to the owner of the data folder, who this process becomes */
function becomeOwner(data_folder: string, copy: string): void {
  const { uid, gid } = statSync(data_folder)
  for (const path of ['', ...readdirSync(copy, { recursive: true, encoding: 'utf8' })])
    lchownSync(join(copy, path), uid, gid)
  process.setgroups?.([])
  process.setgid?.(gid)
  process.setuid?.(uid)
}
