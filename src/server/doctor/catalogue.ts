// The doctor's look at the catalogue: its mistakes, and what it disables.
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { keyFilesIn } from '../../config/key-files.ts'
import { readCatalogueFile } from '../../config/load-file.ts'
import { formatMistake, type Mistake } from '../../config/mistakes.ts'
import { isAbsent } from '../../db/folder.ts'
import type { Catalogue } from '../../domain/catalogue.ts'
import { BUILT_IN_REGISTRY } from '../../protocols/registry.ts'
import type { Diagnosis } from '../../surface/doctor.ts'
import { diagnosesOf, type Patient } from './diagnosis.ts'

const { fail, ok, warn } = diagnosesOf('catalogue')
const of_key = diagnosesOf('key file')

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
  const key_files = keyFilesIn(data_folder)
  const reading = await readCatalogueFile(path, { env, protocols: BUILT_IN_REGISTRY }, key_files)
  const modes = key_files.paths().flatMap((file) => modeOfKey(file, data_folder))
  const line = (mistake: Parameters<typeof formatMistake>[1]) => formatMistake('tollgate.toml', mistake)
  if (!reading.ok) {
    const advice = 'Correct it. A running gateway keeps the last good version, but a start is refused.'
    return { findings: reading.mistakes.map((mistake) => fail(line(mistake), advice)) }
  }
  const { catalogue, warnings } = reading
  const counted = `no mistakes; models ${catalogue.models.size}, providers ${catalogue.providers.size}`
  return {
    catalogue,
    findings: [ok(counted), ...warnings.map((mistake) => warn(line(mistake), adviceOn(mistake))), ...modes],
  }
}

const OTHERS = 0o007
const OTHERS_AND_GROUP_READ = 0o044

/** A key that every user of the machine can read, or that the gateway cannot. */
function modeOfKey(path: string, data_folder: string): Diagnosis[] {
  const status = statSync(path, { throwIfNoEntry: false })
  if (!status?.isFile()) return []
  // Root, who runs this often, reads everything; whoever runs the gateway owns its folder.
  const user = statSync(data_folder).uid
  if (user !== 0 && user !== status.uid && (status.mode & OTHERS_AND_GROUP_READ) === 0)
    return [
      of_key.fail(
        `user ${user}, who owns ${data_folder} and runs the gateway, cannot read ${path}`,
        `chown ${user} ${path}`,
      ),
    ]
  if ((status.mode & OTHERS) === 0) return []
  return [of_key.fail(`every user of this machine can read ${path}`, `chmod o= ${path}`)]
}

/** A warning says what is the matter with what its path ends with. */
function adviceOn({ path, message }: Mistake): string {
  if (message.startsWith('needs the file'))
    return 'The gateway reads it within a second or two once it is there. `ls -l` shows who may read it.'
  if (path.endsWith('.cost'))
    return '`tollgate prices list` shows prices beside costs. `refuse_negative_margin = true` in [limits] refuses such calls.'
  if (path.endsWith('.base_url'))
    return '`tollgate providers test` calls the address. Correct it if nothing answers.'
  return "Set the variable in the gateway's environment, or remove it from the catalogue. This command sees only its own environment."
}
