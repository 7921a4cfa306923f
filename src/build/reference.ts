// The file of the reference's page in the executable: a bundler plugin replaces the module that finds it by one that embeds
// compressed copies.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { BunPlugin } from 'bun'

const MODULE = join(import.meta.dir, '../../plugins/docs/scalar.ts')
const MODULE_FILTER = /[\\/]plugins[\\/]docs[\\/]scalar\.ts$/

/** Of 4.3 MB, a quality of 11 makes 0.93 MB in 36 s, this one 0.98 in 2. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }

/**
 * The plugin for `Bun.build`.
 *
 * @param work_folder where the copies are written, and stay until the build has read them
 */
export async function referencePlugin(work_folder: string): Promise<BunPlugin> {
  // By its path: nothing of the program is imported here, and the module is asked only where the file is.
  const { scalar }: { scalar(): { identity: string } } = await import(MODULE)
  const file = readFileSync(scalar().identity)
  const [br, gz] = await Promise.all([promisify(brotliCompress)(file, BROTLI), promisify(gzip)(file)])
  const paths = { br: join(work_folder, 'scalar.js.br'), gzip: join(work_folder, 'scalar.js.gz') }
  writeFileSync(paths.br, br)
  writeFileSync(paths.gzip, gz)
  return {
    name: 'reference',
    setup(build) {
      build.onLoad({ filter: MODULE_FILTER }, () => ({ contents: moduleOf(paths), loader: 'js' }))
    },
  }
}

const moduleOf = (paths: { br: string; gzip: string }): string =>
  [
    `import br from ${JSON.stringify(paths.br)} with { type: 'file' }`,
    `import gzip from ${JSON.stringify(paths.gzip)} with { type: 'file' }`,
    'export const scalar = () => ({ br, gzip })',
  ].join('\n')
