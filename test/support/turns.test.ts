// Which slow files a run leaves out: each has its turn, each run has its share of them, and what money hangs on is in every run.
import { describe, expect, test } from 'bun:test'
import { KEPT_TURNS, leftOut, SLOW_FILES, SLOW_KEPT_FILES, TURNS } from './turns.ts'

/** The slowest first. */
const SLOW = Array.from({ length: SLOW_FILES }, (_, at) => `test/cli/slow-${at}.test.ts`)
const SLOW_KEPT = Array.from({ length: SLOW_KEPT_FILES }, (_, at) => `test/ledger/slow-${at}.test.ts`)
const DURATIONS_MS = new Map([
  ...SLOW.map((file, at) => [file, 200_000 - at] as const),
  ...SLOW_KEPT.map((file, at) => [file, 300_000 - at] as const),
  ['test/server/quick.test.ts', 100],
  ['test/ledger/quick.test.ts', 100],
  ['test/console/looks.test.ts', 300_000],
])
const FILES = [...DURATIONS_MS.keys()]
const SEEDS = Array.from({ length: TURNS }, (_, at) => at)

function tried(seed: number, files: readonly string[] = FILES): string[] {
  const left = leftOut(files, (file) => DURATIONS_MS.get(file) ?? 0, seed)
  return files.filter((file) => !left.includes(file))
}

const slowOf = (seed: number): string[] => tried(seed).filter((file) => SLOW.includes(file))

describe('files of a run', () => {
  test('a share of the slow ones, the same for the same seed', () => {
    expect(slowOf(0)).toHaveLength(Math.ceil(SLOW_FILES / TURNS))
    expect(slowOf(TURNS)).toEqual(slowOf(0))
  })

  test('each slow one once in as many successive seeds as there are turns', () => {
    expect(
      SEEDS.map((seed) => 4294967295 - seed)
        .flatMap(slowOf)
        .toSorted(),
    ).toEqual(SLOW.toSorted())
  })

  test('one of the very slowest in each', () => {
    const slowest = SLOW.slice(0, TURNS)
    const turns = SEEDS.map((seed) => tried(seed).filter((file) => slowest.includes(file)))
    expect(turns).toEqual(slowest.map((file) => [file]))
  })

  test('each slow one that keeps money once in three seeds', () => {
    const keptOf = (seed: number) => tried(seed).filter((file) => SLOW_KEPT.includes(file))
    expect([7, 7 + 65_536, 7 + 2 * 65_536].flatMap(keptOf).toSorted()).toEqual(SLOW_KEPT.toSorted())
    expect(keptOf(7)).toEqual(keptOf(8))
    expect(keptOf(7)).toHaveLength(SLOW_KEPT_FILES / KEPT_TURNS)
  })

  test.each([
    ['a quicker one than those', 'test/server/quick.test.ts'],
    ['one that keeps money and is quick', 'test/ledger/quick.test.ts'],
    ['the looks at each page, however slow', 'test/console/looks.test.ts'],
    ['one that was never measured', 'test/server/new.test.ts'],
  ])('%s always', (_, file) => {
    for (const seed of SEEDS) expect(tried(seed, [...FILES, file])).toContain(file)
  })
})
