// The whole suite, as `bun run test` runs it: every test once the programs are built that tests start, beside linter and types.
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { EXECUTABLE } from './support/build-programs.ts'
import { browserProgram } from './support/chromium.ts'
import { SEED } from './support/seed.ts'
import { leftOut } from './support/turns.ts'

/** More than there are cores, since files wait, too. */
const FILES_AT_ONCE = Math.max(4, Math.ceil(navigator.hardwareConcurrency * 2.5))
/** How long each file takes: the slowest begin, so that all processes end together. `UPDATE_TIMINGS=1` writes it anew. */
const TIMINGS = join(import.meta.dir, 'timings.json')
/** A sixth of the suite's time was waiting for a disk. */
const MEMORY_FOLDER = '/dev/shm'
const MIN_FREE_BYTES = 4e9
const REPORT = 'report.xml'
/** More failures than these have a cause. */
const MAX_FILES_AGAIN = 3

/** Ends the tests before they have all run. */
const ending = new AbortController()
process.on('SIGTERM', () => ending.abort())

interface Outcome {
  readonly passed: boolean
  readonly failed: readonly string[]
}

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

/** Runs a command. @returns what it says where it fails, else nothing */
async function failureOf(...command: string[]): Promise<string> {
  const child = Bun.spawn([process.execPath, ...command], {
    // The type checker is a Go program: a fifth of its time was collecting memory that it has no need to give back.
    env: { GOGC: '400', ...process.env },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, errors, status] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return status === 0 ? '' : `${out}${errors}\n${command.join(' ')} failed.\n`
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

/** The files with failures that a report in JUnit's format names. */
const failedFiles = (report: string): string[] =>
  report
    .split(/^ {2}<testsuite /m)
    .slice(1)
    .flatMap((file) => (file.includes('<failure') ? (/ file="([^"]+)"/.exec(file)?.[1] ?? []) : []))

/** Writes how long each file of a report took, in milliseconds: as exact as it is from run to run. */
async function writeTimings(report: string): Promise<void> {
  const times = [...report.matchAll(/^ {2}<testsuite .*? file="([^"]+)".*? time="([\d.]+)"/gm)].map(
    ([, file = '', time_s]) => [file, Math.max(1, Math.round(Number(time_s) * 10)) * 100] as const,
  )
  const files = Object.fromEntries(times.toSorted(([a], [b]) => (a < b ? -1 : 1)))
  await Bun.write(TIMINGS, `${JSON.stringify({ version: 1, files }, undefined, 1)}\n`)
}

/** The files that this run leaves out, and says so: none where files are named or all are to be measured. */
async function othersTurns(named: readonly string[]): Promise<string[]> {
  if (named.length > 0 || process.env.UPDATE_TIMINGS) return []
  const files = [...new Bun.Glob('test/**/*.test.ts').scanSync()]
  const { files: durations_ms } = (await Bun.file(TIMINGS).json()) as { files: Record<string, number> }
  const left = leftOut(files, (file) => durations_ms[file] ?? 0, SEED)
  process.stdout.write(
    `${left.length} of ${files.length} files have their turn in another run, by TOLLGATE_SEED=${SEED} (all: bun run test test)\n`,
  )
  return left
}

/** Runs tests. @returns whether they passed, and the files with failures */
async function runTests(files: readonly string[], files_at_once: number, folder: string): Promise<Outcome> {
  const report = join(folder, REPORT)
  const without = (await othersTurns(files)).map((file) => `--path-ignore-patterns=${file}`)
  const how = ['--timeout', '60000', `--parallel=${files_at_once}`, '--no-isolate', ...without]
  const told = ['--reporter=junit', `--reporter-outfile=${report}`, `--timings=${TIMINGS}`]
  const child = Bun.spawn([process.execPath, 'test', ...how, ...told, ...files], {
    env: {
      ...process.env,
      TMPDIR: folder,
      TOLLGATE_SEED: String(SEED),
      TOLLGATE_TEST_PROGRAMS: reachable(EXECUTABLE, folder),
    },
    stdin: 'inherit',
    stdout: 'inherit',
    stderr: 'inherit',
    signal: ending.signal,
  })
  const status = await child.exited
  return { passed: status === 0, failed: existsSync(report) ? failedFiles(readFileSync(report, 'utf8')) : [] }
}

/**
 * Runs the suite. A file that fails among others runs again alone, with the same seed: one that then passes wanted for time,
 * and is named at the end, so that a slow machine does not fail the suite and an unstable test does not stay unseen.
 * @returns the exit status
 */
async function runSuite(files: readonly string[]): Promise<number> {
  if (ending.signal.aborted) return 1
  const folder = mkdtempSync(join(folderOfFolders(), 'tollgate-suite-'))
  // As the folder that it stands for: some tests run programs as another user.
  chmodSync(folder, 0o1777)
  // Ctrl-C reaches the tests by themselves; what they leave is removed after them.
  process.on('SIGINT', () => {})
  try {
    const { passed, failed } = await runTests(files, FILES_AT_ONCE, folder)
    if (passed && process.env.UPDATE_TIMINGS) await writeTimings(readFileSync(join(folder, REPORT), 'utf8'))
    if (passed) return 0
    if (ending.signal.aborted) return 1
    if (failed.length === 0 || failed.length > MAX_FILES_AGAIN) return 1
    process.stdout.write(`\nThese failed and run again, alone: ${failed.join(', ')}\n`)
    const again = await runTests(failed, 1, folder)
    if (!again.passed) return 1
    process.stdout.write(
      `\nPassed, but unstable: ${failed.join(', ')} failed at first (TOLLGATE_SEED=${SEED}).\n`,
    )
    return 0
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

try {
  await browserProgram()
} catch (thrown) {
  process.stderr.write(`${(thrown as Error).message}\n`)
  process.exit(1)
}
/** Beside the first tests, which wait for disks and processes now and then. A mistake ends the tests, and is told below them. */
const checks = Promise.all([
  failureOf('x', '--no-install', 'biome', 'check', '.'),
  failureOf('x', '--no-install', 'tsc', '--noEmit', '--checkers', '2'),
  // Promises that nobody awaits.
  failureOf('x', '--no-install', 'oxlint', 'src', 'plugins', 'test'),
]).then((failures) => failures.join(''))
void checks.then((failures) => failures === '' || ending.abort())
const unbuilt = await failureOf('test/support/build-programs.ts')
const status = unbuilt === '' ? await runSuite(process.argv.slice(2)) : 1
const failures = unbuilt + (await checks)
process.stderr.write(failures)
process.exit(failures === '' ? status : 1)
