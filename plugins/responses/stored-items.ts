// The items that a response was made from, page by page: its conversation so far, and its own input.
import type { Static } from '@sinclair/typebox'
import type { BodyShare } from '../../src/calls/bodies/memory.ts'
import { invalidRequest } from '../../src/domain/errors.ts'
import { createPace } from '../../src/responses/lines.ts'
import type { Turn } from '../../src/responses/reading.ts'
import { itemsOfLine, type ListedItem } from './items.ts'
import type { ItemsQuery } from './stored-views.ts'

const DEFAULT_LIMIT = 20
/** A page ends with the item that makes it this large: the next one begins there. */
const MAX_PAGE_BYTES = 16 * 1024 * 1024
/** As they are read, and in the page. */
const COPIES = 2

interface ReadingItems {
  /** Takes the memory of what is read; the caller frees it when the page has left. */
  readonly memory: BodyShare
  readonly gone: AbortSignal
}

/**
 * One page of the items that a response was made from. Turns are read only as far as the page needs them.
 * @param turns of the conversation up to and with the response, in the order that is asked for
 * @param id the response, whose own output is not among them
 * @returns the page as pieces of JSON
 * @throws GatewayError invalid_request for an `after` that is none of these items; rate_limited if there is no memory
 * in time
 */
export async function itemsPage(
  turns: AsyncIterable<Turn>,
  id: string,
  { after, limit = DEFAULT_LIMIT, order = 'desc' }: Static<typeof ItemsQuery>,
  reading: ReadingItems,
): Promise<Uint8Array[]> {
  const page: ListedItem[] = []
  let page_bytes = 0
  let has_begun = after === undefined
  let has_more = false
  for await (const item of itemsOf(turns, id, order, reading)) {
    if (has_begun) {
      has_more = page.length === limit || page_bytes >= MAX_PAGE_BYTES
      if (has_more) break
      page.push(item)
      page_bytes += item.json.length
    }
    if (item.id === after) has_begun = true
  }
  if (!has_begun) throw invalidRequest(`after: item "${after}" not found in this list.`, { param: 'after' })
  const ends = { first_id: page.at(0)?.id ?? null, last_id: page.at(-1)?.id ?? null, has_more }
  return [
    Buffer.from('{"object":"list","data":['),
    ...page.flatMap(({ json }, index) => (index === 0 ? [json] : [COMMA, json])),
    Buffer.from(`],${JSON.stringify(ends).slice(1)}`),
  ]
}

const COMMA = Buffer.from(',')

/** Each item once, for a page begins after an item's id. */
async function* itemsOf(
  turns: AsyncIterable<Turn>,
  last_id: string,
  order: 'asc' | 'desc',
  reading: ReadingItems,
): AsyncGenerator<ListedItem> {
  const seen = new Set<string>()
  const pace = createPace()
  for await (const turn of turns) {
    await reading.memory.grow(turn.kept_bytes * COPIES, reading.gone)
    const [response, ...input] = await turn.lines()
    const lines = input.map((line, input_index) => ({ line, of: { response_id: turn.id, input_index } }))
    const output = { line: response, of: { response_id: turn.id, input_index: undefined } }
    const all = turn.id === last_id ? lines : [...lines, output]
    for (const { line, of } of order === 'asc' ? all : all.reverse()) {
      const items = await itemsOfLine(line, of)
      for (const item of order === 'asc' ? items : items.reverse()) {
        if (seen.has(item.id)) continue
        seen.add(item.id)
        yield item
      }
      await pace(line.length)
    }
  }
}
