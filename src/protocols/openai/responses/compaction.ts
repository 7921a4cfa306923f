// Compaction: a conversation summarised by its model, as one item that callers keep in its place.
import { isObject, type Json, type JsonObject, objectsIn, parseJson, stringIn } from '../../wire/json.ts'
import { itemId } from './ids.ts'
import { allItems, RECALLED } from './recalled.ts'

/** The instruction that replaces a conversation's next message. */
const REQUEST = `Sum up this conversation, so that it can be continued from your summary alone by somebody who sees nothing else of it.
Keep the user's requests and wishes in their own words, what was decided and why, what was done and with which results, names of files
and exact values that are still needed, and what remains to be done next. Write only the summary.`

const INTRODUCTION = 'Summary of the conversation until here:'

/** The gateway's own compaction: `encrypted_content` is base64 of JSON, unlike that of any provider. */
const compactionItem = (id: string, summary: string): JsonObject => ({
  id,
  type: 'compaction',
  encrypted_content: Buffer.from(JSON.stringify({ tollgate_summary: summary })).toString('base64'),
})

/** The summary in the gateway's own compaction; undefined for a provider's. */
export function gatewaySummary({ encrypted_content }: JsonObject): string | undefined {
  const held = parseJson(Buffer.from(stringIn(encrypted_content) ?? '', 'base64').toString())
  const summary = isObject(held) ? stringIn(held.tollgate_summary) : undefined
  return summary === undefined ? undefined : `${INTRODUCTION}\n\n${summary}`
}

const isTrigger = (item: Json): boolean => isObject(item) && item.type === 'compaction_trigger'

/** Whether an item of a request triggers a compaction. */
export const asksForCompaction = ({ input }: JsonObject): boolean =>
  Array.isArray(input) && input.some(isTrigger)

/** The fields that turn a request into one for a summary. */
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
const messageText = (response: JsonObject): string =>
  objectsIn(response.output)
    .flatMap(({ type, content }) => (type === 'message' ? objectsIn(content) : []))
    .map(({ text }) => stringIn(text) ?? '')
    .join('')

/** Replaces the output of a response by a compaction with the text of its messages. */
export const compactedResponse = (response: JsonObject, call_id: string): JsonObject => ({
  ...response,
  output: [compactionItem(itemId('compaction', call_id, 0), messageText(response))],
})

/** The compaction as the answer of the endpoint /v1/responses/compact. */
export const compactionObject = ({ id, created_at, output, usage }: JsonObject): JsonObject => ({
  id: id ?? null,
  object: 'response.compaction',
  created_at: created_at ?? null,
  output: output ?? [],
  usage: usage ?? null,
})
