// Walks of the console in a real browser, the slowest tests: which of them a run of the whole suite leaves out.

const SHARE = 3

/**
 * The walks that a run leaves out: two thirds, chosen by its seed. Slow walks are spread evenly, so that runs take about the same time.
 * @param walks the files of the walks
 * @param duration_ms how long each took at the last measurement; 0 for a new file
 * @param seed the seed of the run: three successive seeds have every walk between them
 */
export function walksLeftOut(
  walks: readonly string[],
  duration_ms: (file: string) => number,
  seed: number,
): string[] {
  const slowestFirst = walks.toSorted((a, b) => duration_ms(b) - duration_ms(a) || (a < b ? -1 : 1))
  return slowestFirst.filter((_, at) => at % SHARE !== seed % SHARE)
}
