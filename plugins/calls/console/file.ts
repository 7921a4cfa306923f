// CSV file of calls and refused requests, newest first.
import type { Viewer } from '../../../src/access/viewer.ts'
import { csvFor } from '../../../src/app/list/columns.ts'
import type { ConsoleParts } from '../../../src/app/surface/console/calls.ts'
import { allPages, listCsv, onePart } from '../../../src/app/surface/console/list-csv.ts'
import { listRefusals, type RecordedRefusal, refused_requests } from '../../refusals/index.ts'
import { callCsv, type ListedCall } from '../columns.ts'
import { allCalls } from '../listing.ts'
import { refusedCall } from './call-row.ts'
import type { RequestedCalls } from './filter.ts'

const REFUSALS_AT_ONCE = 500
/** Limits the lines in memory when many refused requests are between two calls. */
const MAX_PART_LINES = 1_000

/** If the filter matches refused requests only, the file has their columns, with their codes. */
export function callsFile(
  gateway: ConsoleParts,
  viewer: Viewer,
  { calls, refusals }: RequestedCalls,
  zone: string | undefined,
): Promise<Response> {
  const { db } = gateway
  const refused = refusals
    ? allPages(REFUSALS_AT_ONCE, async (page) => listRefusals(db, refusals, page))
    : onePart<RecordedRefusal>([])
  if (!calls) {
    const columns = csvFor(refused_requests.columns, viewer.side)
    return listCsv(gateway, viewer, { list: 'refused', columns, parts: refused, zone })
  }
  const columns = callCsv(viewer.side)
  const parts = newestFirst<ListedCall>(allCalls(db, calls), linesOf(refused))
  return listCsv(gateway, viewer, { list: 'calls', columns, parts, zone })
}

async function* linesOf(parts: AsyncGenerator<readonly RecordedRefusal[]>): AsyncGenerator<ListedCall[]> {
  for await (const part of parts) yield part.map(refusedCall)
}

/** Merges two lists by time, in parts of limited size. */
async function* newestFirst<Line extends { started_at_ms: number }>(
  first: AsyncGenerator<readonly Line[]>,
  second: AsyncGenerator<readonly Line[]>,
): AsyncGenerator<readonly Line[]> {
  const others = lineByLine(second)
  let other = await others.next()
  let lines: Line[] = []
  for await (const part of first) {
    for (const line of part) {
      for (; !other.done && other.value.started_at_ms > line.started_at_ms; other = await others.next()) {
        if (lines.push(other.value) < MAX_PART_LINES) continue
        yield lines
        lines = []
      }
      lines.push(line)
    }
    yield lines
    lines = []
  }
  for (; !other.done; other = await others.next()) {
    if (lines.push(other.value) < MAX_PART_LINES) continue
    yield lines
    lines = []
  }
  yield lines
}

async function* lineByLine<Line>(parts: AsyncGenerator<readonly Line[]>): AsyncGenerator<Line> {
  for await (const part of parts) yield* part
}
