// Arrival of a request's body, and the model that it names. A body that nobody could pay for is not read; a large one waits for memory.
import { type Catalogue, isServed, type Model } from '../../domain/catalogue.ts'
import { invalidRequest } from '../../domain/errors.ts'
import { modelsFor } from '../../domain/price-groups.ts'
import { deploymentOf } from '../../http/azure-paths.ts'
import { announcedBytes, readBytes } from '../../http/body.ts'
import { isAnnounced } from '../../http/content-coding.ts'
import { readPaced } from '../../http/paced-body.ts'
import type { Refusal } from '../../money/ledger/operations.ts'
import { isFreePrice } from '../../money/pricing/units.ts'
import type { JsonObject } from '../../protocols/wire/json.ts'
import type { Account } from '../../store/schema.ts'
import { beforeJson } from '../hooks/before-call.ts'
import type { Admitted } from '../life/call.ts'
import { refusalError } from '../life/refusals.ts'
import type { BodyParts } from './parts.ts'

export interface CallTarget {
  model_id: string
  streams: boolean
}

/** Reads `model` and `stream`. @throws GatewayError invalid_request if `model` is missing or `stream` is not a boolean */
export function readCallTarget({ model, stream = false }: JsonObject): CallTarget {
  if (typeof model !== 'string' || model === '') {
    throw invalidRequest('model: must be the name of a model.', { param: 'model' })
  }
  if (typeof stream !== 'boolean' && stream !== null) {
    throw invalidRequest('stream: must be true or false.', { param: 'stream' })
  }
  return { model_id: model, streams: stream === true }
}

/** Bodies up to this size are read without further checks: a prompt of 10,000 words. */
const SMALL_BODY_BYTES = 64 * 1024
/** A body that can be paid for is read the same way up to this size: reading an agent's body in parts would cost 70 µs. */
const PLAIN_BODY_BYTES = 256 * 1024

/** Hooks need two more copies: the text and the parsed values. */
const HOOK_COPIES = 2

export interface ReceiveOptions {
  limit_bytes: number
  /** The most copies of the body that are in memory at once: bytes, text, values, and the upstream request. */
  copies: number
  /** Whether the call may cost nothing. */
  isFree(): boolean
  /** The model, if the URL names it. */
  model_id?: string | undefined
  /** The body is a form: hooks see its fields after they are read (`beforeForm`). */
  is_form?: true
}

export interface ReceivedBody {
  bytes: Uint8Array
  /** Frees the body's memory once it is no longer needed. The end of the call frees it, too. */
  release(): void
}

/**
 * Reads a body, then runs the before-call hooks on it.
 * @throws GatewayError as `readPaced` and `beforeJson`; insufficient_balance for more than 64 KB if the account has no free balance, except
 * with an Idempotency-Key, which may have a kept answer, and for free calls
 */
export function receiveBody(
  parts: BodyParts,
  admitted: Admitted,
  arrival: ReceiveOptions,
): Promise<ReceivedBody> {
  if (parts.hooks.before.length === 0 || arrival.is_form) return receiveOnly(parts, admitted, arrival)
  return receiveHooked(parts, admitted, arrival)
}

/** Receives the body and runs the hooks. An Idempotency-Key compares the bytes that the caller sent, not those of the hooks. */
async function receiveHooked(
  parts: BodyParts,
  admitted: Admitted,
  arrival: ReceiveOptions,
): Promise<ReceivedBody> {
  const { limit_bytes, copies } = arrival
  const model_id = arrival.model_id ?? deploymentOf(admitted.origin.request)
  const arrived = await receiveOnly(parts, admitted, { ...arrival, copies: copies + HOOK_COPIES })
  const bytes = await beforeJson(parts.hooks, admitted, { bytes: arrived.bytes, model_id, limit_bytes })
  if (bytes === arrived.bytes) return arrived
  if (admitted.origin.request.headers.has('idempotency-key')) admitted.sent_bytes = arrived.bytes
  return { ...arrived, bytes }
}

function receiveOnly(parts: BodyParts, admitted: Admitted, arrival: ReceiveOptions): Promise<ReceivedBody> {
  const { request } = admitted.origin
  const announced_bytes = announcedBytes(request, arrival.limit_bytes)
  return announced_bytes <= SMALL_BODY_BYTES
    ? readBytes(request, arrival.limit_bytes).then(outsideMemory)
    : receiveLarge(parts, admitted, arrival, announced_bytes)
}

/** A small body, outside the memory that large bodies share. */
const outsideMemory = (bytes: Uint8Array): ReceivedBody => ({ bytes, release: nothing })
const nothing = (): void => {}

async function receiveLarge(
  { memory, accountOf }: BodyParts,
  admitted: Admitted,
  { limit_bytes, copies, isFree }: ReceiveOptions,
  announced_bytes: number,
): Promise<ReceivedBody> {
  const { place } = admitted
  const { request } = admitted.origin
  const { account } = admitted.caller
  const mayBeFree = () => request.headers.has('idempotency-key') || isFree()
  // Reading the account again costs half as much as a small call, so it happens only before a refusal or for a larger body.
  const is_plain = announced_bytes <= PLAIN_BODY_BYTES
  const assertPayable = () => {
    if ((is_plain && refusalOf(account) === undefined) || mayBeFree()) return undefined
    return rejectUnpayable(account, accountOf)
  }
  // A body of unknown length is read up to the size of a small one before this check.
  const is_announced = isAnnounced(request)
  const asserted = is_announced ? assertPayable() : undefined
  if (asserted) await asserted
  if (is_announced && is_plain) return outsideMemory(await readBytes(request, limit_bytes))
  const share = memory.open(account.id, is_announced)
  admitted.defer(share.release)
  // Once reading starts, the runtime keeps reading even while the gateway waits for memory. So it waits before it starts.
  if (is_announced) await share.reserve(announced_bytes * copies, place.gone.signal)
  let read_bytes = 0
  const bytes = await readPaced(request, {
    limit_bytes,
    async admit(part_bytes) {
      const was_small = read_bytes <= SMALL_BODY_BYTES
      read_bytes += part_bytes
      if (!is_announced && was_small && read_bytes > SMALL_BODY_BYTES) await assertPayable()
      await share.grow(part_bytes * copies, place.gone.signal)
    },
  })
  return { bytes, release: share.release }
}

/** @throws GatewayError insufficient_balance if the account's current state cannot pay for any call */
export async function rejectUnpayable(account: Account, accountOf: BodyParts['accountOf']): Promise<void> {
  const refusal = refusalOf((await accountOf(account.id)) ?? account)
  if (refusal) throw refusalError(refusal)
}

/** Returns why an account cannot pay for any call; undefined if it has free balance or a plan. */
function refusalOf({ balance_nanos, held_nanos, debt_nanos, plan_period_id }: Account): Refusal | undefined {
  if (debt_nanos > 0) return 'outstanding_debt'
  if (plan_period_id !== null) return undefined
  return balance_nanos - held_nanos <= 0 ? 'insufficient_balance' : undefined
}

/** Whether every call of the model is free. */
export const costsNothing = (model: Model): boolean => isFreePrice(model.price)

const FREE_MODELS = new WeakMap<Catalogue['models'], readonly string[]>()

/** Whether the caller may call any free model of this kind. Checked before the body, which names the model, is read. */
export function mayCallFreeModel(
  catalogue: Catalogue,
  { caller }: Pick<Admitted, 'caller'>,
  kind: Model['kind'],
): boolean {
  const models = modelsFor(catalogue, caller.account.price_group)
  let free = FREE_MODELS.get(models)
  if (!free) {
    free = models
      .values()
      .filter((model) => isServed(model) && costsNothing(model))
      .map(({ id }) => id)
      .toArray()
    FREE_MODELS.set(models, free)
  }
  return free.some((id) => models.get(id)?.kind === kind && caller.mayCall(id))
}
