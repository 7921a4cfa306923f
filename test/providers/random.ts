// Random numbers from a seed, so that the same question gets the same answer.

export interface Random {
  /** A whole number from `min` to `max`, both included. */
  between(min: number, max: number): number
  pick<T>(items: readonly [T, ...T[]]): T
}

/** A generator from all parts of its seed (the mulberry32 sequence of their hash). */
export function createRandom(...seed: readonly (string | number)[]): Random {
  let state = Number(BigInt.asUintN(32, BigInt(Bun.hash(seed.join('\n')))))
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const between = (min: number, max: number): number => min + Math.floor(next() * (max - min + 1))
  return {
    between,
    pick: (items) => items[between(0, items.length - 1)] ?? items[0],
  }
}
