// Random numbers from a seed: the same numbers for the same seed, so that a failing run can be repeated.

/** A number from 0 to 1, below 1. */
export type RandomNumbers = () => number

/** mulberry32 (public domain, Tommy Ettinger): 32 bits of state are plenty for choosing test steps. */
export function randomOf(seed: number): RandomNumbers {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
