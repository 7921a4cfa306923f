// The installation of clients into the cache: a virtual environment, an npm folder or a Go module each, once for each set of versions.
import { cp, mkdir, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Installation } from './client.ts'
import { runProgram } from './process.ts'

/** Installers keep the user's home, which configures their registries and certificates. */
const env = { HOME: homedir() }
const OPTIONS = { timeout_ms: 900_000, low_priority: true, env }
const MARK = 'installed.json'

/**
 * Installs missing packages.
 *
 * @param cache the folder of all installations
 * @returns the folder of this installation
 * @throws Error with the installer's output
 */
export async function install(installation: Installation, cache: string): Promise<string> {
  const folder = join(cache, installation.folder)
  const mark = Bun.file(join(folder, MARK))
  const wanted = JSON.stringify(installation)
  if (installation.by !== 'go' && (await mark.exists()) && (await mark.text()) === wanted) return folder
  await mkdir(folder, { recursive: true })
  await INSTALLERS[installation.by](installation, folder)
  await Bun.write(mark, wanted)
  return folder
}

type Installer = (installation: Installation, folder: string) => Promise<void>

const INSTALLERS: Readonly<Record<Installation['by'], Installer>> = {
  async pip({ packages }, folder) {
    const options = { ...OPTIONS, cwd: folder }
    await rm(join(folder, 'venv'), { recursive: true, force: true })
    await runProgram(['python3', '-m', 'venv', 'venv'], options)
    const pip = [pythonOf(folder), '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check']
    await runProgram([...pip, '--cache-dir', join(folder, '../pip'), ...packages], options)
  },
  async npm({ packages }, folder) {
    await Bun.write(join(folder, 'package.json'), '{ "private": true }')
    const npm = ['npm', 'install', '--no-audit', '--no-fund', '--cache', join(folder, '../npm')]
    await runProgram([...npm, ...packages], { ...OPTIONS, cwd: folder })
  },
  /** The program is compiled each time: Go's own cache knows whether anything changed. */
  async go({ packages, folder: name }, folder) {
    const options = {
      ...OPTIONS,
      cwd: folder,
      env: {
        ...env,
        GOPATH: join(folder, '../gopath'),
        GOCACHE: join(folder, '../gocache'),
        GOFLAGS: '-mod=mod',
      },
    }
    const sources = join(import.meta.dir, 'go')
    await cp(join(sources, `${name}.go.txt`), join(folder, 'main.go'))
    await cp(join(sources, 'checks.go.txt'), join(folder, 'checks.go'))
    if (!(await Bun.file(join(folder, 'go.mod')).exists()))
      await runProgram(['go', 'mod', 'init', 'client'], options)
    await runProgram(['go', 'get', ...packages], options)
    await runProgram(['go', 'build', '-o', 'client', '.'], options)
  },
}

/** The interpreter of a virtual environment. */
export const pythonOf = (folder: string): string => join(folder, 'venv/bin/python')
/** A command of an npm folder. */
export const npmCommandOf = (folder: string, name: string): string => join(folder, 'node_modules/.bin', name)
