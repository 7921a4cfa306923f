// The notices in the executable: gathered when it is built, and embedded compressed.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import type { BunPlugin } from 'bun'
import { gatherNotices } from './notices.ts'

/** One of 11 takes a second, and makes 6 KB less. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }
const NOTICES_MODULE = /[\\/]src[\\/]app[\\/]commands[\\/]notices\.ts$/

/**
 * The plugin for `Bun.build` that puts the gathered notices in the place of `app/commands/notices.ts`: 1.1 MB, compressed 59 KB.
 * @param folder where they are written, and must be until the build is done
 */
export async function embedNotices(folder: string): Promise<BunPlugin> {
  // An ending that no loader of the bundler claims.
  const path = join(folder, 'third-party.notices')
  writeFileSync(path, brotliCompressSync(JSON.stringify(gatherNotices()), BROTLI))
  return {
    name: 'notices',
    setup(build) {
      build.onLoad({ filter: NOTICES_MODULE }, () => ({ contents: moduleOf(path), loader: 'js' }))
    },
  }
}

const moduleOf = (path: string): string =>
  [
    `import { brotliDecompressSync } from 'node:zlib'`,
    `import packed from ${JSON.stringify(path)} with { type: 'file' }`,
    'export const readNotices = async () => JSON.parse(brotliDecompressSync(await Bun.file(packed).bytes()))',
  ].join('\n')
