// The space of kept answers, counted in memory: bytes and keys of each account, what is being written included. Pure.
import type { ServerSettings } from '../domain/catalogue.ts'

export interface KeepLimits {
  /** All kept answers together, headers and bodies. */
  readonly kept_bytes: number
  readonly kept_bytes_per_account: number
  /** Idempotency-Keys of one account, with and without a kept answer. */
  readonly keys_per_account: number
}

const MEGABYTE = 1024 * 1024

export const keepLimitsOf = (server: ServerSettings): KeepLimits => ({
  kept_bytes: server.kept_answers_mb * MEGABYTE,
  kept_bytes_per_account: server.kept_answers_mb_per_account * MEGABYTE,
  keys_per_account: server.idempotency_keys_per_account,
})

/** What accounts have on the disk. */
export interface Holdings {
  readonly keys: readonly { account_id: number; keys: number }[]
  readonly kept: readonly { account_id: number; kept_bytes: number }[]
}

export interface Space {
  /** Adds to what an account has kept; what was given up is negative. */
  keep(account_id: number, bytes: number): void
  /** Adds to what is being written for an account, and is neither kept nor given up yet. */
  write(account_id: number, bytes: number): void
  /** Adds to the number of an account's keys. */
  addKeys(account_id: number, keys: number): void
  keysOf(account_id: number): number
  /**
   * Who has to give up kept answers, so that an account keeps to its bound, and all of them to theirs: over the common
   * bound it is whoever keeps most, so that one account never costs the others their answers.
   *
   * @returns undefined where the bounds hold; `nobody` where what is being written is over them by itself
   */
  excess(account_id: number, limits: KeepLimits): Excess | 'nobody' | undefined
  /** The accounts that have anything. */
  accounts(): number[]
}

/** Who has to give up kept answers, and how much of what they keep. */
export interface Excess {
  readonly account_id: number
  readonly over_bytes: number
  readonly kept_bytes: number
}

interface Tally {
  kept_bytes: number
  written_bytes: number
  keys: number
}

export function createSpace({ keys, kept }: Holdings): Space {
  const tallies = new Map<number, Tally>()
  let total_bytes = 0

  function change(account_id: number, by: Partial<Tally>): void {
    const { kept_bytes = 0, written_bytes = 0, keys = 0 } = by
    const tally = tallies.get(account_id) ?? { kept_bytes: 0, written_bytes: 0, keys: 0 }
    tally.kept_bytes += kept_bytes
    tally.written_bytes += written_bytes
    tally.keys += keys
    total_bytes += kept_bytes + written_bytes
    if (tally.kept_bytes === 0 && tally.written_bytes === 0 && tally.keys === 0) tallies.delete(account_id)
    else tallies.set(account_id, tally)
  }

  function keepsMost(over_bytes: number): Excess | 'nobody' {
    let found: Excess | 'nobody' = 'nobody'
    let most_bytes = 0
    for (const [account_id, { kept_bytes }] of tallies) {
      if (kept_bytes <= most_bytes) continue
      most_bytes = kept_bytes
      found = { account_id, over_bytes, kept_bytes }
    }
    return found
  }

  for (const { account_id, ...counted } of [...keys, ...kept]) change(account_id, counted)
  return {
    keep: (account_id, kept_bytes) => change(account_id, { kept_bytes }),
    write: (account_id, written_bytes) => change(account_id, { written_bytes }),
    addKeys: (account_id, keys) => change(account_id, { keys }),
    keysOf: (account_id) => tallies.get(account_id)?.keys ?? 0,
    excess(account_id, limits) {
      const { kept_bytes = 0, written_bytes = 0 } = tallies.get(account_id) ?? {}
      const over_bytes = kept_bytes + written_bytes - limits.kept_bytes_per_account
      if (over_bytes > 0) return kept_bytes > 0 ? { account_id, over_bytes, kept_bytes } : 'nobody'
      return total_bytes > limits.kept_bytes ? keepsMost(total_bytes - limits.kept_bytes) : undefined
    },
    accounts: () => [...tallies.keys()],
  }
}
