// The whole suite, as `bun run test` runs it: linter, types and the programs that tests start, side by side; then every test.
import { chmodSync, copyFileSync, mkdtempSync, rmSync, statfsSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { EXECUTABLE } from './support/build-programs.ts'
import { browserProgram } from './support/chromium.ts'

/** More than there are cores, since files wait, too. */
const FILES_AT_ONCE = Math.max(3, Math.ceil(navigator.hardwareConcurrency * 1.5))
/** A sixth of the suite's time was waiting for a disk. */
const MEMORY_FOLDER = '/dev/shm'
const MIN_FREE_BYTES = 4e9

/** The folder of the tests' folders: in memory where there is room, as on Linux outside most containers. */
function folderOfFolders(): string {
  try {
    const { bavail, bsize } = statfsSync(MEMORY_FOLDER)
    return bavail * bsize >= MIN_FREE_BYTES ? MEMORY_FOLDER : tmpdir()
  } catch {
    // Another system has none.
    return tmpdir()
  }
}

/** Runs a command. What it says is shown where it fails. @returns whether it succeeded */
async function succeeds(...command: string[]): Promise<boolean> {
  const child = Bun.spawn([process.execPath, ...command], { stdout: 'pipe', stderr: 'pipe' })
  const [out, errors, status] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  if (status !== 0) process.stderr.write(out + errors)
  return status === 0
}

/** The path at which any user can start a program: a checkout of root may be in a folder that only root can read. */
function reachable(program: string, folder: string): string {
  const isClosed = (path: string): boolean =>
    (statSync(path).mode & 0o001) === 0 || (dirname(path) !== path && isClosed(dirname(path)))
  if (process.geteuid?.() !== 0 || !isClosed(program)) return program
  const copy = join(folder, 'programs')
  copyFileSync(program, copy)
  return copy
}

/** @returns the exit status of `bun test` */
async function runTests(files: readonly string[]): Promise<number> {
  const folder = mkdtempSync(join(folderOfFolders(), 'tollgate-suite-'))
  // As the folder that it stands for: some tests run programs as another user.
  chmodSync(folder, 0o1777)
  const how = ['--timeout', '60000', `--parallel=${FILES_AT_ONCE}`, '--no-isolate']
  const child = Bun.spawn([process.execPath, 'test', ...how, ...files], {
    env: { ...process.env, TMPDIR: folder, TOLLGATE_TEST_PROGRAMS: reachable(EXECUTABLE, folder) },
    stdin: 'inherit',
    stdout: 'inherit',
    stderr: 'inherit',
  })
  // Ctrl-C reaches the tests by themselves; what they leave is removed after them.
  process.on('SIGINT', () => {})
  process.on('SIGTERM', () => child.kill('SIGTERM'))
  const status = await child.exited
  rmSync(folder, { recursive: true, force: true })
  return status
}

try {
  await browserProgram()
} catch (thrown) {
  process.stderr.write(`${(thrown as Error).message}\n`)
  process.exit(1)
}
const checks = await Promise.all([
  succeeds('x', '--no-install', 'biome', 'check', '.'),
  succeeds('x', '--no-install', 'tsc', '--noEmit', '--checkers', '2'),
  succeeds('test/support/build-programs.ts'),
])
process.exit(checks.every(Boolean) ? await runTests(process.argv.slice(2)) : 1)
