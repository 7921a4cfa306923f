// Compaction: a conversation that was summed up by its model, as one item that callers keep in its place.
import { isObject, type Json, type JsonObject, objectsIn, parseJson, stringIn } from '../../wire/json.ts'
import { itemId } from './ids.ts'
import { allItems, RECALLED } from './recalled.ts'

/** The instruction in place of a conversation's next message. */
const REQUEST = `Sum up this conversation, so that it can be continued from your summary alone by somebody who sees nothing else of it.
Keep the user's requests and wishes in their own words, what was decided and why, what was done and with which results, names of files
and exact values that are still needed, and what remains to be done next. Write only the summary.`

const INTRODUCTION = 'Summary of the conversation until here:'

/** The text of a compaction of ours as `encrypted_content`: base64 of JSON, unlike any provider's own. */
const compactionItem = (id: string, summary: string): JsonObject => ({
  id,
  type: 'compaction',
  encrypted_content: Buffer.from(JSON.stringify({ tollgate_summary: summary })).toString('base64'),
})

/** The summary in the gateway's own compaction; undefined for a provider's. */
export function compactedText({ encrypted_content }: JsonObject): string | undefined {
  const held = parseJson(Buffer.from(stringIn(encrypted_content) ?? '', 'base64').toString())
  const summary = isObject(held) ? stringIn(held.tollgate_summary) : undefined
  return summary === undefined ? undefined : `${INTRODUCTION}\n\n${summary}`
}

const isTrigger = (item: Json): boolean => isObject(item) && item.type === 'compaction_trigger'

/** Whether a request's last item asks for the conversation to be summed up. */
export const asksForCompaction = ({ input }: JsonObject): boolean =>
  Array.isArray(input) && input.some(isTrigger)

/** The fields that make a request one for a summary. */
export const compactionFields = (body: JsonObject): JsonObject => ({
  input: [
    ...allItems(body).flatMap(({ item }) => (isTrigger(item) ? [] : [item])),
    { type: 'message', role: 'user', content: REQUEST },
  ],
  [RECALLED]: { before: [], items: {} },
  tool_choice: 'none',
  text: {},
})

/** The text of a response's messages. */
const writtenIn = (response: JsonObject): string =>
  objectsIn(response.output)
    .flatMap(({ type, content }) => (type === 'message' ? objectsIn(content) : []))
    .map(({ text }) => stringIn(text) ?? '')
    .join('')

/** A response with a summary in its messages, reduced to the summary as its only item. */
export const compactedResponse = (response: JsonObject, call_id: string): JsonObject => ({
  ...response,
  output: [compactionItem(itemId('compaction', call_id, 0), writtenIn(response))],
})

/** The same as the answer of the endpoint that does nothing else. */
export const compactionObject = ({ id, created_at, output, usage }: JsonObject): JsonObject => ({
  id: id ?? null,
  object: 'response.compaction',
  created_at: created_at ?? null,
  output: output ?? [],
  usage: usage ?? null,
})
