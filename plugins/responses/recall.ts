// What a request refers to of the responses that are kept for its account.
import { type GatewayError, invalidRequest, notFound } from '../../src/domain/errors.ts'
import type { RequestFacts } from '../../src/protocols/facts.ts'
import { placeOfItem } from '../../src/protocols/openai/responses/ids.ts'
import type { Recalled } from '../../src/protocols/openai/responses/recalled.ts'
import { isObject, type JsonObject } from '../../src/protocols/wire/json.ts'
import type { ResponseStore } from '../../src/responses/kept-responses.ts'

type References = NonNullable<RequestFacts['refers_to']>

/** @throws GatewayError where something of it is not kept for this account */
export async function recall(
  store: ResponseStore | undefined,
  account_id: number,
  { previous, items }: References,
): Promise<Recalled> {
  if (!store?.enabled) throw nothingIsKept(previous)
  const before = previous === undefined ? [] : await store.itemsUntil(account_id, previous)
  if (!before) throw noSuchResponse(previous ?? '')
  const found = new Map<string, JsonObject>()
  for (const id of items) found.set(id, await itemOf(store, account_id, id))
  return { before, items: Object.fromEntries(found) }
}

async function itemOf(store: ResponseStore, account_id: number, id: string): Promise<JsonObject> {
  const place = placeOfItem(id)
  const kept = place && (await store.find(account_id, place.response_id))
  const { output } = kept?.response ?? {}
  const item = place && Array.isArray(output) ? output[place.index] : undefined
  if (!isObject(item)) throw noSuchItem(id)
  return item
}

/** OpenAI's own codes and statuses of both. */
const noSuchResponse = (id: string): GatewayError =>
  invalidRequest(`Previous response with id '${id}' not found.`, {
    param: 'previous_response_id',
    code: 'previous_response_not_found',
  })

const noSuchItem = (id: string): GatewayError =>
  notFound(`Item with id '${id}' not found. Send the item itself.`, { param: 'input' })

const nothingIsKept = (previous: string | undefined): GatewayError =>
  invalidRequest(
    'No responses are kept here, so that there is nothing to refer to. Send the whole conversation in input.',
    { param: previous === undefined ? 'input' : 'previous_response_id', code: 'previous_response_not_found' },
  )
