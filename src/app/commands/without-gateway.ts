// Exclusive use of a data folder, for commands that replace its database.
import { mkdirSync, readdirSync, rmdirSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { conflict } from '../../domain/errors.ts'
import { giveFoldersToOwner, refuseUnwritable } from '../../store/folder.ts'
import { takeServeLock } from '../../store/lock.ts'
import { atEnd } from '../../utilities/at-end.ts'
import type { DataFolder } from '../command-line/data-folder.ts'
import { refuseHalfRestored } from '../process/data-paths.ts'
import { removeLeftovers } from '../process/leftovers.ts'

/**
 * Runs `work` while no gateway serves a folder, and none can start. A folder created for it is removed again if it stays empty.
 * @throws GatewayError conflict if a gateway serves the folder; Error if it is not writable
 */
export async function withoutGateway<T>(
  { dir }: Pick<DataFolder, 'dir'>,
  work: () => Promise<T>,
): Promise<T> {
  const made = mkdirSync(resolve(dir), { recursive: true, mode: 0o700 })
  using _leaving = atEnd(() => {
    if (made !== undefined) removeEmpty(dir, made)
  })
  if (made !== undefined) giveFoldersToOwner(made, resolve(dir))
  refuseUnwritable(dir)
  const unlock = takeServeLock(dir)
  if (!unlock) throw conflict(`A gateway is serving ${dir}: stop it first.`)
  using _unlocking = atEnd(unlock)
  refuseHalfRestored(dir)
  removeLeftovers(dir, 'serve.lock')
  return await work()
}

/** Removes the empty folders that were created for a refused restore, the innermost first. */
function removeEmpty(dir: string, outermost: string): void {
  if (readdirSync(dir).some((name) => name !== 'serve.lock')) return
  rmSync(join(dir, 'serve.lock'), { force: true })
  for (let folder = resolve(dir); folder.length >= outermost.length; folder = dirname(folder)) {
    if (readdirSync(folder).length > 0) return
    rmdirSync(folder)
  }
}
