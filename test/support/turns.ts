// Turns of the slowest tests: which files a run of the whole suite leaves out.

/** Of the slow files a run has one in so many. */
export const TURNS = 16

/** Of the slow ones that keep money and secrets it has one in so many; the quick ones are in every run. */
export const KEPT_TURNS = 3

/** So many of the slowest take turns: those that took more than a second and a half alone. A number, since a busy machine is slower. */
export const SLOW_FILES = 158
export const SLOW_KEPT_FILES = 63

/** In every run, however slow: what looks at each page and each type once, and has turns within. */
const IN_EACH_RUN = [
  'test/console/looks.test.ts',
  'test/console/one-figure.test.ts',
  'test/console/web-types.test.ts',
] as const

/** What keeps money and secrets. */
const KEPT = [
  'test/access/',
  'test/binary/',
  'test/chat/',
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

const isIn = (file: string, paths: readonly string[]): boolean => paths.some((path) => file.startsWith(path))

/**
 * The files that a run leaves out, chosen by its seed: of the slow ones all but its share, which takes about as long in each run.
 * @param duration_ms how long each took at the last measurement; 0 for a new file, which every run has
 * @param seed the seed of the run: so many successive seeds as there are turns have every file between them, but for what keeps money, which
 * takes turns by its upper half, since some of these tests have turns within by its lowest digits
 */
export function leftOut(
  files: readonly string[],
  duration_ms: (file: string) => number,
  seed: number,
): string[] {
  const slowestFirst = files
    .filter((file) => duration_ms(file) > 0 && !isIn(file, IN_EACH_RUN))
    .toSorted((a, b) => duration_ms(b) - duration_ms(a) || (a < b ? -1 : 1))
  const kept = slowestFirst.filter((file) => isIn(file, KEPT)).slice(0, SLOW_KEPT_FILES)
  const others = slowestFirst.filter((file) => !isIn(file, KEPT)).slice(0, SLOW_FILES)
  return [
    ...kept.filter((_, at) => at % KEPT_TURNS !== Math.floor(seed / 65_536) % KEPT_TURNS),
    ...others.filter((_, at) => at % TURNS !== seed % TURNS),
  ]
}
