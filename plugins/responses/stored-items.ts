// The items that a response was made from, page by page: its conversation so far, and its own input.
import type { Static } from '@sinclair/typebox'
import { invalidRequest } from '../../src/domain/errors.ts'
import { isObject, type JsonObject } from '../../src/protocols/wire/json.ts'
import { outputOf, type Turn } from '../../src/responses/reading.ts'
import type { Item, ItemsQuery, ItemsView } from './stored-views.ts'

const DEFAULT_LIMIT = 20

/** How an id begins where the caller gave an item none. */
const PREFIXES: Readonly<Record<string, string>> = {
  message: 'msg',
  function_call: 'fc',
  function_call_output: 'fco',
  reasoning: 'rs',
}

/**
 * One page of the items that a response was made from. Turns are read only as far as the page needs them.
 *
 * @param turns of the conversation up to and with the response, in the order that is asked for
 * @param id the response, whose own output is not among them
 * @throws GatewayError invalid_request for an `after` that is none of these items
 */
export async function itemsPage(
  turns: AsyncIterable<Turn>,
  id: string,
  { after, limit = DEFAULT_LIMIT, order = 'desc' }: Static<typeof ItemsQuery>,
): Promise<Static<typeof ItemsView>> {
  const data: Item[] = []
  let begun = after === undefined
  for await (const item of itemsOf(turns, id, order)) {
    if (begun) data.push(item)
    if (item.id === after) begun = true
    if (data.length > limit) break
  }
  if (!begun) throw invalidRequest(`after: there is no item "${after}" in this list.`, { param: 'after' })
  const shown = data.slice(0, limit)
  return {
    object: 'list',
    data: shown,
    first_id: shown.at(0)?.id ?? null,
    last_id: shown.at(-1)?.id ?? null,
    has_more: data.length > limit,
  }
}

/** Each item once, for a page begins after an item's id. */
async function* itemsOf(
  turns: AsyncIterable<Turn>,
  last_id: string,
  order: 'asc' | 'desc',
): AsyncGenerator<Item> {
  const shown = new Set<string>()
  for await (const turn of turns) {
    const input = turn.input.map((item, index) => itemView(item, turn.id, index))
    const output =
      turn.id === last_id ? [] : outputOf(turn).map((item, index) => itemView(item, turn.id, index))
    const items = [...input, ...output]
    for (const item of order === 'asc' ? items : items.reverse()) {
      if (shown.has(item.id)) continue
      shown.add(item.id)
      yield item
    }
  }
}

/** An item in its full form: callers may leave out its type and its id, and write content as a text. */
function itemView(item: JsonObject, response_id: string, index: number): Item {
  const type = typeof item.type === 'string' ? item.type : 'message'
  const id =
    typeof item.id === 'string' && item.id !== ''
      ? item.id
      : `${PREFIXES[type] ?? 'item'}_${response_id.replace(/^resp_/, '')}_${index}`
  if (type !== 'message') return { ...item, id, type }
  return { status: 'completed', ...item, id, type, content: contentOf(item) }
}

function contentOf({ role, content }: JsonObject): JsonObject[] {
  if (Array.isArray(content)) return content.filter(isObject)
  if (typeof content !== 'string') return []
  return role === 'assistant'
    ? [{ type: 'output_text', text: content, annotations: [] }]
    : [{ type: 'input_text', text: content }]
}
