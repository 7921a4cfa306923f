// The user of the machine who runs a command, for the audit log.
import { userInfo } from 'node:os'
import type { Environment } from '../config/providers.ts'

/** Whoever became root by sudo is named as themselves. Undefined where the system knows no name. */
export function machineUser({ SUDO_USER }: Environment): string | undefined {
  if (SUDO_USER) return SUDO_USER
  try {
    return userInfo().username
  } catch {
    // Dropped: a container may run a user that it has no name for.
    return undefined
  }
}
