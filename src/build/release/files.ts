// The files of a release: their locations, and the inputs of every form.
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Notices } from '../notices/packages.ts'
import type { Platform } from './platforms.ts'

export const ROOT = join(import.meta.dir, '../../..')

export interface Release {
  readonly version: string
  /** The folder of the release. Paths in `checksums.txt` are relative to it. */
  readonly folder: string
  /** The platforms of its executables. */
  readonly platforms: readonly Platform[]
  /** Returns the path of a built platform's executable, whose bytes every form contains. */
  readonly executable: (platform: Platform) => string
  /** The commit's time, used for every file in an archive, so that a second build produces the same bytes. */
  readonly source_date: Date
}

/** A release for forms that include third-party notices. */
export interface NoticedRelease extends Release {
  /** Returns the notices of everything in a built platform's executable. */
  readonly notices: (platform: Platform) => Notices
}

/** Writes one form of a release. @returns the paths of the files that it wrote */
export type Form = (release: Release) => Promise<readonly string[]>

export const executableIn = (folder: string, { name }: Platform): string =>
  join(folder, 'bin', name, 'tollgate')

/** The top-level entries of a release, and of an interrupted build. */
const OF_A_RELEASE = /^(bin|npm|install\.sh|checksums\.txt(\.minisig)?|tollgate[-_].+|image-.+|\.build)$/

/**
 * Creates the folder of a release, or removes the release in it.
 * @throws Error for a folder with anything else in it
 */
export function clearFolder(folder: string): void {
  mkdirSync(folder, { recursive: true })
  const names = readdirSync(folder)
  const other = names.find((name) => !OF_A_RELEASE.test(name))
  if (other !== undefined)
    throw new Error(`${folder}: has ${other}, which is not of a release; name another folder by --folder`)
  for (const name of names) rmSync(join(folder, name), { recursive: true })
}

/**
 * Returns the time of the commit, or SOURCE_DATE_EPOCH in seconds (https://reproducible-builds.org/specs/source-date-epoch/).
 * @throws Error if there is neither
 */
export function sourceDate(environment: Readonly<Record<string, string | undefined>>): Date {
  const date = new Date(Number(environment.SOURCE_DATE_EPOCH || timeOfCommit()) * 1000)
  if (Number.isNaN(date.getTime()))
    throw new Error(
      'SOURCE_DATE_EPOCH: must be a number of seconds, such as 1764547200; outside of a Git checkout a release needs it',
    )
  return date
}

function timeOfCommit(): number {
  const { success, stdout } = Bun.spawnSync(['git', 'log', '-1', '--format=%ct'], {
    cwd: ROOT,
    stderr: 'ignore',
  })
  return success ? Number(stdout.toString()) : Number.NaN
}
