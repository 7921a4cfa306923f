// Embedding of compressed files in the executable: the console's pages, the reference's file, and the notices, each in place of a module.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, brotliCompressSync, constants, gzip } from 'node:zlib'
import type { BunPlugin } from 'bun'
import { type BundledFile, type BundleOptions, bundlePages, CODINGS } from '../../plugins/console/bundle.ts'
import { scalarFile } from '../../plugins/docs/scalar.ts'
import { gatherNotices } from './notices/notices.ts'

/** Creates a plugin for `Bun.build` that replaces the module at a path with lines of source. */
export const replacing = (path: string, lines: readonly string[]): BunPlugin => ({
  name: path,
  setup(build) {
    const filter = new RegExp(`[\\\\/]${path.replaceAll('/', '[\\\\/]').replace('.', '\\.')}$`)
    build.onLoad({ filter }, () => ({ contents: lines.join('\n'), loader: 'js' }))
  },
})

/** The source of a file import. The file's extension must not belong to any loader of the bundler. */
const importOf = (name: string, path: string): string =>
  `import ${name} from ${JSON.stringify(path)} with { type: 'file' }`

/**
 * Embeds compressed copies of Scalar's file.
 * @param brotli_quality from 0 to 11
 * @param folder the folder for the copies, which must exist until the end of the build
 */
export async function embedReference(brotli_quality: number, folder: string): Promise<BunPlugin> {
  const file = readFileSync(scalarFile())
  const params = { params: { [constants.BROTLI_PARAM_QUALITY]: brotli_quality } }
  const [br, gz] = await Promise.all([promisify(brotliCompress)(file, params), promisify(gzip)(file)])
  const paths = { br: join(folder, 'scalar.br.reference'), gzip: join(folder, 'scalar.gzip.reference') }
  writeFileSync(paths.br, br)
  writeFileSync(paths.gzip, gz)
  return replacing('plugins/docs/scalar.ts', [
    importOf('br', paths.br),
    importOf('gzip', paths.gzip),
    'export const scalar = () => ({ br, gzip })',
  ])
}

/** Quality 11 takes a second, and saves 6 KB. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }

/**
 * Embeds the gathered notices: 1.1 MB, compressed 59 KB.
 * @param folder as in `embedReference`
 * @param root the folder with the packages of the executable's platform
 */
export async function embedNotices(folder: string, root: string): Promise<BunPlugin> {
  const path = join(folder, 'third-party.notices')
  writeFileSync(path, brotliCompressSync(JSON.stringify(gatherNotices(root)), BROTLI))
  return replacing('src/app/commands/notices.ts', [
    `import { brotliDecompressSync } from 'node:zlib'`,
    importOf('packed', path),
    'export const readNotices = async () => JSON.parse(brotliDecompressSync(await Bun.file(packed).bytes()))',
  ])
}

/**
 * Embeds the console's pages with their compressed copies. They are bundled here since a build within another build's `onLoad` never ends
 * (https://github.com/oven-sh/bun/issues/35060).
 * @param options for the pages: the best compression takes three seconds more than a quick one
 * @param folder as in `embedReference`
 */
export async function embedConsole(options: BundleOptions, folder: string): Promise<BunPlugin> {
  return replacing('plugins/console/assets.ts', linesOfPages(await bundlePages(options), folder))
}

/** Returns the source of a module that reads no file before it is asked for one. */
function linesOfPages(files: readonly BundledFile[], folder: string): string[] {
  const pages_folder = join(folder, 'console')
  mkdirSync(pages_folder)
  const imports: string[] = []
  const entries = files.map(({ name, type, hash, bytes }, at) => {
    const copies = CODINGS.map((coding) => {
      const path = join(pages_folder, `${at}-${coding}.console`)
      writeFileSync(path, bytes[coding])
      imports.push(importOf(`${coding}_${at}`, path))
      return `${coding}: Bun.file(${coding}_${at})`
    })
    const about = `type: ${JSON.stringify(type)}, hash: ${JSON.stringify(hash)}`
    return `  [${JSON.stringify(name)}, { ${about}, copies: { ${copies.join(', ')} } }],`
  })
  return [
    ...imports,
    'let files',
    'const load = () => new Map([',
    ...entries,
    '])',
    'export const pageFiles = async () => (files ??= load())',
  ]
}
