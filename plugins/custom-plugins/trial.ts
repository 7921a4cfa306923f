// The trial of custom plugins: loaded from a scratch copy of their folder, as the user who runs the gateway.
import { chownSync, mkdtempSync, realpathSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { atEnd } from '../../src/utilities/at-end.ts'
import { messageOf } from '../../src/utilities/thrown.ts'
import { copyPlugins } from './copy.ts'
import { type PluginFile, refuseForeignOwners, userOfGateway } from './files.ts'
import type { LoadedPlugin, LoadParts } from './load.ts'
import { pluginRefusal } from './refusal.ts'

/** A plugin, or why it cannot be loaded. */
export type Trial = { name: string } & ({ plugin: LoadedPlugin } | { problem: string })

const ROOT = 0

/**
 * Loads each plugin as a start would. Their code runs: what it writes beside itself goes with the copy, and where root runs the command, as
 * the owner of the data folder, for the rest of this process.
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
  const real = realpathSync(parts.folder)
  const [home, name] = [dirname(real), basename(real)]
  const folder = join(copy, name)
  const becomes_owner = process.geteuid?.() === ROOT && user !== ROOT
  // The owner chooses where a link leads, and may not get anywhere by root's reach.
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

function ownersProblem({ path }: PluginFile, user: number | undefined): string | undefined {
  try {
    refuseForeignOwners(path, user)
    return undefined
  } catch (thrown) {
    return messageOf(pluginRefusal(path, thrown))
  }
}

/**
 * Makes this process the owner of the data folder, with that as its working folder: the folders above may be closed to the owner, as
 * systemd's DynamicUser= has them.
 * @param copy is empty yet: what root reads must not get into the owner's hands
 */
function becomeOwner(data_folder: string, copy: string): void {
  const { uid, gid } = statSync(data_folder)
  chownSync(copy, uid, gid)
  process.chdir(data_folder)
  process.setgroups?.([])
  process.setgid?.(gid)
  process.setuid?.(uid)
}
