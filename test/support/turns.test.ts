// Which slow files a run leaves out: each has its turn, each run has its share of them, and what money hangs on is in every run.
import { describe, expect, test } from 'bun:test'
import { leftOut } from './turns.ts'

const DURATIONS_MS = new Map([
  ['test/walks/a', 10_000],
  ['test/walks/b', 90_000],
  ['test/walks/c', 80_000],
  ['test/images/d', 20_000],
  ['test/cli/e', 70_000],
  ['test/cli/f', 30_000],
  ['test/server/g', 60_000],
  ['test/server/h', 50_000],
  ['test/server/i', 40_000],
  ['test/server/j', 15_000],
  ['test/server/k', 12_000],
  ['test/server/l', 11_000],
  ['test/server/quick', 100],
  ['test/ledger/slow', 100_000],
])
const FILES = [...DURATIONS_MS.keys()]
const SLOW = FILES.filter((file) => !['test/server/quick', 'test/ledger/slow'].includes(file))

function tried(seed: number, files: readonly string[] = FILES): string[] {
  const left = leftOut(files, (file) => DURATIONS_MS.get(file) ?? 0, seed)
  return files.filter((file) => !left.includes(file))
}

describe('files of a run', () => {
  test('a sixth of the slow ones, the same for the same seed', () => {
    expect(tried(0).filter((file) => SLOW.includes(file))).toEqual(['test/walks/b', 'test/cli/f'])
    expect(tried(6)).toEqual(tried(0))
  })

  test('each slow one once in six successive seeds', () => {
    const turns = [4294967290, 4294967291, 4294967292, 4294967293, 4294967294, 4294967295].flatMap((seed) =>
      tried(seed),
    )
    expect(turns.filter((file) => SLOW.includes(file)).toSorted()).toEqual(SLOW.toSorted())
  })

  test('one of the six slowest in each', () => {
    const slowest = [
      'test/walks/b',
      'test/walks/c',
      'test/cli/e',
      'test/server/g',
      'test/server/h',
      'test/server/i',
    ]
    expect([0, 1, 2, 3, 4, 5].map((seed) => tried(seed).filter((file) => slowest.includes(file)))).toEqual(
      slowest.map((file) => [file]),
    )
  })

  test.each([
    ['a quick one', 'test/server/quick'],
    ['one that keeps money, however slow', 'test/ledger/slow'],
    ['one that was never measured', 'test/server/new'],
  ])('%s always', (_, file) => {
    for (const seed of [0, 1, 2, 3, 4, 5]) expect(tried(seed, [...FILES, file])).toContain(file)
  })
})
