// The user of the machine who runs a command, for the audit log.
import { readFileSync } from 'node:fs'
import type { Environment } from '../../catalogue/providers.ts'

/** Whoever became root by sudo is named as themselves. Bun's own `userInfo` knows the environment alone. */
export function machineUser({ SUDO_USER, USER }: Environment): string | undefined {
  const uid = process.getuid?.()
  return SUDO_USER || nameOf(uid) || USER || (uid === undefined ? undefined : `user ${uid}`)
}

function nameOf(uid: number | undefined): string | undefined {
  try {
    const users = readFileSync('/etc/passwd', 'utf8').split('\n')
    return users.map((line) => line.split(':')).find(([, , id]) => Number(id) === uid)?.[0]
  } catch {
    // Dropped: not every system has such a file.
    return undefined
  }
}
