// Seeded random numbers for the simulations: the same seed gives the same run.
import { randomOf } from '../../providers/random-numbers.ts'

export function randomFrom(seed: number) {
  const next = randomOf(seed)
  return {
    /** A whole number from 0 up to, not including, `end`. */
    below: (end: number): number => Math.floor(next() * end),
    chance: (probability: number): boolean => next() < probability,
    pick: <T>(items: readonly [T, ...T[]]): T => items[Math.floor(next() * items.length)] ?? items[0],
  }
}

export type Random = ReturnType<typeof randomFrom>
