// The check-up: every check, in the order of the report.

import { checkCertificate } from '../../src/app/checks/certificate.ts'
import { diagnosesOf, type Patient, type ReadPatient } from '../../src/app/checks/check.ts'
import { checkDisk } from '../../src/app/checks/disk.ts'
import { dataPaths } from '../../src/app/process/data-paths.ts'
import { storageOfFolder } from '../../src/app/process/engine/of.ts'
import { IMAGE_LIBRARY } from '../../src/app/process/image-library.ts'
import type { Diagnosis, DoctorReport } from '../../src/app/surface/diagnosis.ts'
import type { Environment } from '../../src/catalogue/providers.ts'
import type { StorageSettings } from '../../src/domain/catalogue.ts'
import { messageOf } from '../../src/utilities/thrown.ts'
import { checkBackups, checkPutAside } from '../backups/index.ts'
import { checkAddress } from './checks/address.ts'
import { checkCatalogue } from './checks/catalogue.ts'
import { checkDatabase } from './checks/database.ts'
import { checkFolder } from './checks/folder.ts'
import { checkImageLibrary } from './checks/images.ts'
import { checkModels } from './checks/models.ts'
import { checkFiles } from './checks/open-files.ts'
import { checkPlugins } from '../own-plugins/check.ts'
import { checkProviders } from './checks/providers.ts'
import { checkStoredFiles } from './checks/stored-files.ts'

type Check<P> = readonly [name: string, check: (patient: P) => Diagnosis[] | Promise<Diagnosis[]>]

const OF_THE_FOLDER: readonly Check<Patient>[] = [
  ['data folder', checkFolder],
  ['database', checkDatabase],
  ['stored files', checkStoredFiles],
  ['disk', checkDisk],
  ['open files', () => checkFiles()],
  ['older states', checkPutAside],
  ['plugins', checkPlugins],
]

const OF_THE_CATALOGUE: readonly Check<ReadPatient>[] = [
  ['address', checkAddress],
  ['certificate', checkCertificate],
  ['backups', checkBackups],
  [IMAGE_LIBRARY, (patient) => checkImageLibrary(patient)],
  ['models', checkModels],
  ['providers', checkProviders],
]

/** The values of `--only`. The catalogue is read with each. */
export const CHECKS: readonly string[] = [...OF_THE_FOLDER, ...OF_THE_CATALOGUE].map(([name]) => name)

/**
 * Examines a data folder and the parts that its catalogue names. Changes nothing, and costs nothing at any provider.
 * @param only one of CHECKS; all where absent
 */
export async function examine(
  { data_folder, env, now }: Omit<Patient, 'storage'>,
  only?: string,
): Promise<DoctorReport> {
  const patient = { data_folder, env, now, storage: await storageOf(data_folder, env) }
  const { findings: of_catalogue, catalogue } = await checkCatalogue(patient)
  const isSelected = ([name]: Check<never>) => only === undefined || name === only
  const of_folder = await runChecks(OF_THE_FOLDER.filter(isSelected), patient)
  const others = catalogue
    ? await runChecks(OF_THE_CATALOGUE.filter(isSelected), { ...patient, catalogue })
    : []
  const findings = [...of_catalogue, ...of_folder, ...others]
  return { healthy: findings.every(({ level }) => level !== 'fail'), findings }
}

async function storageOf(data_folder: string, env: Environment): Promise<StorageSettings | undefined> {
  try {
    return await storageOfFolder(dataPaths(data_folder), env)
  } catch {
    // `checkCatalogue` reports why.
    return undefined
  }
}

async function runChecks<P>(checks: readonly Check<P>[], patient: P): Promise<Diagnosis[]> {
  const findings = checks.map(async ([name, check]) => {
    try {
      return await check(patient)
    } catch (thrown) {
      return [
        diagnosesOf(name).fail(
          `it could not be checked: ${messageOf(thrown)}`,
          'Run this as the gateway’s user.',
        ),
      ]
    }
  })
  return (await Promise.all(findings)).flat()
}
