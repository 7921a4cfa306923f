// Pages of rows by id: each begins beside the id that ended the one before, so that none is shown twice or left out.

export interface PageRequest {
  /** At most this many rows; from 1. */
  limit: number
  /** The `next_cursor` of the page before; absent for the first page. */
  cursor?: number | undefined
}

export interface Page<T> {
  rows: T[]
  /** Where the next page begins; undefined on the last one. */
  next_cursor: number | undefined
}

/** The placeholders of a prepared query for a page, newest first: rows whose id is below `below_id`, one more than are shown. */
export const pageValues = ({ limit, cursor = Number.MAX_SAFE_INTEGER }: PageRequest) => ({
  below_id: cursor,
  row_limit: limit + 1,
})

/** The same of a list with the oldest first: rows whose id is above `after_id`. */
export const laterPageValues = ({ limit, cursor = 0 }: PageRequest) => ({
  after_id: cursor,
  row_limit: limit + 1,
})

/** The page that the rows of such a query make. */
export function pageOf<T extends { id: number }>(found: T[], { limit }: PageRequest): Page<T> {
  const rows = found.slice(0, limit)
  return { rows, next_cursor: found.length > limit ? rows.at(-1)?.id : undefined }
}
