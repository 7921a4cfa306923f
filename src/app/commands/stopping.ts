// Work that a signal stops: it fails where it looks next, and cleans up as after any failure.
import { conflict } from '../../domain/errors.ts'
import { onSignals } from '../../utilities/at-end.ts'

/** Returns while the work may go on. @throws GatewayError conflict once a signal has come */
type CheckStopped = () => void

/** @param stopped what is said then: that it was stopped, and what is left of it */
export async function untilStopped<T>(
  stopped: string,
  work: (check: CheckStopped) => Promise<T>,
): Promise<T> {
  let has_ended = false
  const end = () => {
    has_ended = true
  }
  using _listening = onSignals(end)
  return await work(() => {
    if (has_ended) throw conflict(stopped)
  })
}

/** Content that ends with the signal. */
export async function* untilThen(
  content: AsyncIterable<Uint8Array>,
  check: CheckStopped,
): AsyncGenerator<Uint8Array> {
  for await (const block of content) {
    check()
    yield block
  }
}
