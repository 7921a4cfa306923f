// All notices of the executable, gathered from the installed packages.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { bunNotices, libvipsFolders, libvipsNotices } from './native.ts'
import { type Notice, type Notices, packageNotices } from './packages.ts'

const ROOT = join(import.meta.dir, '../../..')
const TEXTS = join(import.meta.dir, 'texts')

/** Packages that are bundled in the API reference's file, but not installed with it. */
const ONLY_BUNDLED: readonly Notice[] = [
  {
    name: 'unist-util-find-after',
    version: null,
    license: 'MIT',
    text: null,
    remark: 'It comes inside the file of @scalar/api-reference, without a text; it is by Titus Wormer.',
  },
]

/**
 * @param root the folder with the packages of the executable's platform
 * @throws Error for a package that is not installed
 */
export function gatherNotices(root = ROOT): Notices {
  const texts = readdirSync(TEXTS)
    .sort()
    .map((file) => [file.replace(/\.txt$/, ''), readFileSync(join(TEXTS, file), 'utf8').trim()] as const)
  return {
    notices: [
      ...bunNotices(Bun.version),
      ...libvipsFolders(root).flatMap(libvipsNotices),
      ...packageNotices(root),
      ...ONLY_BUNDLED,
    ],
    texts: Object.fromEntries(texts),
  }
}
