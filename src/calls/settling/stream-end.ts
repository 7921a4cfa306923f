// The end of a stream: its settlement; for a broken stream also the caller's error and the log line.
import { GatewayError, toGatewayError, UpstreamFault } from '../../domain/errors.ts'
import type { Protocol } from '../../protocols/protocol.ts'
import { decodeByteString } from '../../protocols/wire/byte-string.ts'
import { interruptedStreamError, reportedFailure } from '../../upstream/failures.ts'
import type { Relay } from '../../upstream/relay.ts'
import type { Held } from '../life/call.ts'
import type { CallParts } from '../parts.ts'
import type { Delivered, Undelivered } from './end.ts'
import { settle } from './settlement.ts'

/**
 * Settles a stream, once, before its end is sent, and ends its call. Resolves when the settlement is on the disk. A stream that
 * cannot be priced is voided.
 * @param endOf returns the end of the call @throws as `endOf`; GatewayError as `settle`
 */
export async function settleStream(
  parts: CallParts,
  held: Held,
  endOf: () => Delivered | Undelivered,
): Promise<void> {
  if (held.is_resolved) return
  try {
    await settle(parts, held, endOf())
  } catch (thrown) {
    if (!(thrown instanceof GatewayError))
      parts.log.error({ request_id: held.origin.request_id, cause: thrown }, 'a stream could not be priced')
    await settle(parts, held, { outcome: 'broken', status: 200, cause: thrown })
    throw thrown
  } finally {
    await held.end()
  }
}

/** Logs a break. One that is neither the upstream's fault nor an announced error is a bug of the gateway: it is logged with its stack. */
export function reportBreak({ log }: CallParts, { origin }: Held, cause: unknown): void {
  const expected = cause instanceof UpstreamFault || cause instanceof GatewayError
  log[expected ? 'warn' : 'error']({ request_id: origin.request_id, cause }, 'a stream broke')
}

/** Returns the error for the caller of a settled stream that broke. @param protocol the provider's */
export function streamErrorFor(
  { publicWords }: Pick<CallParts, 'publicWords'>,
  { is_charged }: Held,
  protocol: Pick<Protocol, 'readFailure'>,
  { failed_event }: Pick<Relay, 'failed_event'>,
  cause: unknown,
): GatewayError {
  const is_upstreams =
    cause instanceof UpstreamFault || (cause instanceof GatewayError && cause.kind === 'upstream_failed')
  if (!is_upstreams) return toGatewayError(cause)
  const failure =
    failed_event === undefined ? undefined : reportedFailure(protocol, decodeByteString(failed_event)).failure
  return interruptedStreamError({ failure, is_charged, cause, publicWords })
}
