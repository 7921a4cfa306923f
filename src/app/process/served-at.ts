// Where a data folder is served, told by `serve` to the commands that print links.
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createForOwner } from '../../store/folder.ts'

const pathIn = (dir: string): string => join(dir, 'serve.address')

/** Tells where a folder is served. `--listen` and a port that the system chose are in no other file. @returns takes it back */
export function tellAddress(dir: string, url: string): () => void {
  const path = pathIn(dir)
  quietly(() => {
    createForOwner(path)
    writeFileSync(path, `${url}\n`)
  })
  return () => quietly(() => rmSync(path, { force: true }))
}

/** The URL of the gateway that serves a folder; undefined if none has told it. */
export function servedAt(dir: string): string | undefined {
  try {
    return new URL(readFileSync(pathIn(dir), 'utf8').trim()).origin
  } catch {
    // No gateway runs, or it could not tell: the catalogue's address is taken.
    return undefined
  }
}

function quietly(write: () => void): void {
  try {
    write()
  } catch {
    // A full or read-only disk. Nobody is kept from serving by it: links then name the catalogue's address.
  }
}
