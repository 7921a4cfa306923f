// A reproducible tar archive, in memory or in a file: sorted names, owned by root, one timestamp.
import { createReadStream, createWriteStream, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { PassThrough, type Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { pack as createPack, type Pack } from 'tar-stream'

export interface TarFile {
  /** For example `usr/bin/tollgate`. Its folders are added before it. */
  readonly path: string
  readonly content: Uint8Array | string
  readonly mode?: number
}

/** A file that is streamed into the archive, since it may be larger than a build should hold in memory. */
interface CopiedFile extends Omit<TarFile, 'content'> {
  readonly source: string
}

type Entry = TarFile | CopiedFile

const FILE_MODE = 0o644
const FOLDER_MODE = 0o755
const OWNER = { uid: 0, gid: 0, uname: 'root', gname: 'root' }

/** Returns the folders of files, the outermost first. */
export function foldersOf(files: readonly Pick<TarFile, 'path'>[]): string[] {
  const folders = new Set<string>()
  for (const { path } of files)
    for (let each = dirname(path); each !== '.'; each = dirname(each)) folders.add(each)
  return [...folders].sort()
}

/** Creates the archive in memory. @param prefix of each name; `./` also gets an entry @param mtime of every entry */
export const tarOf = (files: readonly TarFile[], prefix: './' | '', mtime: Date): Promise<Buffer> =>
  buffer(streamOf(files, prefix, mtime))

/** Writes the archive to a file. @param mtime as in `tarOf` @throws the file system's error */
export const writeTar = (path: string, files: readonly Entry[], mtime: Date): Promise<void> =>
  pipeline(streamOf(files, '', mtime), createWriteStream(path))

function streamOf(files: readonly Entry[], prefix: './' | '', mtime: Date): Readable {
  const tar = createPack()
  const out = tar.pipe(new PassThrough())
  fill(tar, files, prefix, mtime).catch((failure: Error) => out.destroy(failure))
  return out
}

async function fill(tar: Pack, files: readonly Entry[], prefix: './' | '', mtime: Date): Promise<void> {
  const folders = prefix === '' ? foldersOf(files) : ['', ...foldersOf(files)]
  for (const folder of folders)
    tar.entry({
      ...OWNER,
      name: folder === '' ? prefix : `${prefix}${folder}/`,
      type: 'directory',
      mode: FOLDER_MODE,
      mtime,
    })
  for (const file of files.toSorted((a, b) => (a.path < b.path ? -1 : 1))) {
    const header = { ...OWNER, name: `${prefix}${file.path}`, mode: file.mode ?? FILE_MODE, mtime }
    if ('content' in file) tar.entry(header, Buffer.from(file.content))
    else {
      const { size } = statSync(file.source)
      await pipeline(createReadStream(file.source), tar.entry({ ...header, size }))
    }
  }
  tar.finalize()
}
