// A machine for the installer: an empty home folder and a PATH with few programs, some of which may be scripts of the test.
import { chmodSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporary } from '../support/temporary.ts'

export interface Machine {
  shell?: readonly string[]
  /** Programs in its PATH, each by its path. */
  programs?: Readonly<Record<string, string>>
  /** Programs in its PATH, each by the lines of a shell script. */
  scripts?: Readonly<Record<string, string>>
  env?: (home: string, bin: string) => Readonly<Record<string, string | undefined>>
  /** Puts something into the home folder first. */
  prepare?: (home: string) => void
}

/** The programs that the installer calls, except those for downloads and checksums. */
export const BASICS = ['cp', 'chmod', 'gzip', 'grep', 'mkdir', 'mktemp', 'mv', 'rm', 'rmdir', 'tail', 'tar']

/** The programs of this machine by their names. */
export const ownPrograms = (...names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, Bun.which(name) ?? `/no-${name}-on-this-machine`]))

const SCRIPTS = {
  uname: 'if [ "$1" = -s ]; then echo "$SYSTEM"; else echo "$MACHINE"; fi',
  ldd: 'echo "ldd (Debian GLIBC 2.36-9) 2.36"',
}

interface Outcome extends Disposable {
  out: string
  errors: string
  status: number
  home: string
  /** The content of the home folder, and of the folder of temporary files. */
  left: readonly string[]
}

/** Runs a script as `curl … | sh` does: the shell reads it from a pipe. */
export async function runOn(machine: Machine, script: string): Promise<Outcome> {
  const folder = temporary()
  const make = (name: string) => {
    mkdirSync(folder.at(name))
    return folder.at(name)
  }
  const [home, bin, work] = [make('home'), make('bin'), make('work')]
  for (const path of [folder.path, home, work]) chmodSync(path, 0o777)
  for (const [name, path] of Object.entries(machine.programs ?? {})) symlinkSync(path, join(bin, name))
  for (const [name, lines] of Object.entries({ ...SCRIPTS, ...machine.scripts }))
    writeFileSync(join(bin, name), `#!/bin/sh\n${lines}\n`, { mode: 0o755 })
  machine.prepare?.(home)
  const child = Bun.spawn([...(machine.shell ?? ['/bin/sh'])], {
    stdin: new Blob([script]),
    stdout: 'pipe',
    stderr: 'pipe',
    cwd: home,
    env: {
      HOME: home,
      PATH: bin,
      TMPDIR: work,
      SYSTEM: 'Linux',
      MACHINE: 'x86_64',
      ...machine.env?.(home, bin),
    },
  })
  const [out, errors, status] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  const left = [home, work].flatMap((path) => readdirSync(path, { recursive: true }).map(String))
  return { out, errors, status, home, left: left.sort(), [Symbol.dispose]: () => folder[Symbol.dispose]() }
}
