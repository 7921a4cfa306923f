// A stream that breaks: whether its caller pays for what they got, what they are told about it, and what is logged.
import { GatewayError, toGatewayError, UpstreamFault } from '../../domain/errors.ts'
import type { Protocol } from '../../protocols/protocol.ts'
import { decodeByteString } from '../../protocols/wire/byte-string.ts'
import { brokenOff, reportedFailure } from '../../upstream/failures.ts'
import type { Relay } from '../../upstream/relay.ts'
import type { Held, Settle } from '../life/paid-kind.ts'
import type { ExchangeParts } from '../parts.ts'
import type { Delivered, Undelivered } from './end.ts'

/** The settlement of one stream, which knows afterwards whether anything was charged. */
export interface StreamPayment {
  readonly is_charged: boolean
  /** @param given_out whether the caller has got some of it already @throws as `Settle` */
  settle(endOf: () => Delivered | Undelivered, given_out: boolean): Promise<void>
}

export function streamPayment(settle: Settle): StreamPayment {
  let is_charged = false
  return {
    get is_charged() {
      return is_charged
    },
    settle: (endOf, given_out) =>
      settle(() => {
        const end = endOf()
        is_charged = 'charge' in end && end.charge.cost_nanos > 0
        return end
      }).catch((thrown) => {
        // What nobody has got is not charged for, where it cannot be recorded.
        is_charged &&= given_out
        throw thrown
      }),
  }
}

/** A break that is neither the upstream's nor ours to announce is a bug of the gateway: it is logged with its stack. */
export function reportBreak({ log }: ExchangeParts, { origin }: Held, cause: unknown): void {
  const expected = cause instanceof UpstreamFault || cause instanceof GatewayError
  log[expected ? 'warn' : 'error']({ request_id: origin.request_id, cause }, 'a stream broke')
}

/** What the caller is told about a break. @param protocol the provider's @param is_charged whether they pay for what was delivered */
export function toldBreak(
  { publicWords }: Pick<ExchangeParts, 'publicWords'>,
  protocol: Pick<Protocol, 'readFailure'>,
  { failed_event }: Pick<Relay, 'failed_event'>,
  { cause, is_charged }: { cause: unknown; is_charged: boolean },
): GatewayError {
  const is_upstreams =
    cause instanceof UpstreamFault || (cause instanceof GatewayError && cause.kind === 'upstream_failed')
  if (!is_upstreams) return toGatewayError(cause)
  const failure =
    failed_event === undefined ? undefined : reportedFailure(protocol, decodeByteString(failed_event)).failure
  return brokenOff({ failure, is_charged, cause, publicWords })
}
