// Cooldowns of provider keys: a key that failed is not used for a while, longer after each failure in a row.

const MAX_COOLDOWN_MS = 10 * 60_000
/** Enough to get from a millisecond to far beyond the longest cooldown. */
const MAX_DOUBLINGS = 30

/** The reason for a cooldown: the failure's class, and the provider's own message, with secrets still in it. */
interface CooldownReason {
  failure_class: string
  message: string
}

interface Cooldown {
  /** The number of failures in a row. */
  failures: number
  until_ms: number
  failed_at_ms: number
  /** The reason for the last failure. */
  reason: CooldownReason | undefined
}

/** Attempts with a key since the process started. */
interface KeyCounts {
  answered: number
  failed: number
}

export interface Cooldowns {
  /** The time at which the key may be used again, in ms since the epoch; 0 if it has not failed. */
  coolingUntil(key_id: string): number
  /** The cooldown of a key that has failed and not succeeded since. It may be over. */
  of(key_id: string): Readonly<Cooldown> | undefined
  countsOf(key_id: string): Readonly<KeyCounts>
  /** @param cooldown_ms the first cooldown; it doubles with each failure in a row @param at_least_ms the provider's retry-after time */
  failed(key_id: string, cooldown_ms: number, at_least_ms?: number, reason?: CooldownReason): void
  succeeded(key_id: string): void
  /** Ends the cooldown of a key after a successful test outside of calls. */
  cleared(key_id: string): void
}

const NONE: KeyCounts = { answered: 0, failed: 0 }

/** The cooldowns of all provider keys in this process. A key is identified by its provider and position, never by its value. */
export function createCooldowns(now: () => number): Cooldowns {
  const cooldowns = new Map<string, Cooldown>()
  const counts = new Map<string, KeyCounts>()

  const count = (key_id: string, what: keyof KeyCounts): void => {
    const known = counts.get(key_id)
    if (known) known[what]++
    else counts.set(key_id, { answered: 0, failed: 0, [what]: 1 })
  }

  return {
    coolingUntil: (key_id) => cooldowns.get(key_id)?.until_ms ?? 0,
    of: (key_id) => cooldowns.get(key_id),
    countsOf: (key_id) => counts.get(key_id) ?? NONE,
    failed(key_id, cooldown_ms, at_least_ms = 0, reason = undefined) {
      count(key_id, 'failed')
      const failures = (cooldowns.get(key_id)?.failures ?? 0) + 1
      const cooldown_for_ms = Math.min(
        cooldown_ms * 2 ** Math.min(failures - 1, MAX_DOUBLINGS),
        MAX_COOLDOWN_MS,
      )
      const failed_at_ms = now()
      cooldowns.set(key_id, {
        failures,
        failed_at_ms,
        reason,
        until_ms: failed_at_ms + Math.max(cooldown_for_ms, Math.min(at_least_ms, MAX_COOLDOWN_MS)),
      })
    },
    succeeded(key_id) {
      count(key_id, 'answered')
      if (cooldowns.size > 0) cooldowns.delete(key_id)
    },
    cleared: (key_id) => void cooldowns.delete(key_id),
  }
}
