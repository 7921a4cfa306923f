// The file of the reference's page in the executable: embedded as compressed copies.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { BunPlugin } from 'bun'
import { scalarFile } from '../../plugins/docs/scalar.ts'

const SCALAR_MODULE = /[\\/]plugins[\\/]docs[\\/]scalar\.ts$/

/** Of 4.3 MB, a quality of 11 makes 0.93 MB in 36 s, this one 0.98 in 2. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }

/**
 * The plugin for `Bun.build` that puts compressed copies of Scalar's file in the place of `plugins/docs/scalar.ts`.
 *
 * @param folder where they are written, and must be until the build is done
 */
export async function embedReference(folder: string): Promise<BunPlugin> {
  const file = readFileSync(scalarFile())
  const [br, gz] = await Promise.all([promisify(brotliCompress)(file, BROTLI), promisify(gzip)(file)])
  // Endings that no loader of the bundler claims.
  const paths = { br: join(folder, 'scalar.br.reference'), gzip: join(folder, 'scalar.gzip.reference') }
  writeFileSync(paths.br, br)
  writeFileSync(paths.gzip, gz)
  return {
    name: 'reference',
    setup(build) {
      build.onLoad({ filter: SCALAR_MODULE }, () => ({ contents: moduleOf(paths), loader: 'js' }))
    },
  }
}

const moduleOf = (paths: { br: string; gzip: string }): string =>
  [
    `import br from ${JSON.stringify(paths.br)} with { type: 'file' }`,
    `import gzip from ${JSON.stringify(paths.gzip)} with { type: 'file' }`,
    'export const scalar = () => ({ br, gzip })',
  ].join('\n')
