// The console's pages in the executable: bundled before it is built, and embedded as files with their compressed copies.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BunPlugin } from 'bun'
import { type BundledFile, type BundleOptions, bundlePages, CODINGS } from '../../plugins/console/bundle.ts'

const ASSETS_MODULE = /[\\/]plugins[\\/]console[\\/]assets\.ts$/

/**
 * The plugin for `Bun.build` that puts the finished files in the place of `plugins/console/assets.ts`. Bundled here, since a
 * build within another one's `onLoad` never ends (https://github.com/oven-sh/bun/issues/35060).
 * @param options for the pages: the best compression takes three seconds more than a quick one
 * @param folder where the files are written, and must be until the build is done
 */
export async function embedConsole(options: BundleOptions, folder: string): Promise<BunPlugin> {
  const files = await bundlePages(options)
  const contents = moduleOf(files, folder)
  return {
    name: 'console',
    setup(build) {
      build.onLoad({ filter: ASSETS_MODULE }, () => ({ contents, loader: 'js' }))
    },
  }
}

/** The source of a module with the same exports. It reads nothing before it is asked for files. */
function moduleOf(files: readonly BundledFile[], folder: string): string {
  const pages_folder = join(folder, 'console')
  mkdirSync(pages_folder)
  const imports: string[] = []
  const entries = files.map(({ name, type, hash, bytes }, at) => {
    const copies = CODINGS.map((coding) => {
      // An ending that no loader of the bundler claims.
      const path = join(pages_folder, `${at}-${coding}.console`)
      writeFileSync(path, bytes[coding])
      imports.push(`import ${coding}_${at} from ${JSON.stringify(path)} with { type: 'file' }`)
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
  ].join('\n')
}
