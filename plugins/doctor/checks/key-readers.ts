// The check of a key file's access rights: the gateway's user can read it, and other users cannot.
import { statSync } from 'node:fs'
import type { Diagnosis, diagnosesOf } from '../../../src/app/checks/check.ts'

const OTHERS_AND_GROUP_READ = 0o044

interface KeyFile {
  data_folder: string
  /** The permission bits for other users that must not be set. */
  others: number
  fail: ReturnType<typeof diagnosesOf>['fail']
  /** The advice to make the file readable for a user. */
  adviceFor: (user: number) => string
}

/** @returns one diagnosis if the access rights are wrong, otherwise none */
export function checkReaders(path: string, { data_folder, others, fail, adviceFor }: KeyFile): Diagnosis[] {
  const { mode, uid } = statSync(path)
  // Not this process's user: root often runs this, and can read everything. The gateway's user owns the data folder.
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
