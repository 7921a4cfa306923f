// A byte budget shared by accounts: each may take half of what the others leave, so that another account still gets some.

export interface SharedBytes {
  /** @returns false, without taking anything, if the account would have too many */
  take(account_id: number, bytes: number): boolean
  give(account_id: number, bytes: number): void
}

/** @param limit_bytes the total of all accounts */
export function createSharedBytes(limit_bytes: number): SharedBytes {
  let taken_bytes = 0
  const taken_by = new Map<number, number>()
  return {
    take(account_id, bytes) {
      const before_bytes = taken_by.get(account_id) ?? 0
      const of_account = before_bytes + bytes
      const of_others = taken_bytes - before_bytes
      if (of_account > (limit_bytes - of_others) / 2) return false
      taken_bytes += bytes
      taken_by.set(account_id, of_account)
      return true
    },
    give(account_id, bytes) {
      taken_bytes -= bytes
      const left_bytes = (taken_by.get(account_id) ?? 0) - bytes
      if (left_bytes > 0) taken_by.set(account_id, left_bytes)
      else taken_by.delete(account_id)
    },
  }
}
