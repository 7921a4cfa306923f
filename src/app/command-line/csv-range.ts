// The range of a list that a command prints as CSV: all rows, or as many as --limit says.
import type { Command } from 'commander'
import type { Page, PageRequest } from '../../store/page.ts'

export const CSV_WORDS = 'print CSV with all columns and, without --limit, all rows'

export interface CsvRange {
  cursor: number | undefined
  /** The number of rows; undefined for all. */
  limit: number | undefined
}

const ROWS_A_PAGE = 1_000

/** @param options of the command line; the default of --limit is for pages on a screen */
export const csvRange = (
  command: Command,
  { limit, before }: { limit: number; before?: number | undefined },
): CsvRange => ({
  cursor: before,
  limit: command.getOptionValueSource('limit') === 'default' ? undefined : limit,
})

/** Yields the pages of a range, each read only after the one before was consumed. */
export async function* pagesOf<Row>(
  pageAt: (request: PageRequest) => Promise<Page<Row>>,
  { cursor, limit = Number.POSITIVE_INFINITY }: CsvRange,
): AsyncGenerator<readonly Row[]> {
  let at = cursor
  for (let left = limit; left > 0; ) {
    const { rows, next_cursor } = await pageAt({ limit: Math.min(ROWS_A_PAGE, left), cursor: at })
    yield rows
    if (next_cursor === undefined) return
    left -= rows.length
    at = next_cursor
  }
}
