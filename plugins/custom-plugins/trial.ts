// The trial of custom plugins: loads them from a temporary copy of their folder, as the user of the gateway.
import { chownSync, mkdtempSync, realpathSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { atEnd } from '../../src/utilities/at-end.ts'
import { messageOf } from '../../src/utilities/thrown.ts'
import { copyPlugins } from './copy.ts'
import { type PluginFile, refuseForeignOwners, userOfGateway } from './files.ts'
import type { LoadedPlugin, LoadParts } from './load.ts'
import { pluginRefusal } from './refusal.ts'

/** A loaded plugin, or the reason why it cannot be loaded. */
export type Trial = { name: string } & ({ plugin: LoadedPlugin } | { problem: string })

const ROOT = 0

/**
 * Loads each plugin as a start would. The plugins' code runs; files that it writes into its folder are removed with the copy. If root runs
 * the command, this process becomes the owner of the data folder until it ends.
 */
export async function tryPlugins(
  files: readonly PluginFile[],
  { data_folder, ...parts }: Omit<LoadParts, 'user'> & { data_folder: string },
): Promise<Trial[]> {
  if (files.length === 0) return []
  // Imported before this process changes its user, who may not be able to read the program.
  const { assertDistinct, loadPlugin } = await import('./load.ts')
  const user = userOfGateway(data_folder)
  const problems = new Map(files.map((file) => [file, ownerProblem(file, user)]))
  const copy = mkdtempSync(join(tmpdir(), 'tollgate-plugins-'))
  using _removing = atEnd(() => rmSync(copy, { recursive: true, force: true }))
  const real = realpathSync(parts.folder)
  const [home, name] = [dirname(real), basename(real)]
  const folder = join(copy, name)
  const becomes_owner = process.geteuid?.() === ROOT && user !== ROOT
  // The owner controls the links in the folder, which must not be followed with root's rights.
  const reads_from_here = becomes_owner && home === realpathSync(data_folder)
  if (becomes_owner) becomeOwner(data_folder, copy)
  copyPlugins({ home, name, copy, reads_from_here, aliases: reads_from_here ? [dirname(parts.folder)] : [] })
  if (becomes_owner) process.chdir(copy)
  const trials: Trial[] = []
  for (const file of files) {
    const loaded = trials.flatMap((trial) => ('plugin' in trial ? trial.plugin : []))
    try {
      const problem = problems.get(file)
      if (problem !== undefined) throw new Error(problem)
      const copied = { ...file, path: join(folder, file.file) }
      const plugin = await loadPlugin(copied, { ...parts, folder })
      assertDistinct(copied, plugin, loaded)
      trials.push({ name: file.name, plugin })
    } catch (thrown) {
      trials.push({ name: file.name, problem: messageOf(thrown).replaceAll(copy, home) })
    }
  }
  return trials
}

function ownerProblem({ path }: PluginFile, user: number | undefined): string | undefined {
  try {
    refuseForeignOwners(path, user)
    return undefined
  } catch (thrown) {
    return messageOf(pluginRefusal(path, thrown))
  }
}

/**
 * Changes the user of this process to the owner of the data folder, and the working folder to it, because the owner may have no access
 * to the folders above, as with systemd's DynamicUser=.
 * @param copy a folder that is still empty: files that root has read must not be given to the owner
 */
function becomeOwner(data_folder: string, copy: string): void {
  const { uid, gid } = statSync(data_folder)
  chownSync(copy, uid, gid)
  process.chdir(data_folder)
  process.setgroups?.([])
  process.setgid?.(gid)
  process.setuid?.(uid)
}
