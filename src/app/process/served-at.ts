// The address file of a data folder: `serve` writes its URL for commands that print links.
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createForOwner } from '../../store/folder.ts'

const pathIn = (dir: string): string => join(dir, 'serve.address')

/** Writes the gateway's URL. `--listen` and a port chosen by the system are in no other file. @returns removes the file */
export function writeAddressFile(dir: string, url: string): () => void {
  const path = pathIn(dir)
  quietly(() => {
    createForOwner(path)
    writeFileSync(path, `${url}\n`)
  })
  return () => quietly(() => rmSync(path, { force: true }))
}

/** Returns the URL of the gateway that serves a folder; undefined if there is no address file. */
export function servedAt(dir: string): string | undefined {
  try {
    return new URL(readFileSync(pathIn(dir), 'utf8').trim()).origin
  } catch {
    // Dropped: no gateway runs, or it could not write the file. The catalogue's address is used.
    return undefined
  }
}

function quietly(write: () => void): void {
  try {
    write()
  } catch {
    // Dropped: a full or read-only disk. The gateway serves even so; links then have the catalogue's address.
  }
}
