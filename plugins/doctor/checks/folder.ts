// The check of the data folder: the gateway can write it, and other users cannot read its secrets.

import { accessSync, constants, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type CheckContext, type Diagnosis, diagnosesOf } from '../../../src/app/checks/check.ts'
import { isAbsent, refuseUnwritable } from '../../../src/store/folder.ts'
import { counted } from '../../../src/utilities/counted.ts'
import { messageOf } from '../../../src/utilities/thrown.ts'

const whole = diagnosesOf('data folder')
const folder_mode = diagnosesOf('folder mode')
const file_mode = diagnosesOf('file mode')
const file_modes = diagnosesOf('file modes')

/** Files with providers' keys, hashes of callers' keys, texts of calls, and account balances. */
const SECRET_FILES =
  /^(tollgate\.toml.*|tollgate\.db.*|settlements\.journal|serve\.lock|.*\.key|.*\.age|.*\.pem)$/
const FOR_GROUP_AND_OTHERS = 0o077
const GROUP_AND_OTHERS_WRITE = 0o022

export function checkFolder({ data_folder }: Pick<CheckContext, 'data_folder'>): Diagnosis[] {
  if (isAbsent(data_folder))
    return [
      whole.fail(
        `not found: ${data_folder}`,
        'Name it with --data DIR, or run `tollgate serve` once to create it.',
      ),
    ]
  const found = writable(data_folder)
  return canList(data_folder) ? [found, ...modes(data_folder)] : [found]
}

function canList(folder: string): boolean {
  try {
    accessSync(folder, constants.R_OK | constants.X_OK)
    return true
  } catch {
    // Another user owns the folder, which the finding about write access reports.
    return false
  }
}

function writable(folder: string): Diagnosis {
  try {
    refuseUnwritable(folder)
    return whole.ok(`${folder} is writable`)
  } catch (refusal) {
    const [found = '', advice] = messageOf(refusal).split(/(?<=[.:]) (?=Run |Mount )/)
    return whole.fail(found, advice ?? 'Run the gateway as the owner of the folder.')
  }
}

function modes(folder: string): Diagnosis[] {
  const { mode } = statSync(folder)
  const names = readdirSync(folder).filter((name) => SECRET_FILES.test(name))
  const open = names.filter((name) => {
    const status = statSync(join(folder, name), { throwIfNoEntry: false })
    return status?.isFile() === true && (status.mode & FOR_GROUP_AND_OTHERS) !== 0
  })
  const findings: Diagnosis[] = []
  if (mode & GROUP_AND_OTHERS_WRITE)
    findings.push(
      folder_mode.fail(
        `others may write ${folder} (mode ${octal(mode)}) and replace the database`,
        `chmod 700 ${folder}`,
      ),
    )
  for (const name of open) {
    const path = join(folder, name)
    findings.push(
      file_mode.warn(`others may read ${name} (mode ${octal(statSync(path).mode)})`, `chmod 600 ${path}`),
    )
  }
  return findings.length > 0
    ? findings
    : [file_modes.ok(`only their owner can read ${counted(names.length, 'file')} with secrets`)]
}

const octal = (mode: number): string => (mode & 0o777).toString(8).padStart(4, '0')
