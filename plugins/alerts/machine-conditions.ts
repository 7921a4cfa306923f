// Conditions of the machine that raise alerts: little room on the disk, a certificate near its end, no recent backup.
import type { Condition, Rule } from './steps.ts'
import type { BackupSettings, Catalogue } from '../../src/domain/catalogue.ts'
import type { Backups } from '../../src/surface/backups.ts'
import type { Diagnosis } from '../../src/surface/doctor.ts'
import { maxAgeOf } from '../../src/server/backup/due.ts'
import { checkCertificate } from '../../src/server/doctor/certificate.ts'
import type { ReadPatient } from '../../src/server/doctor/diagnosis.ts'
import { checkDisk } from '../../src/server/doctor/machine.ts'

const conditionOf = (rule: Rule, sentence: string, subject = ''): Condition => ({
  rule,
  subject,
  account_id: null,
  sentence,
})

/** What the doctor would say. @param machine of which several are looked at; empty: there is one */
const fromDoctor = (
  { rule, what, machine }: { rule: Rule; what: string; machine: string },
  diagnoses: readonly Diagnosis[],
): Condition[] => {
  const bad = diagnoses.find(({ level }) => level !== 'ok')
  const which = machine === '' ? what : `${what} on ${machine}`
  return bad ? [conditionOf(rule, `${which}: ${bad.found}. ${bad.advice ?? ''}`.trim(), machine)] : []
}

export const diskConditions = async (
  { storage }: Pick<Catalogue, 'storage'>,
  { data_folder, machine }: { data_folder: string; machine: string },
): Promise<Condition[]> =>
  fromDoctor({ rule: 'disk', what: 'Disk nearly full', machine }, await checkDisk({ data_folder, storage }))

/** Nothing over plain HTTP: a proxy's certificate is its own business. */
export async function certificateConditions(
  catalogue: Catalogue,
  { machine, ...parts }: Pick<ReadPatient, 'data_folder' | 'now'> & { machine: string },
): Promise<Condition[]> {
  if (catalogue.server.tls_certificate === undefined) return []
  const diagnoses = await checkCertificate({ ...parts, catalogue, storage: catalogue.storage, env: {} })
  const of_certificate = diagnoses.filter(({ check }) => check === 'certificate')
  return fromDoctor({ rule: 'certificate', what: 'Certificate', machine }, of_certificate)
}

/** Who never made a backup, and has no schedule, is told by the doctor alone. */
export async function backupConditions(
  settings: BackupSettings,
  backups: Pick<Backups, 'list' | 'where' | 'next_at_ms'>,
  now_ms: number,
): Promise<Condition[]> {
  if (settings.unavailable !== undefined)
    return [conditionOf('backup', `No backups are made: ${settings.unavailable}.`)]
  const [newest] = await backups.list()
  if (!newest || now_ms - newest.made_at_ms <= maxAgeOf(settings.schedule)) return []
  const made = new Date(newest.made_at_ms).toISOString().slice(0, 16).replace('T', ' ')
  return [
    conditionOf(
      'backup',
      `The newest backup in ${backups.where} is of ${made} UTC. ${
        settings.schedule
          ? 'A scheduled one is missing: look for the cause on the System page or in the log.'
          : 'Run `tollgate backup`, or set `at` in [backup].'
      }`,
    ),
  ]
}
