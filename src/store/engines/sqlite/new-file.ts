// New files: refused beforehand where something stands in the way, and named without replacing what came meanwhile.
import { accessSync, constants, existsSync, linkSync, lstatSync, renameSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { conflict, notFound } from '../../../domain/errors.ts'

/**
 * @param example what the file could be called in a folder that is named in its place
 * @throws GatewayError not_found, conflict; Error: what stands in the way of a new file there
 */
export function refuseTarget(path: string, example: string): void {
  const folder = dirname(path)
  if (!existsSync(resolve(folder)))
    throw notFound(`Folder not found: ${folder}. Create it first, or name another.`)
  requireWritable(folder)
  if (isThere(path)) throw taken(path, example)
}

/** @throws Error if this user cannot write there */
export function requireWritable(folder: string): void {
  try {
    accessSync(folder, constants.W_OK)
  } catch (cause) {
    throw new Error(`${folder} cannot be written by this user: name another folder for the backup.`, {
      cause,
    })
  }
}

/** Gives a whole file its name, which nobody else may have taken since `refuseTarget`. @throws GatewayError conflict */
export function nameNew(unfinished: string, path: string, example: string): void {
  if (!nameUnlessTaken(unfinished, path)) throw taken(path, example)
}

/**
 * Gives a whole file its name unless something has it. The name that it had until then may stay: remove it.
 *
 * @returns false if something has it
 */
export function nameUnlessTaken(unfinished: string, path: string): boolean {
  try {
    // Unlike a rename, it never replaces what is there.
    linkSync(unfinished, path)
  } catch {
    // Dropped: either the name is taken, which is told here, or the file system has no hard links.
    if (isThere(path)) return false
    renameSync(unfinished, path)
  }
  return true
}

/** A link that leads nowhere, too. */
const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined

const taken = (path: string, example: string) =>
  conflict(
    statSync(path, { throwIfNoEntry: false })?.isDirectory()
      ? `${path} is a folder: name a file in it, such as ${join(path, example)}.`
      : `File ${path} already exists: name another one.`,
  )
