// Turns of the slowest tests: which files a run of the whole suite leaves out.

/** Of the files that take turns, a run has one in so many. */
export const TURNS = 12

/** So many of the slowest take turns: those that took more than a second and a half alone. A number, since a busy machine is slower. */
export const SLOW_FILES = 158

/** In every run, however slow: what keeps money and secrets, what looks at each page and each type once, and what has turns within. */
const IN_EACH_RUN = [
  'test/access/',
  'test/binary/',
  'test/chat/',
  'test/console/looks.test.ts',
  'test/console/one-figure.test.ts',
  'test/console/web-types.test.ts',
  'test/crash/',
  'test/db/',
  'test/disconnect/',
  'test/domain/',
  'test/exchange/',
  'test/guard/',
  'test/idempotency/',
  'test/images/money.test.ts',
  'test/ledger/',
  'test/messages/',
  'test/native/',
  'test/shutdown/',
  'test/surfaces/',
  'test/upstream/',
] as const

/**
 * The files that a run leaves out, chosen by its seed: of the slow ones all but its share, which takes about as long in each run.
 * @param duration_ms how long each took at the last measurement; 0 for a new file, which every run has
 * @param seed the seed of the run: so many successive seeds as there are turns have every file between them
 */
export function leftOut(
  files: readonly string[],
  duration_ms: (file: string) => number,
  seed: number,
): string[] {
  const slowestFirst = files
    .filter((file) => duration_ms(file) > 0 && !IN_EACH_RUN.some((path) => file.startsWith(path)))
    .toSorted((a, b) => duration_ms(b) - duration_ms(a) || (a < b ? -1 : 1))
    .slice(0, SLOW_FILES)
  return slowestFirst.filter((_, at) => at % TURNS !== seed % TURNS)
}
