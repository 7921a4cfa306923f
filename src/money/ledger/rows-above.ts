// The rows that a rule covers, in SQL: all of them, or those above a mark.

/** The calls and entries that a rule covers. */
export interface Source {
  calls: string
  /** The calls, and earlier ones with a new refund. */
  refunded: string
  entries: string
}

export const ALL: Source = { calls: 'calls', refunded: 'calls', entries: 'entries' }
const NEW_CALLS = 'SELECT * FROM calls WHERE id > $call_id'
export const ABOVE: Source = {
  calls: `(${NEW_CALLS})`,
  refunded: `(${NEW_CALLS} UNION ALL SELECT * FROM calls WHERE id <= $call_id
              AND id IN (SELECT call_id FROM entries WHERE kind = 'refund' AND id > $entry_id))`,
  entries: '(SELECT * FROM entries WHERE id > $entry_id)',
}

/** Returns a rule's queries: for all rows, and for those above a mark. */
export const forBothSources = (text: (rows: Source) => string) => ({ sql: text(ALL), above: text(ABOVE) })
