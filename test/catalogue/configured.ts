// The configuration over a file of its own, which the console reads and changes.
import { writeFile } from 'node:fs/promises'
import { createConfiguration } from '../../src/catalogue/configuration.ts'
import { BUILT_IN_REGISTRY } from '../../src/protocols/registry.ts'
import { temporary } from '../support/temporary.ts'
import { catalogueOf } from './catalogues.ts'

type Configuration = ReturnType<typeof createConfiguration>

/** @param text of the file, already in force */
export async function configured<T>(
  text: string,
  work: (configuration: Configuration) => Promise<T>,
): Promise<T> {
  using folder = temporary()
  const path = folder.at('tollgate.toml')
  await writeFile(path, text)
  const configuration = createConfiguration({
    path,
    env: {},
    protocols: BUILT_IN_REGISTRY,
    catalogue: () => catalogueOf(text),
    reload: async () => {},
    waitingForRestart: () => [],
    keep: () => Promise.resolve(),
    now: () => 0,
  })
  return await work(configuration)
}
