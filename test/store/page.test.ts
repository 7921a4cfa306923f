// Pages of rows: where each ends, and where the next one begins.
import { describe, expect, test } from 'bun:test'
import { type PageRequest, pageOf, pageValues } from '../../src/store/page.ts'

/** The rows that a prepared query finds among rows 1 to 5 for a request, newest first. */
function found(request: PageRequest): { id: number }[] {
  const { below_id, row_limit } = pageValues(request)
  return [5, 4, 3, 2, 1]
    .filter((id) => id < below_id)
    .slice(0, row_limit)
    .map((id) => ({ id }))
}

describe('a page', () => {
  test.each<[string, PageRequest, ids: number[], next_cursor: number | undefined]>([
    ['that is the first', { limit: 2 }, [5, 4], 4],
    ['that continues another', { limit: 2, cursor: 4 }, [3, 2], 2],
    ['that is the last, and not full', { limit: 2, cursor: 2 }, [1], undefined],
    ['that is the last, and full', { limit: 2, cursor: 3 }, [2, 1], undefined],
    ['of all rows', { limit: 5 }, [5, 4, 3, 2, 1], undefined],
    ['below the last row', { limit: 5, cursor: 1 }, [], undefined],
    ['of one row', { limit: 1, cursor: 5 }, [4], 4],
  ])('%s', (_, request, ids, next_cursor) => {
    expect(pageOf(found(request), request)).toEqual({ rows: ids.map((id) => ({ id })), next_cursor })
  })
})
