// Two lists merged into one: newest first, nothing twice, nothing left out, with any page size.
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { type Cursors, mergePages, type Part } from '../../../plugins/calls/console/merged.ts'

interface Row {
  id: number
  at_ms: number
  of: string
}

/**
 * A page of a list, which reads at most `max_scanned` rows. Rows with an odd id match.
 * @param cursor `below`: the next page has the rows with a lower id; `after`: those after a row, whatever their ids
 */
function partOf(
  rows: readonly Row[],
  cursor: number | undefined,
  { limit, max_scanned, by }: { limit: number; max_scanned: number; by: 'below' | 'after' },
): Part<Row> {
  const about = {
    resumeAt: (next: Row, last: Row | undefined) =>
      by === 'below' ? next.id + 1 : (last?.id ?? cursor ?? FROM_THE_NEWEST),
    timeOf: ({ at_ms }: Row) => at_ms,
  }
  if (cursor === 0) return { rows: [], next_cursor: undefined, back_to_ms: undefined, ...about }
  const is_first = cursor === undefined || cursor === FROM_THE_NEWEST
  const rest =
    by === 'below'
      ? rows.filter(({ id }) => cursor === undefined || id < cursor)
      : rows.slice(is_first ? 0 : rows.findIndex(({ id }) => id === cursor) + 1)
  const scanned = rest.slice(0, max_scanned)
  const found = scanned.filter(({ id }) => id % 2 === 1).slice(0, limit)
  const last = found.length === limit ? found.at(-1) : scanned.at(-1)
  const has_more = last !== undefined && last.id !== rest.at(-1)?.id
  return {
    rows: found,
    next_cursor: has_more ? last.id : undefined,
    back_to_ms: has_more ? last.at_ms : undefined,
    ...about,
  }
}

const FROM_THE_NEWEST = Number.MAX_SAFE_INTEGER

const times = fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 40 })
/** Rows whose ids rise with their times. */
const rowsOf = (of: string) =>
  times.map((all) =>
    all.sort((one, other) => other - one).map((at_ms, at): Row => ({ id: all.length - at, at_ms, of })),
  )
/** Rows as two gateways write them: a later one may have a lower id. */
const shuffledRowsOf = (of: string) =>
  times.map((all) =>
    all
      .map((at_ms, at): Row => ({ id: at + 1, at_ms, of }))
      .sort((one, other) => other.at_ms - one.at_ms || other.id - one.id),
  )

test('any two lists are merged completely and in order, in pages of any size', () => {
  fc.assert(
    fc.property(
      rowsOf('calls'),
      shuffledRowsOf('refusals'),
      fc.integer({ min: 1, max: 7 }),
      fc.integer({ min: 1, max: 9 }),
      (calls, refusals, limit, max_scanned) => {
        const merged: Row[] = []
        for (let from: Partial<Cursors> | undefined = {}, pages = 0; from; pages++) {
          if (pages > 500) throw new Error('the pages never end')
          const first = partOf(calls, from.first, { limit, max_scanned, by: 'below' })
          const second = partOf(refusals, from.second, { limit, max_scanned, by: 'after' })
          const page = mergePages(first, second, limit)
          expect(page.rows.length).toBeLessThanOrEqual(limit)
          if (page.next && page.rows.length < limit) expect(page.stopped_ms).toBeNumber()
          merged.push(...page.rows)
          from = page.next
        }
        const matching = [...calls, ...refusals].filter(({ id }) => id % 2 === 1)
        expect(merged).toHaveLength(matching.length)
        expect(new Set(merged)).toEqual(new Set(matching))
        expect(merged.map(({ at_ms }) => at_ms)).toEqual(
          matching.map(({ at_ms }) => at_ms).sort((one, other) => other - one),
        )
      },
    ),
  )
})
