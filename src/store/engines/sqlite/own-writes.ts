// The count of writes through this process's connections: a cache of rows compares it, which costs less than asking SQLite.

let count = 0

/** Called once a write is committed, before its caller is answered. */
export const countOwnWrite = (): void => {
  count += 1
}

/** How many there were, to any file. What the ledger itself commits does not count. */
export const ownWrites = (): number => count
