// A folder as the place of archives: written beside under another name, synced, and only then named.
import { existsSync, statSync } from 'node:fs'
import { access, constants, mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { flush } from '../db/copy.ts'
import { createForOwner, giveFoldersToOwner } from '../db/folder.ts'
import { conflict, notFound, unprocessable } from '../domain/errors.ts'
import { type Archive, archivesAmong } from './archives.ts'
import { readArchiveName } from './names.ts'
import type { Place } from './places.ts'

const UNFINISHED = '.unfinished'

/** @param data_folder in which a relative folder is */
export function folderPlace(folder: string, data_folder: string): Place {
  const path = resolve(data_folder, folder)
  return {
    id: path,
    where: path,
    async check() {
      const made = await mkdir(path, { recursive: true, mode: 0o700 })
      if (made !== undefined) giveFoldersToOwner(made, path)
      await requireWritable(path)
      await removeAbandoned(path)
    },
    put: (name, content) => writeArchive(join(path, name), content),
    open: async (name) => openArchive(join(path, name)),
    list: () => archivesIn(path),
    async remove(name) {
      await rm(join(path, name))
      flush(path)
    },
  }
}

/** What was killed while it was written; another program may still be writing what is younger. */
const ABANDONED_MS = 24 * 3_600_000

async function removeAbandoned(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter(
    (name) => name.endsWith(UNFINISHED) && readArchiveName(name.slice(0, -UNFINISHED.length)) !== undefined,
  )
  for (const name of names) {
    const found = statSync(join(folder, name), { throwIfNoEntry: false })
    if (found && found.mtimeMs < Date.now() - ABANDONED_MS) await rm(join(folder, name), { force: true })
  }
}

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

async function requireWritable(folder: string): Promise<void> {
  try {
    await access(folder, constants.W_OK)
  } catch (cause) {
    throw new Error(`${folder} cannot be written by this user: name another folder for the backup.`, {
      cause,
    })
  }
}

/** @throws GatewayError not_found, conflict; Error: what stands in the way of a new file there */
export async function refuseTarget(path: string): Promise<void> {
  const folder = dirname(resolve(path))
  if (!existsSync(folder))
    throw notFound(`There is no folder ${dirname(path)}: create it first, or name another.`)
  await requireWritable(dirname(path))
  if (!existsSync(path)) return
  throw conflict(
    statSync(path).isDirectory()
      ? `${path} is a folder: name a file in it, such as ${join(path, 'tollgate.tar.zst')}.`
      : `There is already a file ${path}: name another one.`,
  )
}

/** Writes a new file for its owner alone; it has its name once it is whole and synced. @returns its bytes */
export async function writeArchive(path: string, content: AsyncIterable<Uint8Array>): Promise<number> {
  await refuseTarget(path)
  const unfinished = path + UNFINISHED
  await rm(unfinished, { force: true })
  let bytes = 0
  try {
    createForOwner(unfinished)
    const handle = await open(unfinished, 'r+')
    try {
      for await (const block of content) {
        await handle.writeFile(block)
        bytes += block.byteLength
      }
      await handle.sync()
    } finally {
      await handle.close()
    }
    await refuseTarget(path)
    await rename(unfinished, path)
    flush(dirname(path))
    return bytes
  } finally {
    await rm(unfinished, { force: true })
  }
}

/** @throws GatewayError not_found; unprocessable for a folder */
export function openArchive(path: string): AsyncIterable<Uint8Array> {
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found) throw notFound(`There is no file ${path}.`)
  if (found.isDirectory())
    throw unprocessable(`${path} is a folder: name the file that \`tollgate backup\` wrote.`)
  return Bun.file(path).stream()
}
