// The doctor's look at the catalogue: its mistakes, and what it disables.
import { join } from 'node:path'
import { readCatalogueFile } from '../../config/load.ts'
import { formatMistake, type Mistake } from '../../config/mistakes.ts'
import { isAbsent } from '../../db/folder.ts'
import type { Catalogue } from '../../domain/catalogue.ts'
import { BUILT_IN_REGISTRY } from '../../protocols/registry.ts'
import type { Diagnosis } from '../../surface/doctor.ts'
import { diagnosesOf, type Patient } from './diagnosis.ts'

const { fail, ok, warn } = diagnosesOf('catalogue')

/** @returns the catalogue, too, where it can be read */
export async function checkCatalogue({
  data_folder,
  env,
}: Patient): Promise<{ findings: Diagnosis[]; catalogue?: Catalogue }> {
  const path = join(data_folder, 'tollgate.toml')
  if (isAbsent(path)) {
    const advice = 'Name the data folder with --data DIR, or run `tollgate serve` once to create a catalogue.'
    return { findings: [fail(`not found: ${path}`, advice)] }
  }
  const reading = await readCatalogueFile(path, { env, protocols: BUILT_IN_REGISTRY })
  const line = (mistake: Parameters<typeof formatMistake>[1]) => formatMistake('tollgate.toml', mistake)
  if (!reading.ok) {
    const advice = 'Correct it. A running gateway keeps the last good version, but a start is refused.'
    return { findings: reading.mistakes.map((mistake) => fail(line(mistake), advice)) }
  }
  const { catalogue, warnings } = reading
  const counted = `no mistakes; models ${catalogue.models.size}, providers ${catalogue.providers.size}`
  return {
    catalogue,
    findings: [ok(counted), ...warnings.map((mistake) => warn(line(mistake), adviceOn(mistake)))],
  }
}

/** A warning says what is the matter with what its path ends with. */
function adviceOn({ path }: Mistake): string {
  if (path.endsWith('.cost'))
    return '`tollgate prices list` shows prices beside costs. `refuse_negative_margin = true` in [limits] refuses such calls.'
  if (path.endsWith('.base_url'))
    return '`tollgate providers test` calls the address. Correct it if nothing answers.'
  return "Set the variable in the gateway's environment, or remove it from the catalogue. This command sees only its own environment."
}
