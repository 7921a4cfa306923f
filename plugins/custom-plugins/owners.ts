// The owners of custom plugins: code of other users does not run with the gateway's rights.
import { statSync } from 'node:fs'
import { dirname } from 'node:path'

const WRITABLE_BY_ALL = 0o002
const ROOT = 0

/**
 * Refuses a plugin that others could write: they could run code with the gateway's rights.
 *
 * @param user who runs the gateway
 * @throws Error that says what to do
 */
export function refuseForeignOwners(path: string, user: number | undefined): void {
  for (const one of [dirname(path), path]) {
    const { mode, uid } = statSync(one)
    if ((mode & WRITABLE_BY_ALL) !== 0)
      throw new Error(`everybody on this machine may write to ${one}; run \`chmod o-w ${one}\``)
    if (user !== undefined && uid !== ROOT && uid !== user)
      throw new Error(
        `${one} belongs to user ${uid}, who could change what runs here as user ${user}; run \`chown ${user} ${one}\`, or this command as user ${uid}`,
      )
  }
}

/** The user as whom a gateway serves a folder: for root that is the folder's owner. */
export function userOfGateway(data_folder: string): number | undefined {
  const user = process.geteuid?.()
  return user === ROOT ? statSync(data_folder).uid : user
}
