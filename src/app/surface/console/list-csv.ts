// CSV files of lists: all rows that match the filter, read at the pace of the download.
import { Type } from '@sinclair/typebox'
import type { Viewer } from '../../../access/viewer.ts'
import { brandSlug } from '../../../domain/brand.ts'
import { dayOf } from '../../../domain/zones.ts'
import { type Cell, type CsvColumns, columnsIn, csvAnswer } from '../../../http/csv.ts'
import { readZone } from '../../../http/period.ts'
import { endOfTurn } from '../../../utilities/end-of-turn.ts'
import type { Gateway } from '../gateway.ts'
import { beginExport, type ConsoleParts } from './calls.ts'

export const CsvFile = Type.Unsafe<Response>(
  Type.Any({ description: 'all rows of the list that match its filter', contentMediaType: 'text/csv' }),
)

interface CsvList<Row> {
  list: string
  columns: CsvColumns<Row>
  parts: AsyncGenerator<readonly Row[]>
  /** The time zone of its times and of its file name; UTC if absent. */
  zone?: string | undefined
}

/**
 * Answers `GET /console/api/<list>.csv` with a file named after the list and the day.
 * @param columns by their heads: times as `time_utc`, converted to `zone`, amounts as `cost_usd`, IDs beside names
 * @param parts the list's rows in its order; `allPages` reads them from a list with pages
 * @throws what the first part throws, so that a refusal is an error answer instead of a truncated file
 */
export async function listCsv<Row>(
  gateway: Pick<ConsoleParts, 'people'> & Pick<Gateway, 'calls'>,
  viewer: Viewer,
  { list, columns, parts, ...of }: CsvList<Row>,
): Promise<Response> {
  const zone = readZone(of)
  const zoned = columnsIn(zone, columns)
  const onEnd = beginExport(gateway, viewer)
  const { name: day } = dayOf(gateway.calls.now(), zone)
  const file = {
    name: `${brandSlug(gateway.calls.catalogue().brand)}-${list}-${day}.csv`,
    head: Object.keys(zoned),
  }
  try {
    return csvAnswer(file, linesOf(zoned, await withFirst(parts)), onEnd)
  } catch (thrown) {
    onEnd()
    throw thrown
  }
}

/** Waits for the first part, and returns all parts. */
async function withFirst<Row>(
  parts: AsyncGenerator<readonly Row[]>,
): Promise<AsyncGenerator<readonly Row[]>> {
  const first = await parts.next()
  return (async function* () {
    if (first.done) return
    yield first.value
    yield* parts
  })()
}

async function* linesOf<Row>(
  columns: CsvColumns<Row>,
  parts: AsyncGenerator<readonly Row[]>,
): AsyncGenerator<Cell[][]> {
  const cells = Object.values(columns)
  for await (const part of parts) yield part.map((row) => cells.map((cell) => cell(row)))
}

interface SomePage<Row> {
  rows: readonly Row[]
  next_cursor: number | undefined | null
}

/**
 * Yields the pages of a list one after the other, with a turn of the event loop between them.
 * @param limit rows per read: about 5 ms
 */
export async function* allPages<Row>(
  limit: number,
  read: (page: { limit: number; cursor?: number }) => SomePage<Row> | Promise<SomePage<Row>>,
): AsyncGenerator<readonly Row[]> {
  for (let page: { limit: number; cursor?: number } = { limit }; ; ) {
    const { rows, next_cursor } = await read(page)
    yield rows
    if (next_cursor === undefined || next_cursor === null) return
    page = { limit, cursor: next_cursor }
    await endOfTurn()
  }
}

/** Yields the rows of a list without pages. */
export async function* onePart<Row>(rows: readonly Row[]): AsyncGenerator<readonly Row[]> {
  yield rows
}
