// The doctor's round: every check, in the order in which trouble is looked for.
import { messageOf } from '../../domain/thrown.ts'
import type { Diagnosis, DoctorReport } from '../../surface/doctor.ts'
import { checkBackups, checkPutAside } from './backups.ts'
import { checkCatalogue } from './catalogue.ts'
import { checkCertificate } from './certificate.ts'
import { checkDatabase } from './database.ts'
import { fail, type Patient, type ReadPatient } from './diagnosis.ts'
import { checkFolder } from './folder.ts'
import { checkDisk, checkFiles } from './machine.ts'
import { checkPlugins } from './plugins.ts'
import { checkAddress } from './port.ts'
import { checkProviders } from './providers.ts'

type Check<P> = readonly [name: string, check: (patient: P) => Diagnosis[] | Promise<Diagnosis[]>]

const OF_THE_FOLDER: readonly Check<Patient>[] = [
  ['data folder', checkFolder],
  ['database', checkDatabase],
  ['disk', checkDisk],
  ['open files', () => checkFiles()],
  ['older states', checkPutAside],
  ['plugins', checkPlugins],
]

const OF_THE_CATALOGUE: readonly Check<ReadPatient>[] = [
  ['address', checkAddress],
  ['certificate', checkCertificate],
  ['backups', checkBackups],
  ['providers', checkProviders],
]

/** Examines a data folder and what its catalogue names. Changes nothing, and costs nothing at any provider. */
export async function examine(patient: Patient): Promise<DoctorReport> {
  const { findings: of_catalogue, catalogue } = await checkCatalogue(patient)
  const of_folder = await made(OF_THE_FOLDER, patient)
  const others = catalogue ? await made(OF_THE_CATALOGUE, { ...patient, catalogue }) : []
  const findings = [...of_catalogue, ...of_folder, ...others]
  return { healthy: findings.every(({ level }) => level !== 'fail'), findings }
}

async function made<P>(checks: readonly Check<P>[], patient: P): Promise<Diagnosis[]> {
  const done = checks.map(async ([name, check]) => {
    try {
      return await check(patient)
    } catch (thrown) {
      return [
        fail(name, `it could not be checked: ${messageOf(thrown)}`, 'Run this as the gateway’s own user.'),
      ]
    }
  })
  return (await Promise.all(done)).flat()
}
