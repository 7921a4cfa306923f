// Random numbers from a seed, so that the same question gets the same answer.
import { randomOf } from './random-numbers.ts'

export interface Random {
  /** A whole number from `min` to `max`, both included. */
  between(min: number, max: number): number
  pick<T>(items: readonly [T, ...T[]]): T
}

/** A generator from all parts of its seed. */
export function createRandom(...seed: readonly (string | number)[]): Random {
  const next = randomOf(Number(BigInt.asUintN(32, BigInt(Bun.hash(seed.join('\n'))))))
  const between = (min: number, max: number): number => min + Math.floor(next() * (max - min + 1))
  return {
    between,
    pick: (items) => items[between(0, items.length - 1)] ?? items[0],
  }
}
