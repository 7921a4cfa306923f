// Merge of two lists with cursors into one page, newest first.

/** The rows that were read from one of the lists. */
export interface Part<Row> {
  rows: readonly Row[]
  /** The cursor after these rows; undefined if the list ends with them. */
  next_cursor: number | undefined
  /** The time back to which the list was read; undefined if it was read to its end. */
  back_to_ms: number | undefined
  /** Returns the cursor of a page that begins with `next`. @param last the row before it; undefined if this page takes no row of the list */
  resumeAt: (next: Row, last: Row | undefined) => number
  timeOf: (row: Row) => number
}

/** The next cursor of each list; 0 if the list is finished. */
export interface Cursors {
  first: number
  second: number
}

export interface MergedPage<Row> {
  rows: Row[]
  /** Undefined on the last page. */
  next: Cursors | undefined
  /** The time back to which the page goes, if it has fewer rows than its limit although there are more. */
  stopped_ms: number | undefined
}

/**
 * Returns at most `limit` rows of both lists. If one list was not read to its end, the page has no older rows of the other list.
 */
export function mergePages<First, Second>(
  first: Part<First>,
  second: Part<Second>,
  limit: number,
): MergedPage<First | Second> {
  const rows: (First | Second)[] = []
  let at_first = 0
  let at_second = 0
  while (rows.length < limit) {
    const one = first.rows[at_first]
    const other = second.rows[at_second]
    const one_ms = one === undefined ? -1 : first.timeOf(one)
    const other_ms = other === undefined ? -1 : second.timeOf(other)
    if (one !== undefined && one_ms >= other_ms) {
      if (other === undefined && mayHaveNewer(second, one_ms)) break
      rows.push(one)
      at_first += 1
    } else if (other !== undefined) {
      if (one === undefined && mayHaveNewer(first, other_ms)) break
      rows.push(other)
      at_second += 1
    } else break
  }
  const next = { first: cursorAt(first, at_first), second: cursorAt(second, at_second) }
  const is_finished = next.first === 0 && next.second === 0
  return {
    rows,
    next: is_finished ? undefined : next,
    stopped_ms: is_finished || rows.length === limit ? undefined : later(first.back_to_ms, second.back_to_ms),
  }
}

/** Whether unread rows of a list may be newer than a time. */
const mayHaveNewer = <Row>({ next_cursor, back_to_ms }: Part<Row>, time_ms: number): boolean =>
  next_cursor !== undefined && (back_to_ms === undefined || time_ms < back_to_ms)

function cursorAt<Row>({ rows, next_cursor, resumeAt }: Part<Row>, taken: number): number {
  const next = rows[taken]
  return next === undefined ? (next_cursor ?? 0) : resumeAt(next, rows[taken - 1])
}

/** Returns the later time: both lists were read back to it. */
const later = (one_ms: number | undefined, other_ms: number | undefined): number | undefined =>
  one_ms === undefined || other_ms === undefined ? (one_ms ?? other_ms) : Math.max(one_ms, other_ms)
