// The numbers of the locks that a database has beside its rows, one for each purpose: the same in every version.

export const LOCKS = {
  migration: 7_261_483,
  /** The operator has no row to lock. */
  operator: 7_261_484,
  backup: 7_261_485,
  audit: 7_261_486,
} as const
