// Seeded random numbers for the simulations: the same seed gives the same run.

/** mulberry32 (public domain, Tommy Ettinger): 32 bits of state are plenty for choosing test steps. */
export function randomFrom(seed: number) {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    /** A whole number from 0 up to, not including, `end`. */
    below: (end: number): number => Math.floor(next() * end),
    chance: (probability: number): boolean => next() < probability,
    pick: <T>(items: readonly [T, ...T[]]): T => items[Math.floor(next() * items.length)] ?? items[0],
  }
}

export type Random = ReturnType<typeof randomFrom>
