// A streamed answer that is passed on as it comes, events or bytes: pumped to its caller, and paid for before its end.
import { brokenStream, GatewayError, toGatewayError, UpstreamFault } from '../../domain/errors.ts'
import type { ReportedUnits } from '../../domain/units.ts'
import { idHeaders } from '../../http/answers.ts'
import type { UnitBounds } from '../../pricing/units.ts'
import { renderStreamError } from '../../protocols/openai/errors.ts'
import type { Dispatched } from '../../upstream/dispatch.ts'
import { type ByteReader, beginningWith, pump } from '../../upstream/pump.ts'
import type { Relay } from '../../upstream/relay.ts'
import { fromUpstream } from '../../upstream/transport.ts'
import type { Held, Served } from '../paid-call.ts'
import type { ExchangeParts } from '../parts.ts'
import { CLIENT_CLOSED_REQUEST } from '../settlement.ts'
import { deliveredUnits } from './billing.ts'
import type { UnitOrder } from './order.ts'

/** An answer whose first bytes are there. */
export interface OpenAnswer {
  reader: ByteReader
  content_type: string
}

/** An answer on its way, and what is known of it so far. */
export interface PassingAnswer {
  relay: Relay
  reported(): ReportedUnits | undefined
  /** What is charged where nothing was reported, by what has passed. */
  bounds(): UnitBounds
  /** Something passed that is worth paying for. */
  delivered(): boolean
}

/**
 * Waits for the first bytes: until they are there, another route may still answer.
 * @throws UpstreamFault for an empty answer
 */
export async function openAnswer(response: Response, content_type: string): Promise<OpenAnswer> {
  const reader: ByteReader | undefined = response.body?.getReader()
  const { value } = reader ? await fromUpstream(reader.read()) : {}
  if (!reader || !value) throw new UpstreamFault('the upstream sent an empty answer')
  return { reader: beginningWith(value, reader), content_type }
}

/** Charges what passed, however it ends; nothing where it broke before anything came. */
export function servedStream(
  parts: ExchangeParts,
  held: Held<UnitOrder>,
  { answer, attempt, abort }: Dispatched<OpenAnswer>,
  { relay, reported, bounds, delivered }: PassingAnswer,
): Served {
  const { place, origin } = held
  const { server } = parts.catalogue()
  return {
    stream(settle) {
      place.watchSilence(attempt.provider.idle_timeout_ms, abort)
      const body = pump({
        reader: answer.reader,
        relay,
        gone: place.gone,
        abortUpstream: abort,
        drain_timeout_ms: server.on_disconnect === 'drain' ? server.drain_timeout_ms : 0,
        async settle(ending, cause, given_out) {
          if (cause !== undefined) {
            const expected = cause instanceof UpstreamFault || cause instanceof GatewayError
            parts.log[expected ? 'warn' : 'error']({ request_id: origin.request_id, cause }, 'a stream broke')
          }
          const is_free = (ending === 'broken' || cause !== undefined) && !delivered()
          await settle(() =>
            is_free
              ? { outcome: ending, status: ending === 'cancelled' ? CLIENT_CLOSED_REQUEST : 200 }
              : { outcome: ending, given_out, ...deliveredUnits(parts, held, attempt, reported(), bounds()) },
          )
        },
        renderError: (cause) =>
          renderStreamError(cause instanceof UpstreamFault ? brokenStream(cause) : toGatewayError(cause)),
        onProgress: place.progressed,
      })
      return new Response(body, { headers: { 'content-type': relay.content_type, ...idHeaders(origin) } })
    },
  }
}
