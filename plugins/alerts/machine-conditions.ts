// Conditions of the machine that raise alerts: little room on the disk, a certificate near its end, no recent backup.

import type { Diagnosis, QuickChecks } from '../../src/app/surface/diagnosis.ts'
import type { BackupSettings, Catalogue } from '../../src/domain/catalogue.ts'
import { type BackupPlace, maxAgeOf } from '../backups/index.ts'
import type { Condition, Rule } from './steps.ts'

const conditionOf = (rule: Rule, sentence: string, subject = ''): Condition => ({
  rule,
  subject,
  account_id: null,
  sentence,
})

/** @param machine named where several are checked; empty where there is one */
const fromDoctor = (
  { rule, what, machine }: { rule: Rule; what: string; machine: string },
  diagnoses: readonly Diagnosis[],
): Condition[] => {
  const bad = diagnoses.find(({ level }) => level !== 'ok')
  const which = machine === '' ? what : `${what} on ${machine}`
  return bad ? [conditionOf(rule, `${which}: ${bad.found}. ${bad.advice ?? ''}`.trim(), machine)] : []
}

export const diskConditions = async (
  catalogue: Pick<Catalogue, 'storage'>,
  { disk, machine }: Pick<QuickChecks, 'disk'> & { machine: string },
): Promise<Condition[]> =>
  fromDoctor({ rule: 'disk', what: 'Disk nearly full', machine }, await disk(catalogue))

/** Nothing over plain HTTP: a proxy's certificate is its own business. */
export async function certificateConditions(
  catalogue: Catalogue,
  { certificate, machine }: Pick<QuickChecks, 'certificate'> & { machine: string },
): Promise<Condition[]> {
  if (catalogue.server.tls_certificate === undefined) return []
  const diagnoses = await certificate(catalogue)
  const of_certificate = diagnoses.filter(({ check }) => check === 'certificate')
  return fromDoctor({ rule: 'certificate', what: 'Certificate', machine }, of_certificate)
}

/** Without a schedule and without any backup the doctor alone warns. */
export async function backupConditions(
  settings: BackupSettings,
  backups: BackupPlace,
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
