// The reading of a stream to its end without a caller, for its usage.
import { UpstreamFault } from '../domain/errors.ts'
import type { Relay } from './relay.ts'
import { turns } from './turns.ts'

/** The rest of a stream. */
interface RemainingStream {
  readonly relay: Relay
  /** @returns the next bytes; undefined at the end @throws UpstreamFault if the connection breaks */
  read(): Promise<Uint8Array | undefined>
  abortUpstream(): void
  readonly place?: { progressed(waiting_for: 'upstream'): void } | undefined
}

/**
 * Reads until the stream ends or its time is up.
 * @returns undefined unless the stream broke; then an UpstreamFault, or an exception of the gateway's own code
 */
export async function drain(rest: RemainingStream, timeout_ms: number): Promise<unknown> {
  const { relay, place } = rest
  const { reading } = relay
  let timed_out = false
  let has_ended = false
  const timer = setTimeout(() => {
    timed_out = true
    rest.abortUpstream()
  }, timeout_ms)
  try {
    while (!reading.failed) {
      const bytes = await rest.read()
      if (!bytes) {
        has_ended = relay.ends_with_body === true
        break
      }
      await turns.through(bytes, (step) => {
        relay.push(step)
        if (relay.broken_by !== undefined) throw relay.broken_by
      })
      place?.progressed('upstream')
    }
    return (reading.finished || has_ended) && !reading.failed
      ? undefined
      : new UpstreamFault('the upstream broke off')
  } catch (thrown) {
    // After the timeout, or after a complete answer, the part read so far can be charged.
    const did_not_break = thrown instanceof UpstreamFault && (timed_out || reading.finished)
    return did_not_break ? undefined : thrown
  } finally {
    clearTimeout(timer)
  }
}
