// Two lists as one page, the newest first: each in its own order, the heads compared by their times.

/** One list's next page, as far as it was read. */
export interface Part<Row> {
  rows: readonly Row[]
  /** Where it goes on; undefined if there is no more. */
  next_cursor: number | undefined
  /** How far back it was read; undefined if it was read to its end. */
  back_to_ms: number | undefined
  /** Where the next page begins with a row. @param last the row before it; undefined: no row of this page was taken */
  resumeAt: (next: Row, last: Row | undefined) => number
  timeOf: (row: Row) => number
}

/** Where each of the two goes on. 0: it is over. */
export interface Cursors {
  first: number
  second: number
}

export interface Merged<Row> {
  rows: Row[]
  /** Undefined on the last page. */
  next: Cursors | undefined
  /** How far back the page went, where it has fewer rows than its limit although there are more. */
  stopped_ms: number | undefined
}

/**
 * At most `limit` rows of both. Where one list was not read to its end, no row of the other that is older than that is on the page yet.
 */
export function merged<First, Second>(
  first: Part<First>,
  second: Part<Second>,
  limit: number,
): Merged<First | Second> {
  const rows: (First | Second)[] = []
  let at_first = 0
  let at_second = 0
  while (rows.length < limit) {
    const one = first.rows[at_first]
    const other = second.rows[at_second]
    const one_ms = one === undefined ? -1 : first.timeOf(one)
    const other_ms = other === undefined ? -1 : second.timeOf(other)
    if (one !== undefined && one_ms >= other_ms) {
      if (other === undefined && isBeyond(second, one_ms)) break
      rows.push(one)
      at_first += 1
    } else if (other !== undefined) {
      if (one === undefined && isBeyond(first, other_ms)) break
      rows.push(other)
      at_second += 1
    } else break
  }
  const next = { first: restOf(first, at_first), second: restOf(second, at_second) }
  const is_over = next.first === 0 && next.second === 0
  return {
    rows,
    next: is_over ? undefined : next,
    stopped_ms: is_over || rows.length === limit ? undefined : furthest(first.back_to_ms, second.back_to_ms),
  }
}

/** Whether rows of a list that were not read yet may be newer than a time. */
const isBeyond = <Row>({ next_cursor, back_to_ms }: Part<Row>, time_ms: number): boolean =>
  next_cursor !== undefined && (back_to_ms === undefined || time_ms < back_to_ms)

function restOf<Row>({ rows, next_cursor, resumeAt }: Part<Row>, taken: number): number {
  const next = rows[taken]
  return next === undefined ? (next_cursor ?? 0) : resumeAt(next, rows[taken - 1])
}

/** Both went at least as far back as this. */
const furthest = (one_ms: number | undefined, other_ms: number | undefined): number | undefined =>
  one_ms === undefined || other_ms === undefined ? (one_ms ?? other_ms) : Math.max(one_ms, other_ms)
