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
import {
  errorsBetween,
  type Failure,
  failuresOf,
  MAX_FILES_AGAIN,
  rowOf,
  verdictOf,
} from './support/failures.ts'
import { NATIVE } from './support/postgres-program.ts'
import { type PostgresServer, startPostgres } from './support/postgres-server.ts'
import { SEED } from './support/seed.ts'

/** More than there are cores, since files wait, too. */
const FILES_AT_ONCE = Math.max(4, Math.ceil(navigator.hardwareConcurrency * 2.5))
/** How long each file takes: the slowest begin, so that all processes end together; all run. `UPDATE_TIMINGS=1` writes it anew. */
const TIMINGS = join(import.meta.dir, 'timings.json')
/** A sixth of the suite's time was waiting for a disk. */
const MEMORY_FOLDER = '/dev/shm'
const MIN_FREE_BYTES = 4e9
const REPORT = 'report.xml'

/**
 * When JavaScriptCore optimizes a function: ten times as late as by default, in the tests' processes and in those that they start. Most of what
 * a test runs is over before its compilation has paid for itself: this takes a tenth off the CPU of tests, a fifth off a gateway's start.
 */
const LATE_OPTIMIZATION = Object.fromEntries(
  ['AfterWarmUp', 'AfterLongWarmUp', 'Soon'].map((when) => [`BUN_JSC_thresholdForOptimize${when}`, '10000']),
)

/**
 * The engine collects by how much was made since it last did. A timer that has it look beside that, while all processes wait for each other, is a
 * tenth of a test process's CPU. Memory that is given back at once, and taken again, is a twentieth. Only theirs: what they start is as it is
 * elsewhere (support/own-collection.ts).
 */
const LATE_COLLECTION = { BUN_GC_TIMER_DISABLE: '1', MIMALLOC_PURGE_DELAY: '10000' }

/** Ends the tests before they have all run. */
const ending = new AbortController()
process.on('SIGTERM', () => ending.abort())

interface Outcome {
  /** Every test did, and nothing was thrown between them. */
  readonly passed: boolean
  /** What was thrown that belongs to no test. */
  readonly between: readonly string[]
  readonly failures: readonly Failure[]
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

/** Writes how long each file of a report took, in milliseconds: as exact as it is from run to run. */
async function writeTimings(report: string): Promise<void> {
  const times = [...report.matchAll(/^ {2}<testsuite .*? file="([^"]+)".*? time="([\d.]+)"/gm)].map(
    ([, file = '', time_s]) => [file, Math.max(1, Math.round(Number(time_s) * 10)) * 100] as const,
  )
  const files = Object.fromEntries(times.toSorted(([a], [b]) => (a < b ? -1 : 1)))
  await Bun.write(TIMINGS, `${JSON.stringify({ version: 1, files }, undefined, 2)}\n`)
}

/** @param named as on the command line: files, or parts of their paths. @returns the files that these are, all where nothing is named */
const filesOf = (named: readonly string[]): string[] =>
  [...new Bun.Glob('test/**/*.test.ts').scanSync()]
    .filter((file) => named.length === 0 || named.some((part) => file.includes(part.replace(/^\.\//, ''))))
    .toSorted()

/** Writes what the runner says as it says it. @returns all of it */
async function passOn(output: ReadableStream<Uint8Array>): Promise<string> {
  let text = ''
  for await (const part of output.pipeThrough(new TextDecoderStream())) {
    process.stderr.write(part)
    text += part
  }
  return text
}

interface Surroundings {
  /** Of the tests' folders. */
  folder: string
  /** The server of all tests; without one each process of tests looks for its own. */
  postgres: PostgresServer | undefined
}

/** Runs tests. @returns whether they passed, and what failed */
async function runTests(
  named: readonly string[],
  files_at_once: number,
  { folder, postgres }: Surroundings,
): Promise<Outcome> {
  const report = join(folder, REPORT)
  rmSync(report, { force: true })
  const how = ['--timeout', '60000', `--parallel=${files_at_once}`, '--no-isolate']
  const told = ['--reporter=junit', `--reporter-outfile=${report}`, `--timings=${TIMINGS}`]
  const child = Bun.spawn([process.execPath, 'test', ...how, ...told, ...named], {
    env: {
      ...LATE_OPTIMIZATION,
      ...LATE_COLLECTION,
      ...process.env,
      TMPDIR: folder,
      TOLLGATE_SEED: String(SEED),
      TOLLGATE_TEST_PROGRAMS: reachable(EXECUTABLE, folder),
      ...(postgres ? { TOLLGATE_TEST_DATABASE: postgres.url } : {}),
    },
    stdin: 'inherit',
    stdout: 'inherit',
    stderr: 'pipe',
    signal: ending.signal,
  })
  const between = errorsBetween(await passOn(child.stderr))
  const passed = (await child.exited) === 0 && between.length === 0
  const text = existsSync(report) ? readFileSync(report, 'utf8') : ''
  return { passed, between, failures: passed ? [] : failuresOf(text, filesOf(named)) }
}

/**
 * Runs the suite: every file, or those that are named. A file that fails among others runs again alone, once, with the same seed.
 * One that then passes is unstable: it is named at the end, and too many of them fail the run.
 * @returns the exit status
 */
async function runSuite(named: readonly string[]): Promise<number> {
  if (ending.signal.aborted) return 1
  const folder = mkdtempSync(join(folderOfFolders(), 'tollgate-suite-'))
  // As the folder that it stands for: some tests run programs as another user.
  chmodSync(folder, 0o1777)
  // Ctrl-C reaches the tests by themselves; what they leave is removed after them.
  process.on('SIGINT', () => {})
  process.env.TMPDIR = folder
  const is_named = process.env.TOLLGATE_TEST_DATABASE !== undefined
  const postgres = is_named || NATIVE === undefined ? undefined : await startPostgres(NATIVE)
  const surroundings = { folder, postgres }
  try {
    process.stdout.write(`${filesOf(named).length} files, TOLLGATE_SEED=${SEED}\n`)
    const { passed, between, failures } = await runTests(named, FILES_AT_ONCE, surroundings)
    if (passed && process.env.UPDATE_TIMINGS) await writeTimings(readFileSync(join(folder, REPORT), 'utf8'))
    if (passed) return 0
    const again = new Map<string, boolean>()
    for (const { file } of failures.length > MAX_FILES_AGAIN ? [] : failures) {
      if (ending.signal.aborted) return 1
      process.stdout.write(`\nFailed, and runs again alone: ${file}\n`)
      again.set(file, (await runTests([file], 1, surroundings)).passed)
    }
    const verdict = verdictOf(failures, again, between)
    process.stdout.write(`\n${verdict.words}\n`)
    const today = new Date().toISOString().slice(0, 10)
    for (const failure of verdict.unstable) process.stdout.write(`${rowOf(failure, today, SEED)}\n`)
    return verdict.passed ? 0 : 1
  } finally {
    await postgres?.[Symbol.asyncDispose]()
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
  // Types, and promises that nobody awaits: one reading of the files serves both, and one checker (tsconfig.json), since each of
  // several would work out for itself the types that files share.
  failureOf('x', '--no-install', 'oxlint', 'src', 'plugins', 'test'),
]).then((failures) => failures.join(''))
void checks.then((failures) => failures === '' || ending.abort())
const unbuilt = await failureOf('test/support/build-programs.ts')
const status = unbuilt === '' ? await runSuite(process.argv.slice(2)) : 1
const failures = unbuilt + (await checks)
process.stderr.write(failures)
process.exit(failures === '' ? status : 1)
