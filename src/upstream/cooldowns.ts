// Owns which provider keys rest: one that failed is left alone for a while, longer each time, and comes back.

const LONGEST_REST_MS = 10 * 60_000
/** From one millisecond to far beyond the longest rest. */
const MOST_DOUBLINGS = 30

interface Rest {
  failures: number
  until_ms: number
}

export interface Health {
  /** When the key may be used again, in ms since the epoch; 0 for one that is well. */
  restingUntil(key_id: string): number
  /** @param rest_ms the first rest; it doubles with each failure in a row @param at_least_ms what the provider asked for */
  failed(key_id: string, rest_ms: number, at_least_ms?: number): void
  succeeded(key_id: string): void
}

/** The health of all provider keys, in this process. A key is named by its provider and position, never by itself. */
export function createHealth(now: () => number): Health {
  const rests = new Map<string, Rest>()
  return {
    restingUntil: (key_id) => rests.get(key_id)?.until_ms ?? 0,
    failed(key_id, rest_ms, at_least_ms = 0) {
      const failures = (rests.get(key_id)?.failures ?? 0) + 1
      const rest = Math.min(rest_ms * 2 ** Math.min(failures - 1, MOST_DOUBLINGS), LONGEST_REST_MS)
      rests.set(key_id, {
        failures,
        until_ms: now() + Math.max(rest, Math.min(at_least_ms, LONGEST_REST_MS)),
      })
    },
    succeeded(key_id) {
      if (rests.size > 0) rests.delete(key_id)
    },
  }
}
