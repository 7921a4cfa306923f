// A folder as the place of archives: written beside under another name, synced, and only then named.
import { rmSync, statSync } from 'node:fs'
import { mkdir, open, readdir, rm } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { conflict, notFound, unprocessable } from '../../../src/domain/errors.ts'
import { namingFullDisk } from '../../../src/store/disk-room.ts'
import { flush } from '../../../src/store/engines/sqlite/copy.ts'
import { nameNew, refuseTarget as refuseNew, requireWritable } from '../../../src/store/engines/sqlite/new-file.ts'
import { createForOwner, giveFoldersToOwner } from '../../../src/store/folder.ts'
import { type GoesWith, UNFINISHED, unfinishedName } from '../../../src/store/work-folder.ts'
import { atEnd } from '../../../src/utilities/at-end.ts'
import { type Archive, archivesAmong, type Place } from './place.ts'
import { readArchiveName } from '../archive/names.ts'

/** @param data_folder in which a relative folder is */
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

/** What was killed while it was written, by other machines, too; another program may still be writing what is younger. */
const ABANDONED_MS = 24 * 3_600_000

async function removeAbandoned(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter(isUnfinishedArchive)
  for (const name of names) {
    const found = statSync(join(folder, name), { throwIfNoEntry: false })
    if (found && found.mtimeMs < Date.now() - ABANDONED_MS) await rm(join(folder, name), { force: true })
  }
}

/** Those of earlier versions have no number of their own. */
const isUnfinishedArchive = (name: string): boolean =>
  name.endsWith(UNFINISHED) &&
  readArchiveName(name.slice(0, -UNFINISHED.length).replace(/\.[0-9a-f]{8}$/, '')) !== undefined

async function archivesIn(path: string): Promise<Archive[]> {
  const names = await readdir(path).catch((failure: NodeJS.ErrnoException) => {
    if (failure.code === 'ENOENT') return []
    throw failure
  })
  const archives = names.filter((name) => readArchiveName(name) !== undefined)
  const files = archives.map((name) => ({
    name,
    found: statSync(join(path, name), { throwIfNoEntry: false }),
  }))
  return archivesAmong(
    files.flatMap(({ name, found }) => (found?.isFile() ? [{ name, bytes: found.size }] : [])),
  )
}

function refuseFile(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isFile())
    throw conflict(
      `${folder} is a file, but must be a folder for backups: move it away, or set another folder in [backup].`,
    )
}

/** @throws GatewayError not_found, conflict; Error: what stands in the way of a new archive there */
export const refuseTarget = (path: string): void => refuseNew(path, EXAMPLE)

const EXAMPLE = 'tollgate.tar.zst'

export interface ArchiveOptions {
  /** About as much as will come. */
  expected_bytes?: number | undefined
  /** Told the file in which it is written. */
  goesWith?: GoesWith | undefined
}

/** Writes a new file for its owner alone; it has its name once it is whole and synced. @returns its bytes */
export async function writeArchive(
  path: string,
  content: AsyncIterable<Uint8Array>,
  { expected_bytes, goesWith }: ArchiveOptions = {},
): Promise<number> {
  refuseTarget(path)
  const unfinished = unfinishedName(path)
  goesWith?.(unfinished)
  using _removing = atEnd(() => rmSync(unfinished, { force: true }))
  let bytes = 0
  try {
    createForOwner(unfinished)
    {
      await using handle = await open(unfinished, 'r+')
      for await (const block of content) {
        await handle.writeFile(block)
        bytes += block.byteLength
      }
      await handle.sync()
    }
    nameNew(unfinished, path, EXAMPLE)
    flush(dirname(path))
    return bytes
  } catch (failure) {
    throw namingFullDisk(failure, dirname(path), expected_bytes)
  }
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
