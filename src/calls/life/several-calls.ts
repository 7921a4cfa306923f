// Several paid calls that make up one answer: each is held, charged and recorded by itself, under an id of its own.
import { GatewayError, overloaded } from '../../domain/errors.ts'
import type { ExchangeParts } from '../parts.ts'
import { type Admitted, Call } from './call.ts'
import type { PaidOrder } from './order.ts'
import { pay } from './paid-call.ts'
import type { Paying } from './paid-kind.ts'
import { refuseWhileClosed } from './refusals.ts'
import type { RunningCall } from './running.ts'

/** One of the calls. */
export interface PartCall<O extends PaidOrder> {
  /** The id of its record. The first one's is the request's, by which an Idempotency-Key finds what was charged. */
  request_id: string
  kind: Paying<O>
  /** @throws GatewayError for every refusal; nothing is held then */
  read: (admitted: Admitted) => Promise<O>
}

/**
 * Pays for and serves one of the calls, in the place of the request that was let in: one at a time. What it took is given back
 * when it ends, and its tokens count for the request.
 *
 * @throws GatewayError as `servePaid`; nothing begins once the caller has gone
 */
export async function payPart<O extends PaidOrder>(
  parts: ExchangeParts,
  whole: Admitted,
  { request_id, kind, read }: PartCall<O>,
): Promise<Response> {
  const { place, caller } = whole
  if (place.gone.aborted) throw leftBy(place.gone)
  refuseWhileClosed(parts)
  const lease = {
    release(tokens_used = 0) {
      whole.used_tokens += tokens_used
    },
  }
  const origin = { ...whole.origin, request_id }
  const part = new Call({
    origin,
    caller,
    place,
    lease,
    log: parts.log,
    started_ms: parts.now(),
    is_part: true,
    goes_on: request_id !== whole.origin.request_id,
  })
  try {
    return await pay(parts, part, await read(part), kind)
  } finally {
    await part.handled()
  }
}

/** Whom nobody reads, unless the gateway itself ended the call. */
const leftBy = ({ reason }: RunningCall['gone']): GatewayError =>
  reason instanceof GatewayError ? reason : overloaded('The caller has left.')
