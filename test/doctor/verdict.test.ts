// The verdict of the page Health check, from the last audit and the last check-up.
import { expect, test } from 'bun:test'

interface Checks {
  problems: { level: string }[]
  passed: { level: string }[]
  failures: string[]
}
const { verdictOf }: { verdictOf: (checks: Checks) => { level: string | null; words: string } } =
  await import(`${import.meta.dir}/../../plugins/doctor/web/verdict.ts`)

const many = (count: number, level: string) => Array.from({ length: count }, () => ({ level }))

test.each([
  // No findings, because nothing was checked.
  [0, 0, 0, [], null, 'Not checked yet.'],
  [0, 0, 0, ['it was killed'], 'fail', 'The last check could not run.'],
  [0, 1, 5, ['it was killed'], 'fail', 'The last check could not run.'],
  [2, 1, 5, ['it was killed'], 'fail', '2 problems found, 1 warning.'],
  [1, 0, 5, [], 'fail', '1 problem found.'],
  [0, 2, 5, [], 'warn', '2 warnings.'],
  [0, 0, 5, [], 'ok', 'No problems found.'],
])('%d failed, %d warnings, %d passed, could not run: %p', (failed, warned, well, failures, level, words) => {
  const problems = [...many(failed, 'fail'), ...many(warned, 'warn')]
  expect(verdictOf({ problems, passed: many(well, 'ok'), failures })).toEqual({ level, words })
})
