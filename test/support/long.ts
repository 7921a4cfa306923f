// Tests that only a long run includes (`bun run test:long`), because they take too long for every change.

/** Whether this is a long run. */
export const IS_LONG = process.env.TOLLGATE_LONG === '1'

/** The time-out of a test that does more in a long run. */
export const timeoutMs = (otherwise_ms: number): number => (IS_LONG ? 3_600_000 : otherwise_ms)

const SHARE = 3

/**
 * The tested cells of a table's row: in a long run all of them, otherwise a third, which differs from row to row, so that three rows
 * together have every column.
 */
export const sample = <Cell>(cells: readonly Cell[], row: number): readonly Cell[] =>
  IS_LONG ? cells : cells.filter((_, column) => (row + column) % SHARE === 0)
