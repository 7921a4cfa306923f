// New files: checked beforehand for obstacles, and named without replacing a file that appeared in between.
import { accessSync, constants, existsSync, linkSync, lstatSync, renameSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { conflict, notFound } from '../../../domain/errors.ts'

/**
 * @param example a suggested file name, if the path is a folder
 * @throws GatewayError not_found, conflict; Error: the obstacle to a new file there
 */
export function refuseTarget(path: string, example: string): void {
  const folder = dirname(path)
  if (!existsSync(resolve(folder)))
    throw notFound(`Folder not found: ${folder}. Create it first, or name another.`)
  requireWritable(folder)
  if (isThere(path)) throw nameTaken(path, example)
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

/** Gives a complete file its name, unless another file took it since `refuseTarget`. @throws GatewayError conflict */
export function nameNew(unfinished: string, path: string, example: string): void {
  if (!nameUnlessTaken(unfinished, path)) throw nameTaken(path, example)
}

/**
 * Gives a complete file its name unless something has it. Its earlier name may remain: remove it.
 *
 * @returns false if something has it
 */
export function nameUnlessTaken(unfinished: string, path: string): boolean {
  try {
    // Unlike a rename, a link never replaces an existing file.
    linkSync(unfinished, path)
  } catch {
    // The error is dropped: either the name is taken, which is checked here, or the file system has no hard links.
    if (isThere(path)) return false
    renameSync(unfinished, path)
  }
  return true
}

/** Whether something exists at a path, including a broken link. */
const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined

const nameTaken = (path: string, example: string) =>
  conflict(
    statSync(path, { throwIfNoEntry: false })?.isDirectory()
      ? `${path} is a folder: name a file in it, such as ${join(path, example)}.`
      : `File ${path} already exists: name another one.`,
  )
