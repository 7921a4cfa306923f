// The readers of a file with a key: every user of the machine must not, and the user of the gateway must be able to.
import { statSync } from 'node:fs'
import type { Diagnosis, diagnosesOf } from '../../../src/app/checks/check.ts'

const OTHERS_AND_GROUP_READ = 0o044

interface KeyFile {
  data_folder: string
  /** The rights of others that are too many. */
  others: number
  fail: ReturnType<typeof diagnosesOf>['fail']
  /** Lets a user read it. */
  adviceFor: (user: number) => string
}

/** @returns the fault, if there is one */
export function checkReaders(path: string, { data_folder, others, fail, adviceFor }: KeyFile): Diagnosis[] {
  const { mode, uid } = statSync(path)
  // Root often runs this, and reads everything. The user of the gateway owns its folder.
  const user = statSync(data_folder).uid
  if (user !== 0 && user !== uid && (mode & OTHERS_AND_GROUP_READ) === 0)
    return [
      fail(
        `user ${user}, who owns ${data_folder} and runs the gateway, cannot read ${path}`,
        adviceFor(user),
      ),
    ]
  if ((mode & others) === 0) return []
  return [fail(`every user of this machine can read ${path}`, `chmod o= ${path}`)]
}
