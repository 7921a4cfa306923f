// The check-up: runs the doctor's checks of all plugins, in the order of the report.

import {
  type CheckContext,
  type Diagnosis,
  diagnosesOf,
  type GatewayCheck,
} from '../../src/app/checks/check.ts'
import { dataPaths } from '../../src/app/process/data-paths.ts'
import { storageOfFolder } from '../../src/app/process/engine/of.ts'
import type { Environment } from '../../src/catalogue/providers.ts'
import type { Catalogue, StorageSettings } from '../../src/domain/catalogue.ts'
import { messageOf } from '../../src/utilities/thrown.ts'
import { checkCatalogue } from './checks/catalogue.ts'
import type { DoctorReport } from './report.ts'

/** Sorts checks of the folder before checks of the catalogue, which need a catalogue without mistakes. */
export function checksOfDoctor(checks: readonly GatewayCheck[]): GatewayCheck[] {
  const own = checks.filter(({ when }) => when.includes('doctor'))
  return ['folder', 'catalogue'].flatMap((needed) => own.filter(({ needs }) => needs === needed))
}

/**
 * Checks a data folder and the providers and servers in its catalogue. Changes nothing, and costs nothing at providers.
 *
 * @param checks the checks of all plugins
 * @param only the name of one check to run, in addition to the catalogue's; absent for all
 */
export async function examine(
  { data_folder, env, now }: Omit<CheckContext, 'storage'>,
  checks: readonly GatewayCheck[],
  only?: string,
): Promise<DoctorReport> {
  const context = { data_folder, env, now, storage: await storageOf(data_folder, env) }
  const { findings: of_catalogue, catalogue } = await checkCatalogue(context)
  const selected = checksOfDoctor(checks).filter(({ name }) => only === undefined || name === only)
  const others = await Promise.all(selected.map((check) => runCheck(check, context, catalogue)))
  const findings = [...of_catalogue, ...others.flat()]
  return { healthy: findings.every(({ level }) => level !== 'fail'), findings }
}

async function storageOf(data_folder: string, env: Environment): Promise<StorageSettings | undefined> {
  try {
    return await storageOfFolder(dataPaths(data_folder), env)
  } catch {
    // `checkCatalogue` reports the reason.
    return undefined
  }
}

async function runCheck(
  check: GatewayCheck,
  context: CheckContext,
  catalogue: Catalogue | undefined,
): Promise<readonly Diagnosis[]> {
  try {
    if (check.needs === 'folder') return await check.look(context, 'doctor')
    return catalogue ? await check.look({ ...context, catalogue }, 'doctor') : []
  } catch (thrown) {
    const found = `it could not be checked: ${messageOf(thrown)}`
    return [diagnosesOf(check.name).fail(found, 'Run this as the gateway’s user.')]
  }
}
