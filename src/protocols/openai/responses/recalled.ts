// Recalled items: earlier parts of a conversation that the gateway adds to a request before it reads the request.
import {
  compact,
  isObject,
  type Json,
  type JsonObject,
  objectIn,
  objectsIn,
  refusal,
} from '../../wire/json.ts'

/** The field with the recalled items. Callers may not send it. */
export const RECALLED = 'tollgate_recalled'

export interface Recalled {
  /** The items before those of the request. */
  before: readonly JsonObject[]
  /** The items that `item_reference` items refer to, by id. */
  items: Readonly<Record<string, JsonObject>>
  /** The tools that items add to those of the request. */
  tools?: readonly JsonObject[]
}

/** The request's field with recalled items. */
export const recalledFields = ({ before, items, tools = [] }: Recalled): JsonObject => ({
  [RECALLED]: compact({
    before: [...before],
    items: { ...items },
    tools: [...tools],
  }),
})

/** The items already recalled for a request. */
export function recalledOf(fields: JsonObject): Recalled {
  const { before, items, tools } = objectIn(fields[RECALLED])
  return {
    before: objectsIn(before),
    items: objectIn(items) as Record<string, JsonObject>,
    tools: objectsIn(tools),
  }
}

/** An item of the input that offers further tools to the model. Codex offers all its tools this way. */
export const ADDED_TOOLS = 'additional_tools'

/** The tools that items add to those of the request. */
export const addedTools = (items: readonly Json[]): JsonObject[] =>
  items.flatMap((item) => (isObject(item) && item.type === ADDED_TOOLS ? objectsIn(item.tools) : []))

/** All tools offered to the model, including those that recalled items add. */
export const allTools = (fields: JsonObject): JsonObject[] => [
  ...objectsIn(fields.tools),
  ...(recalledOf(fields).tools ?? []),
]

/** A caller's input as items; a text becomes a user's message. @throws GatewayError invalid_request for any other value */
export function itemsOf(input: Json | undefined): Json[] {
  if (typeof input === 'string') return [{ type: 'message', role: 'user', content: input }]
  if (Array.isArray(input)) return input
  if (input === undefined || input === null) return []
  throw refusal('input', 'must be text, or an array of items.')
}

/** Whether an item is a reference. Its type may be missing: it is then an item with only an id. */
export const isReference = (item: Json): item is JsonObject =>
  isObject(item) &&
  (item.type === 'item_reference' ||
    ((item.type ?? null) === null && item.role === undefined && typeof item.id === 'string'))

/** Replaces references by the items that they refer to; unknown references stay. */
export const resolveReferences = (items: readonly Json[], of: Readonly<Record<string, Json>>): Json[] =>
  items.map((item) => (isReference(item) ? (of[String(item.id)] ?? item) : item))

/** An item, and its place in the caller's request. */
export interface PlacedItem {
  item: Json
  at: string
}

/** All items that the model reads, in order. */
export function allItems(body: JsonObject): PlacedItem[] {
  const own = itemsOf(body.input)
  const recalled = body[RECALLED]
  const place = (item: Json, index: number): PlacedItem => ({ item, at: `input[${index}]` })
  if (recalled === undefined) return own.map(place)
  const { before, items } = recalledOf(body)
  return [
    ...before.map((item) => ({ item, at: 'previous_response_id' })),
    ...resolveReferences(own, items).map(place),
  ]
}
