// The count of writes through this process's connections. A cache of rows compares it, which is cheaper than asking SQLite.

let count = 0

/** Called after a write is committed, before its caller is answered. */
export const countOwnWrite = (): void => {
  count += 1
}

/** Returns the number of writes, to any file. The ledger's own commits do not count. */
export const ownWrites = (): number => count
