// A tar archive in memory that a second build makes the same: sorted names, owned by root, one time.
import { dirname } from 'node:path'
import { PassThrough } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pack as createPack } from 'tar-stream'

export interface TarFile {
  /** Such as `usr/bin/tollgate`. Its folders are added before it. */
  readonly path: string
  readonly content: Uint8Array | string
  readonly mode?: number
}

const FILE_MODE = 0o644
const FOLDER_MODE = 0o755
const OWNER = { uid: 0, gid: 0, uname: 'root', gname: 'root' }

/** The folders of files, the outermost first. */
export function foldersOf(files: readonly TarFile[]): string[] {
  const folders = new Set<string>()
  for (const { path } of files)
    for (let each = dirname(path); each !== '.'; each = dirname(each)) folders.add(each)
  return [...folders].sort()
}

/** @param prefix of each name, such as `./`, which then has an entry, too @param mtime of every entry */
export async function tarOf(files: readonly TarFile[], prefix: './' | '', mtime: Date): Promise<Buffer> {
  const tar = createPack()
  const bytes = buffer(tar.pipe(new PassThrough()))
  const folders = prefix === '' ? foldersOf(files) : ['', ...foldersOf(files)]
  for (const folder of folders)
    tar.entry({
      ...OWNER,
      name: folder === '' ? prefix : `${prefix}${folder}/`,
      type: 'directory',
      mode: FOLDER_MODE,
      mtime,
    })
  for (const { path, content, mode = FILE_MODE } of files.toSorted((a, b) => (a.path < b.path ? -1 : 1)))
    tar.entry({ ...OWNER, name: `${prefix}${path}`, mode, mtime }, Buffer.from(content))
  tar.finalize()
  return await bytes
}
