// The space of kept content, counted in memory: the bytes of each account, including those being written. Pure.

export const MEGABYTE = 1024 * 1024

export interface KeepLimits {
  /** The limit of all accounts together. */
  readonly kept_bytes: number
  readonly kept_bytes_per_account: number
}

/** The kept bytes of an account. */
export interface Holding {
  readonly account_id: number
  readonly kept_bytes: number
}

export interface Space {
  /** Adds to the kept bytes of an account; negative for dropped content. */
  keep(account_id: number, bytes: number): void
  /** Adds to the bytes that are being written for an account, and are not kept yet. */
  write(account_id: number, bytes: number): void
  /**
   * Returns the account that must drop content, so that each account keeps to its bound, and all together to theirs. If the common bound is
   * exceeded, it is the account that keeps most, so that one account never takes the space of the others.
   *
   * @returns undefined if the bounds hold; `nobody` if the bytes being written alone exceed them
   */
  excess(account_id: number, limits: KeepLimits): Excess | 'nobody' | undefined
  /** Sets the accounts' kept bytes to those of their rows. Bytes being written stay counted. */
  renew(holdings: readonly Holding[]): void
  /** Returns the kept bytes of an account. */
  kept(account_id: number): number
  /** Returns the accounts that keep anything. */
  accounts(): number[]
}

/** The account that must drop content, and how much. */
export interface Excess {
  readonly account_id: number
  readonly over_bytes: number
  readonly kept_bytes: number
}

interface Tally {
  kept_bytes: number
  written_bytes: number
}

export function createSpace(holdings: readonly Holding[]): Space {
  const tallies = new Map<number, Tally>()
  let total_bytes = 0

  function change(account_id: number, by: Partial<Tally>): void {
    const { kept_bytes = 0, written_bytes = 0 } = by
    const tally = tallies.get(account_id) ?? { kept_bytes: 0, written_bytes: 0 }
    tally.kept_bytes += kept_bytes
    tally.written_bytes += written_bytes
    total_bytes += kept_bytes + written_bytes
    if (tally.kept_bytes === 0 && tally.written_bytes === 0) tallies.delete(account_id)
    else tallies.set(account_id, tally)
  }

  function excessOfLargest(over_bytes: number): Excess | 'nobody' {
    let found: Excess | 'nobody' = 'nobody'
    let most_bytes = 0
    for (const [account_id, { kept_bytes }] of tallies) {
      if (kept_bytes <= most_bytes) continue
      most_bytes = kept_bytes
      found = { account_id, over_bytes, kept_bytes }
    }
    return found
  }

  for (const { account_id, kept_bytes } of holdings) change(account_id, { kept_bytes })
  return {
    keep: (account_id, kept_bytes) => change(account_id, { kept_bytes }),
    write: (account_id, written_bytes) => change(account_id, { written_bytes }),
    excess(account_id, limits) {
      const { kept_bytes = 0, written_bytes = 0 } = tallies.get(account_id) ?? {}
      const over_bytes = kept_bytes + written_bytes - limits.kept_bytes_per_account
      if (over_bytes > 0) return kept_bytes > 0 ? { account_id, over_bytes, kept_bytes } : 'nobody'
      return total_bytes > limits.kept_bytes ? excessOfLargest(total_bytes - limits.kept_bytes) : undefined
    },
    renew(now) {
      for (const [account_id, { kept_bytes }] of [...tallies]) change(account_id, { kept_bytes: -kept_bytes })
      for (const { account_id, kept_bytes } of now) change(account_id, { kept_bytes })
    },
    kept: (account_id) => tallies.get(account_id)?.kept_bytes ?? 0,
    accounts: () => [...tallies.keys()],
  }
}
