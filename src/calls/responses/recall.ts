// The kept responses and items that a request refers to.
import { type GatewayError, invalidRequest, notFound } from '../../domain/errors.ts'
import type { Library } from '../../library/library.ts'
import type { RequestFacts } from '../../protocols/facts.ts'
import { placeOfItem } from '../../protocols/openai/responses/ids.ts'
import type { Recalled } from '../../protocols/openai/responses/recalled.ts'
import { isObject, type Json, type JsonObject } from '../../protocols/wire/json.ts'
import type { ResponseStore } from '../../responses/kept-responses.ts'
import type { KeptResponses } from '../../responses/store.ts'
import type { ImageParts } from '../kinds/image/call.ts'
import type { Admitted } from '../life/call.ts'
import type { CallParts } from '../parts.ts'
import { pictureItem } from './kept-pictures.ts'
import { itemsUntil, type Remembered } from './recent.ts'

export interface ResponseParts {
  calls: CallParts
  /** The history, which stores the images of kept responses. */
  images: Pick<ImageParts, 'library'>
  /** The kept responses, which can be continued and read. */
  responses: KeptResponses
}

type References = NonNullable<RequestFacts['refers_to']>

/** Shorter conversations are read without reserving memory. */
const SMALL_BYTES = 64 * 1024
/** The stored bytes, and the parsed values. */
const COPIES = 2

/**
 * Recalls the referenced responses and items. For a long conversation it first takes memory, until the call ends.
 * @param remembered the continued response, if its connection has it
 * @throws GatewayError if anything referenced is not kept for this account; rate_limited if there is no memory in time
 */
export async function recall(
  { responses: store, calls, images: { library } }: ResponseParts,
  admitted: Admitted,
  { previous, items }: References,
  remembered?: Remembered,
): Promise<Recalled> {
  if (!store.enabled && (!remembered || items.length > 0)) throw nothingIsKept(previous)
  const { caller, place } = admitted
  const account_id = caller.account.id
  const conversation_bytes =
    remembered?.conversation_bytes ??
    (previous === undefined ? 0 : ((await store.bytesUntil(account_id, previous)) ?? 0))
  if (conversation_bytes > SMALL_BYTES) {
    const share = calls.bodies.memory.open(account_id)
    admitted.defer(share.release)
    await share.grow(conversation_bytes * COPIES, place.gone.signal)
  }
  const before = remembered
    ? await itemsUntil(remembered)
    : previous === undefined
      ? []
      : await store.itemsUntil(account_id, previous)
  if (!before) throw noSuchResponse(previous ?? '')
  return { before, items: await itemsNamed({ store, library }, account_id, items) }
}

/** Reads each response once and accepts each item once, so that a short request cannot read a long answer a thousand times. */
async function itemsNamed(
  { store, library }: { store: ResponseStore; library: Library },
  account_id: number,
  ids: readonly string[],
): Promise<Record<string, JsonObject>> {
  const found = new Map<string, JsonObject>()
  const outputs = new Map<string, Json>()
  for (const id of ids) {
    if (found.has(id)) throw duplicateItem(id)
    const picture = await pictureItem(library, account_id, id)
    if (picture) {
      found.set(id, picture)
      continue
    }
    const place = placeOfItem(id)
    if (!place) throw noSuchItem(id)
    const { response_id, index } = place
    const output = outputs.get(response_id) ?? (await store.find(account_id, response_id))?.response.output
    const item = Array.isArray(output) ? output[index] : undefined
    if (output === undefined || !isObject(item)) throw noSuchItem(id)
    outputs.set(response_id, output)
    found.set(id, item)
  }
  return Object.fromEntries(found)
}

/** A caller's id may be as long as their request, so messages shorten it. */
const MAX_ID_CHARS = 64
const shorten = (id: string): string => id.slice(0, MAX_ID_CHARS)

/** OpenAI's codes and statuses. */
const noSuchResponse = (id: string): GatewayError =>
  invalidRequest(`Previous response with id '${shorten(id)}' not found.`, {
    param: 'previous_response_id',
    code: 'previous_response_not_found',
  })

const duplicateItem = (id: string): GatewayError =>
  invalidRequest(`Duplicate item found with id ${id}. Refer to it once.`, { param: 'input' })

const noSuchItem = (id: string): GatewayError =>
  notFound(`Item with id '${shorten(id)}' not found. Send the item itself.`, { param: 'input' })

const nothingIsKept = (previous: string | undefined): GatewayError =>
  invalidRequest('This gateway keeps no responses. Send the whole conversation in input.', {
    param: previous === undefined ? 'input' : 'previous_response_id',
    code: 'previous_response_not_found',
  })
