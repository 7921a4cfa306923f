// The file of the reference's page in the executable: embedded as compressed copies.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { BunPlugin } from 'bun'
import { scalarFile } from '../../plugins/docs/scalar.ts'

const SCALAR_MODULE = /[\\/]plugins[\\/]docs[\\/]scalar\.ts$/

/**
 * The plugin for `Bun.build` that puts compressed copies of Scalar's file in the place of `plugins/docs/scalar.ts`.
 * @param brotli_quality of 0 to 11
 * @param folder where they are written, and must be until the build is done
 */
export async function embedReference(brotli_quality: number, folder: string): Promise<BunPlugin> {
  const file = readFileSync(scalarFile())
  const params = { params: { [constants.BROTLI_PARAM_QUALITY]: brotli_quality } }
  const [br, gz] = await Promise.all([promisify(brotliCompress)(file, params), promisify(gzip)(file)])
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
