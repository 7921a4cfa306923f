// The test suite of `bun run test`: it builds the programs that tests start, then runs every test beside the linter and the type checker.
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
import { makePristineCluster, type PostgresServer, startPostgres } from './support/postgres-server.ts'
import { SEED } from './support/seed.ts'

/** More than the number of cores, since files also wait. */
const FILES_AT_ONCE = Math.max(4, Math.ceil(navigator.hardwareConcurrency * 3))
/** The duration of each file: every file runs, the slowest first, so that all processes end together. `UPDATE_TIMINGS=1` rewrites it. */
const TIMINGS = join(import.meta.dir, 'timings.json')
/** Waiting for a disk took a sixth of the suite's time. */
const MEMORY_FOLDER = '/dev/shm'
const MIN_FREE_BYTES = 4e9
const REPORT = 'report.xml'

/**
 * JavaScriptCore optimizes a function ten times later than by default, in the tests' processes and in those that they start. Most code of a test
 * ends before its compilation has paid for itself: this saves a tenth of the CPU of tests, and a fifth of that of a gateway's start.
 */
const LATE_OPTIMIZATION = Object.fromEntries(
  ['AfterWarmUp', 'AfterLongWarmUp', 'Soon'].map((when) => [`BUN_JSC_thresholdForOptimize${when}`, '10000']),
)

/**
 * The engine collects garbage after a certain amount of allocations. Its timer for further collections costs a tenth of a test process's CPU;
 * returning memory at once and requesting it again costs a twentieth. Processes that tests start keep the defaults (support/own-collection.ts).
 */
const LATE_COLLECTION = { BUN_GC_TIMER_DISABLE: '1', MIMALLOC_PURGE_DELAY: '10000' }

/** Stops the run early. */
const ending = new AbortController()
process.on('SIGTERM', () => ending.abort())

interface Outcome {
  /** All tests passed, and no error was thrown between them. */
  readonly passed: boolean
  /** Errors that belong to no test. */
  readonly between: readonly string[]
  readonly failures: readonly Failure[]
}

/** The parent of the tests' folders: in memory if that has room, as on Linux outside most containers. */
function chooseParentFolder(): string {
  try {
    const { bavail, bsize } = statfsSync(MEMORY_FOLDER)
    return bavail * bsize >= MIN_FREE_BYTES ? MEMORY_FOLDER : tmpdir()
  } catch {
    // Only Linux has it.
    return tmpdir()
  }
}

/** Runs a command. @returns its output if it fails, else an empty text */
async function failureOf(...command: string[]): Promise<string> {
  const child = Bun.spawn([process.execPath, ...command], {
    // The type checker is a Go program: it spent a fifth of its time on garbage collection that it does not need.
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

/** Writes the duration of each file of a report in milliseconds, rounded to 100, since it varies from run to run. */
async function writeTimings(report: string): Promise<void> {
  const times = [...report.matchAll(/^ {2}<testsuite .*? file="([^"]+)".*? time="([\d.]+)"/gm)].map(
    ([, file = '', time_s]) => [file, Math.max(1, Math.round(Number(time_s) * 10)) * 100] as const,
  )
  const files = Object.fromEntries(times.toSorted(([a], [b]) => (a < b ? -1 : 1)))
  await Bun.write(TIMINGS, `${JSON.stringify({ version: 1, files }, undefined, 2)}\n`)
}

/** @param parts files or parts of their paths, as on the command line. @returns the matching files; all of them without parts */
const filesOf = (parts: readonly string[]): string[] =>
  [...new Bun.Glob('test/**/*.test.ts').scanSync()]
    .filter((file) => parts.length === 0 || parts.some((part) => file.includes(part.replace(/^\.\//, ''))))
    .toSorted()

/** Passes the runner's output on as it arrives. @returns all of it */
async function passOn(output: ReadableStream<Uint8Array>): Promise<string> {
  let text = ''
  for await (const part of output.pipeThrough(new TextDecoderStream())) {
    process.stderr.write(part)
    text += part
  }
  return text
}

interface Surroundings {
  /** The parent of the tests' folders. */
  folder: string
  /** The server of all tests; without it, each test process finds its own. */
  postgres: PostgresServer | undefined
  /** The files of further servers. */
  cluster: string | undefined
}

/** Runs tests. @returns whether they passed, and what failed */
async function runTests(
  parts: readonly string[],
  files_at_once: number,
  { folder, postgres, cluster }: Surroundings,
): Promise<Outcome> {
  const report = join(folder, REPORT)
  rmSync(report, { force: true })
  const options = ['--timeout', '60000', `--parallel=${files_at_once}`, '--no-isolate']
  const reporting = ['--reporter=junit', `--reporter-outfile=${report}`, `--timings=${TIMINGS}`]
  const child = Bun.spawn([process.execPath, 'test', ...options, ...reporting, ...parts], {
    env: {
      ...LATE_OPTIMIZATION,
      ...LATE_COLLECTION,
      ...process.env,
      TMPDIR: folder,
      TOLLGATE_SEED: String(SEED),
      TOLLGATE_TEST_PROGRAMS: reachable(EXECUTABLE, folder),
      ...(postgres ? { TOLLGATE_TEST_DATABASE: postgres.url } : {}),
      ...(cluster ? { TOLLGATE_TEST_CLUSTER: cluster } : {}),
    },
    stdin: 'inherit',
    stdout: 'inherit',
    stderr: 'pipe',
    signal: ending.signal,
  })
  const between = errorsBetween(await passOn(child.stderr))
  const passed = (await child.exited) === 0 && between.length === 0
  const text = existsSync(report) ? readFileSync(report, 'utf8') : ''
  return { passed, between, failures: passed ? [] : failuresOf(text, filesOf(parts)) }
}

/**
 * Runs the suite: every file, or the files given. A file that fails among others runs again alone, once, with the same seed.
 * One that then passes is unstable: it is listed at the end, and too many of them fail the run.
 * @returns the exit status
 */
async function runSuite(parts: readonly string[]): Promise<number> {
  if (ending.signal.aborted) return 1
  const folder = mkdtempSync(join(chooseParentFolder(), 'tollgate-suite-'))
  // Open like the system's temporary folder: some tests run programs as another user.
  chmodSync(folder, 0o1777)
  // Ctrl-C reaches the tests directly; this process stays to remove their files.
  process.on('SIGINT', () => {})
  process.env.TMPDIR = folder
  const is_named = process.env.TOLLGATE_TEST_DATABASE !== undefined
  const cluster = NATIVE === undefined ? undefined : makePristineCluster(NATIVE).data
  const postgres = is_named || NATIVE === undefined ? undefined : await startPostgres(NATIVE, [], cluster)
  const surroundings = { folder, postgres, cluster }
  try {
    process.stdout.write(`${filesOf(parts).length} files, TOLLGATE_SEED=${SEED}\n`)
    const { passed, between, failures } = await runTests(parts, FILES_AT_ONCE, surroundings)
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
/** Runs beside the first tests, which sometimes wait for disks and processes. A mistake ends the tests and is printed below them. */
const checks = Promise.all([
  failureOf('x', '--no-install', 'biome', 'check', '.'),
  // Types, and promises without await, in one pass of one checker (tsconfig.json): each of several checkers would compute
  // the types that files share.
  failureOf('x', '--no-install', 'oxlint', 'src', 'plugins', 'test'),
]).then((failures) => failures.join(''))
void checks.then((failures) => failures === '' || ending.abort())
const build_failure = await failureOf('test/support/build-programs.ts')
const status = build_failure === '' ? await runSuite(process.argv.slice(2)) : 1
const failures = build_failure + (await checks)
process.stderr.write(failures)
process.exit(failures === '' ? status : 1)
