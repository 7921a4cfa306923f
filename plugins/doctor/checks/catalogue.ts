// The check of the catalogue: mistakes, warnings, and access rights of key files.
import { statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type CheckContext, type Diagnosis, diagnosesOf } from '../../../src/app/checks/check.ts'
import { dataPaths } from '../../../src/app/process/data-paths.ts'
import { sharedOfFolder } from '../../../src/app/process/shared-catalogue.ts'
import { keyFilesIn } from '../../../src/catalogue/key-files.ts'
import {
  mistakeLines,
  readCatalogueFile,
  type SharedText,
  warningLines,
} from '../../../src/catalogue/load-file.ts'
import type { Mistake } from '../../../src/catalogue/mistakes.ts'
import { namedPath } from '../../../src/catalogue/named-path.ts'
import type { Environment } from '../../../src/catalogue/providers.ts'
import { readToml } from '../../../src/catalogue/toml.ts'
import type { Catalogue } from '../../../src/domain/catalogue.ts'
import { BUILT_IN_REGISTRY } from '../../../src/protocols/registry.ts'
import { isAbsent } from '../../../src/store/folder.ts'
import { messageOf } from '../../../src/utilities/thrown.ts'
import { checkReaders } from './key-readers.ts'

const { fail, ok, warn } = diagnosesOf('catalogue')
const of_key = diagnosesOf('key file')

/** @returns the findings, and the catalogue if it has no mistakes */
export async function checkCatalogue({
  data_folder,
  env,
}: CheckContext): Promise<{ findings: Diagnosis[]; catalogue?: Catalogue }> {
  const path = join(data_folder, 'tollgate.toml')
  if (isAbsent(path)) {
    const advice = 'Name the data folder with --data DIR, or run `tollgate serve` once to create a catalogue.'
    return { findings: [fail(`not found: ${path}`, advice)] }
  }
  const key_files = keyFilesIn(data_folder)
  const shared = await sharedCatalogue(data_folder, env)
  if (shared && 'unreadable' in shared) return { findings: [fail(shared.unreadable, UNREADABLE)] }
  const reading = await readCatalogueFile(path, { env, protocols: BUILT_IN_REGISTRY }, key_files, shared)
  const modes = key_files.paths().flatMap((file) => modeOfKey(file, data_folder))
  // An unreadable file has a mistake of its own.
  const text = readToml(reading.ok ? reading.text : await readFile(path, 'utf8').catch(() => ''))
  const line = (mistake: Mistake) => {
    const named = { ...mistake, path: namedPath(mistake.path, text.ok && text.value) }
    return mistakeLines('tollgate.toml', [named], reading.shared).join()
  }
  if (!reading.ok) {
    const advice = 'Correct it. A running gateway keeps the last good version, but a start is refused.'
    return { findings: reading.mistakes.map((mistake) => fail(line(mistake), advice)) }
  }
  const { catalogue, warnings } = reading
  const counts = `models ${catalogue.models.size}, providers ${catalogue.providers.size}`
  const where = reading.shared ? `version ${reading.shared.version}, in the database: ` : ''
  const unused = warningLines('tollgate.toml', { warnings: [], shared: reading.shared })
  return {
    catalogue,
    findings: [
      ok(`${where}no mistakes; ${counts}`),
      ...unused.map((each) => warn(each, UNUSED)),
      ...warnings.map((mistake) => warn(line(mistake), adviceOn(mistake))),
      ...modes,
    ],
  }
}

const UNREADABLE =
  'The check of the database says more. A running gateway keeps the catalogue that it has in use.'
const UNUSED = 'Take it out of the file, so that nobody changes it there.'

async function sharedCatalogue(
  data_folder: string,
  env: Environment,
): Promise<SharedText | { unreadable: string } | undefined> {
  try {
    return await sharedOfFolder(dataPaths(data_folder), env)
  } catch (thrown) {
    return { unreadable: `it cannot be read from the database: ${messageOf(thrown)}` }
  }
}

const OTHERS = 0o007

/** Reports a key file that every user of the machine can read, or that the gateway cannot read. */
const modeOfKey = (path: string, data_folder: string): Diagnosis[] =>
  statSync(path, { throwIfNoEntry: false })?.isFile()
    ? checkReaders(path, {
        data_folder,
        others: OTHERS,
        fail: of_key.fail,
        adviceFor: (user) => `chown ${user} ${path}`,
      })
    : []

/** Chooses the advice by the last field of the warning's path. */
function adviceOn({ path, message }: Mistake): string {
  if (message.startsWith('needs the file'))
    return 'The gateway reads it within a second or two once it is there. `ls -l` shows who may read it.'
  if (/\.(?:cost|factor)$/.test(path))
    return '`tollgate prices list` shows prices beside costs. `refuse_negative_margin = true` in [limits] refuses such calls.'
  if (path.endsWith('.base_url'))
    return '`tollgate providers test` calls the address. Correct it if nothing answers.'
  return "Set the variable in the gateway's environment, or remove it from the catalogue. This command sees only its own environment."
}
