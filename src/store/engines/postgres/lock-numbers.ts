// The numbers of the database's advisory locks, one for each purpose: the same in every version.

export const LOCKS = {
  migration: 7_261_483,
  /** The operator has no row to lock. */
  operator: 7_261_484,
  backup: 7_261_485,
  audit: 7_261_486,
} as const
