// Evaluation of a run of the suite: reads the failures from its report and decides whether the run passes.

/** A file that failed. */
export interface Failure {
  file: string
  /** The names of the failed tests; empty if the file could not be loaded. */
  tests: readonly string[]
  /** The message of the first failed test, in one line. */
  message: string
}

/** With more failed files than these, no file runs again: the run is broken, not unstable. */
export const MAX_FILES_AGAIN = 10

/** A run with more unstable files than these fails. */
export const MAX_UNSTABLE_FILES = 2

const MAX_MESSAGE_CHARACTERS = 160

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' }

const plain = (text: string): string =>
  text
    .replace(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))
    .replace(/&(lt|gt|quot|apos|amp);/g, (_, name: string) => ENTITIES[name] ?? '')

/**
 * Returns the failures of a failed run.
 * @param report in JUnit's format, as `bun test` writes it: its files are indented by two spaces
 * @param files all files that should have run; a file that could not be loaded is missing from the report
 */
export function failuresOf(report: string, files: readonly string[]): Failure[] {
  const parts = report.split(/^ {2}<testsuite /m).slice(1)
  const reported = new Map(parts.map((part) => [/ file="([^"]+)"/.exec(part)?.[1] ?? '', part]))
  return files.flatMap((file) => {
    const part = reported.get(file)
    if (part === undefined) return [{ file, tests: [], message: 'it could not be loaded, or did not run' }]
    const failed = [
      ...part.matchAll(/<testcase name="([^"]*)"[^>]*>\s*<failure\b(?:[^>]*?message="([^"]*)")?/g),
    ]
    // An error without a message has none in the report.
    if (failed.length === 0 && /^[^>]* failures="0"/.test(part)) return []
    const tests = failed.map(([, name = '']) => plain(name))
    const message = plain(failed[0]?.[2] ?? '')
      .replaceAll(/\s+/g, ' ')
      .trim()
    return [{ file, tests, message: message.slice(0, MAX_MESSAGE_CHARACTERS) }]
  })
}

/** The runner's format: a title, then the error between two lines. */
const BETWEEN_TESTS = /# Unhandled error between tests\s*\n-{10,}\n(.*?)(?:\n-{10,}\n|$)/gs

/**
 * Returns the errors thrown between tests, with their stacks.
 * @param output the runner's output. Its status can be 0 despite such errors if files run in parallel.
 */
export const errorsBetween = (output: string): string[] =>
  [...output.matchAll(BETWEEN_TESTS)].map(([, text = '']) => text)

/** Whether an error comes from work of a test that had timed out. The failure of its file covers the error. */
const belongsTo = (error: string, { file, message }: Failure): boolean =>
  message.includes('timed out') && error.includes(`${file}:`)

interface Verdict {
  passed: boolean
  /** Files that passed when they ran again alone. */
  unstable: readonly Failure[]
  /** The text for the person who runs the suite. */
  words: string
}

const list = (failures: readonly Failure[]): string => failures.map(({ file }) => file).join(', ')

/**
 * Decides whether a failed run passes after its failed files ran again.
 * @param failures the failures of the first run
 * @param again whether each file passed when it ran again alone; files that did not run again are missing
 * @param between the errors thrown between tests
 */
export function verdictOf(
  failures: readonly Failure[],
  again: ReadonlyMap<string, boolean>,
  between: readonly string[] = [],
): Verdict {
  const unstable = failures.filter(({ file }) => again.get(file) === true)
  const failed = failures.filter((failure) => !unstable.includes(failure))
  const threw_between = between.some((error) => !failures.some((failure) => belongsTo(error, failure)))
  const too_many = unstable.length > MAX_UNSTABLE_FILES
  const passed = failures.length > 0 && failed.length === 0 && !too_many && !threw_between
  const words = [
    failures.length === 0 &&
      'The run failed, and its report names no file that did: its output above says why.',
    threw_between && 'An error between tests fails the run: the output above has it.',
    failed.length > 0 && `failed: ${list(failed)}`,
    unstable.length > 0 && `unstable: ${list(unstable)}`,
    too_many && `More than ${MAX_UNSTABLE_FILES} unstable files fail the run.`,
    unstable.length > 0 && 'Add a row to test/unstable.md for each unstable one:',
  ]
  return { passed, unstable, words: words.filter((line) => line !== false).join('\n') }
}

const cell = (text: string): string => text.replaceAll('|', '\\|')

/** Returns the row of test/unstable.md for a failure, without its cause. @param date such as 2026-11-28 */
export const rowOf = ({ file, tests, message }: Failure, date: string, seed: number): string =>
  `| ${date} | ${file.replace(/^test\//, '')} | ${cell(tests.join('; '))} | ${cell(`${message} (TOLLGATE_SEED=${seed})`)} | |`
