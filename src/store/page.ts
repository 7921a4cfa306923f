// Pages of rows by id: each begins next to the id at which the previous one ended, so that no row is repeated or left out.

export interface PageRequest {
  /** The most rows; at least 1. */
  limit: number
  /** The `next_cursor` of the previous page; absent for the first page. */
  cursor?: number | undefined
}

export interface Page<T> {
  rows: T[]
  /** The start of the next page; undefined on the last one. */
  next_cursor: number | undefined
}

/** Returns the values for a prepared query, newest first: rows with an id below `below_id`, one more than the page has. */
export const pageValues = ({ limit, cursor = Number.MAX_SAFE_INTEGER }: PageRequest) => ({
  below_id: cursor,
  row_limit: limit + 1,
})

/** Returns the values for a list with the oldest first: rows with an id above `after_id`. */
export const laterPageValues = ({ limit, cursor = 0 }: PageRequest) => ({
  after_id: cursor,
  row_limit: limit + 1,
})

/** Makes a page of such a query's rows. */
export function pageOf<T extends { id: number }>(found: T[], { limit }: PageRequest): Page<T> {
  const rows = found.slice(0, limit)
  return { rows, next_cursor: found.length > limit ? rows.at(-1)?.id : undefined }
}
