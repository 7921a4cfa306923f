// Lists as files: all rows of a list that match the filter in force, as CSV, read as their reader takes them.
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

interface Listed<Row> {
  list: string
  columns: CsvColumns<Row>
  parts: AsyncGenerator<readonly Row[]>
  /** Of its times and of its name; UTC where absent. */
  zone?: string | undefined
}

/**
 * The answer of `GET /console/api/<list>.csv`, a file called after the list and the day.
 * @param columns by their names in the head: times as `time_utc`, which `zone` puts into a zone, amounts as `cost_usd`, ids beside names
 * @param parts the list's rows in its own order; `allPages` makes them of a list in pages
 * @throws what the first part throws: a refusal is an answer, and no file that breaks off
 */
export async function listCsv<Row>(
  gateway: Pick<ConsoleParts, 'people'> & Pick<Gateway, 'calls'>,
  viewer: Viewer,
  { list, columns, parts, ...of }: Listed<Row>,
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

/** The same parts, once the first one is there. */
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
 * The pages of a list one after the other, with a turn for calls between two.
 * @param limit rows that are read in one turn: some 5 ms
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

/** A list that has no pages. */
export async function* onePart<Row>(rows: readonly Row[]): AsyncGenerator<readonly Row[]> {
  yield rows
}
