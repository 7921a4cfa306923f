// A folder as a place for archives.
import { statSync } from 'node:fs'
import { mkdir, readdir, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { conflict, notFound, unprocessable } from '../../../src/domain/errors.ts'
import { flush } from '../../../src/store/engines/sqlite/copy.ts'
import { requireWritable } from '../../../src/store/engines/sqlite/new-file.ts'
import { giveFoldersToOwner } from '../../../src/store/folder.ts'
import { writeArchive } from '../../../src/store/new-archive.ts'
import { UNFINISHED } from '../../../src/store/work-folder.ts'
import { readArchiveName } from '../archive/names.ts'
import { type Archive, archivesAmong, type Place } from './place.ts'

/** @param data_folder the base of a relative folder */
export function folderPlace(folder: string, data_folder: string): Place {
  const path = resolve(data_folder, folder)
  return {
    where: path,
    async check() {
      refuseFile(path)
      const made = await mkdir(path, { recursive: true, mode: 0o700 })
      if (made !== undefined) giveFoldersToOwner(made, path)
      requireWritable(path)
      await removeAbandoned(path)
    },
    put: (name, content, expected_bytes, goesWith) =>
      writeArchive(join(path, name), content, { expected_bytes, goesWith }),
    open: async (name) => openArchive(join(path, name)),
    size: async (name) => statSync(join(path, name)).size,
    list: () => archivesIn(path),
    async remove(name) {
      await rm(join(path, name))
      flush(path)
    },
  }
}

/** An unfinished archive of this age was left by a killed program, here or on another machine. A younger one may still be written. */
const ABANDONED_MS = 24 * 3_600_000

async function removeAbandoned(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter(isUnfinishedArchive)
  for (const name of names) {
    const found = statSync(join(folder, name), { throwIfNoEntry: false })
    if (found && found.mtimeMs < Date.now() - ABANDONED_MS) await rm(join(folder, name), { force: true })
  }
}

/** Unfinished archives have a random suffix, except those of earlier versions. */
const isUnfinishedArchive = (name: string): boolean =>
  name.endsWith(UNFINISHED) &&
  readArchiveName(name.slice(0, -UNFINISHED.length).replace(/\.[0-9a-f]{8}$/, '')) !== undefined

async function archivesIn(path: string): Promise<Archive[]> {
  const names = await readdir(path).catch((failure: NodeJS.ErrnoException) => {
    if (failure.code === 'ENOENT') return []
    throw failure
  })
  return archivesAmong(
    names.flatMap((name) => {
      const found = readArchiveName(name) && statSync(join(path, name), { throwIfNoEntry: false })
      return found?.isFile() ? [{ name, bytes: found.size }] : []
    }),
  )
}

function refuseFile(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isFile())
    throw conflict(
      `${folder} is a file, but must be a folder for backups: move it away, or set another folder in [backup].`,
    )
}

/** @throws GatewayError not_found; unprocessable for a folder */
export function openArchive(path: string): AsyncIterable<Uint8Array> {
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found) throw notFound(`File not found: ${path}.`)
  if (found.isDirectory())
    throw unprocessable(`${path} is a folder: name the file that \`tollgate backup\` wrote.`)
  if (found.isCharacterDevice())
    throw unprocessable(`${path} is a device: name the file that \`tollgate backup\` wrote.`)
  return Bun.file(path).stream()
}
