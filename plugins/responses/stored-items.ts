// Pages of the items that a response was made from: its earlier conversation and its own input.
import type { Static } from '@sinclair/typebox'
import type { BodyShare } from '../../src/calls/bodies/memory.ts'
import { invalidRequest } from '../../src/domain/errors.ts'
import { createPace } from '../../src/responses/lines.ts'
import type { Turn } from '../../src/responses/reading.ts'
import { itemsOfLine, type ListedItem } from './items.ts'
import type { ItemsQuery } from './stored-views.ts'

const DEFAULT_LIMIT = 20
/** A page ends with the item that exceeds this size. */
const MAX_PAGE_BYTES = 16 * 1024 * 1024
/** Memory per stored byte: the bytes read, and the page. */
const COPIES = 2

interface ReadOptions {
  /** Grows with the bytes read; the caller of this function releases it once the page is sent. */
  readonly memory: BodyShare
  readonly gone: AbortSignal
}

/**
 * Makes one page of items. Reads only as many turns as the page needs.
 * @param turns the conversation up to and including the response, in the requested order
 * @param id the response, whose own output is left out
 * @returns the page as pieces of JSON
 * @throws GatewayError invalid_request if `after` is none of these items; rate_limited if memory is not available in time
 */
export async function itemsPage(
  turns: AsyncIterable<Turn>,
  id: string,
  { after, limit = DEFAULT_LIMIT, order = 'desc' }: Static<typeof ItemsQuery>,
  reading: ReadOptions,
): Promise<Uint8Array[]> {
  const page: ListedItem[] = []
  let page_bytes = 0
  let is_past_cursor = after === undefined
  let has_more = false
  for await (const item of itemsOf(turns, id, order, reading)) {
    if (is_past_cursor) {
      has_more = page.length === limit || page_bytes >= MAX_PAGE_BYTES
      if (has_more) break
      page.push(item)
      page_bytes += item.json.length
    }
    if (item.id === after) is_past_cursor = true
  }
  if (!is_past_cursor)
    throw invalidRequest(`after: item "${after}" not found in this list.`, { param: 'after' })
  const ends = { first_id: page.at(0)?.id ?? null, last_id: page.at(-1)?.id ?? null, has_more }
  return [
    Buffer.from('{"object":"list","data":['),
    ...page.flatMap(({ json }, index) => (index === 0 ? [json] : [COMMA, json])),
    Buffer.from(`],${JSON.stringify(ends).slice(1)}`),
  ]
}

const COMMA = Buffer.from(',')

/** Yields each item once, because a page starts after the id of an item. */
async function* itemsOf(
  turns: AsyncIterable<Turn>,
  last_id: string,
  order: 'asc' | 'desc',
  reading: ReadOptions,
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
