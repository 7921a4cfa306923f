// Which walks of the console a run leaves out: every walk has its turn, and each run has its share of the slow ones.
import { describe, expect, test } from 'bun:test'
import { walksLeftOut } from './walks.ts'

const DURATIONS_MS = new Map([
  ['a', 100],
  ['b', 900],
  ['c', 800],
  ['d', 200],
  ['e', 700],
  ['f', 300],
  ['g', 0],
])
const WALKS = [...DURATIONS_MS.keys()]

const tried = (seed: number): string[] => {
  const leftOut = walksLeftOut(WALKS, (file) => DURATIONS_MS.get(file) ?? 0, seed)
  return WALKS.filter((file) => !leftOut.includes(file))
}

describe('walks of a run', () => {
  test('a third of them, the same for the same seed', () => {
    expect(tried(0)).toEqual(['b', 'f', 'g'])
    expect(tried(3)).toEqual(tried(0))
  })

  test('each once in three successive seeds', () => {
    const turns = [4294967293, 4294967294, 4294967295].flatMap(tried)
    expect(turns.toSorted()).toEqual(WALKS)
  })

  test('one of the three slowest in each', () => {
    const slow = [0, 1, 2].map((seed) => tried(seed).filter((file) => ['b', 'c', 'e'].includes(file)))
    expect(slow).toEqual([['b'], ['c'], ['e']])
  })

  test('a walk that was never measured has its turn, too', () => {
    const isTried = [0, 1, 2].map((seed) => {
      const leftOut = walksLeftOut([...WALKS, 'new'], (file) => DURATIONS_MS.get(file) ?? 0, seed)
      return !leftOut.includes('new')
    })
    expect(isTried.filter(Boolean)).toHaveLength(1)
  })
})
