// The caller's view of a provider's response: the gateway's ids, the requested model's name, and marked reasoning.
import { countIn, isObject, type JsonObject, objectsIn, parseObject, stringIn } from '../../wire/json.ts'
import { markIssuer } from './encrypted.ts'
import { itemId, responseId } from './ids.ts'

export interface CallerView {
  /** The gateway's id of the call. */
  call_id: string
  /** The model as the caller named it. */
  model: string
  /** The request's fields, which the response repeats. */
  request_fields: JsonObject
  /** The mark of the provider's API key that the call used. */
  issuer: string
}

/** Rewrites a response, whole or incomplete. The gateway's own state replaces the provider's. */
export const publicResponse = (response: JsonObject, view: CallerView): JsonObject => ({
  ...response,
  id: responseId(view.call_id),
  model: view.model,
  store: view.request_fields.store ?? true,
  previous_response_id: view.request_fields.previous_response_id ?? null,
  output: objectsIn(response.output).map((item, index) => publicItem(item, index, view)),
})

/** Rewrites an item. @param index its position in the output */
function publicItem(item: JsonObject, index: number, { call_id, issuer }: CallerView): JsonObject {
  const encrypted = stringIn(item.encrypted_content)
  return {
    ...item,
    id: itemId(stringIn(item.type) ?? '', call_id, index),
    ...(encrypted ? { encrypted_content: markIssuer(encrypted, issuer) } : {}),
  }
}

const ITEM_ID = '"item_id":"'
const STARTS = '{"type":"'
/** Types of events with a response or an item. */
const HAS_OBJECT = /^response\.(?:created|queued|in_progress|completed|incomplete|failed|output_item\.)/

/** The type of an event, which is its first field as OpenAI writes it; empty for data that is no event, such as `[DONE]`. */
export function typeOf(data: string): string {
  if (data.startsWith(STARTS)) return data.slice(STARTS.length, data.indexOf('"', STARTS.length))
  return stringIn(parseObject(data)?.type) ?? ''
}

/** Rewrites the events of one stream. */
export class PublicEvents {
  /** The gateway's ids of items, by the provider's. */
  readonly #ids = new Map<string, string>()
  readonly #view: CallerView

  constructor(view: CallerView) {
    this.#view = view
  }

  /** @param data one event as JSON */
  event(data: string): string {
    const event = HAS_OBJECT.test(typeOf(data)) ? parseObject(data) : undefined
    return event ? this.#parsed(event) : this.#renamed(data)
  }

  #parsed(event: JsonObject): string {
    if (isObject(event.response))
      return JSON.stringify({ ...event, response: publicResponse(event.response, this.#view) })
    if (!isObject(event.item)) return JSON.stringify(event)
    const item = publicItem(event.item, countIn(event.output_index) ?? 0, this.#view)
    const provider_id = stringIn(event.item.id)
    const gateway_id = stringIn(item.id)
    if (provider_id !== undefined && gateway_id !== undefined) this.#ids.set(provider_id, gateway_id)
    return JSON.stringify({ ...event, item })
  }

  /** Most events only contain the id of their item, which is replaced in the text. */
  #renamed(data: string): string {
    const at = data.indexOf(ITEM_ID)
    if (at < 0) return data
    const start = at + ITEM_ID.length
    const end = data.indexOf('"', start)
    const id = this.#ids.get(data.slice(start, end))
    return id === undefined ? data : data.slice(0, start) + id + data.slice(end)
  }
}
