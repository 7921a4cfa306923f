// Delivery of an answer: piece by piece at a pace, or broken, stalled or truncated if the model's name says so.
import type { Behaviour } from './behaviour.ts'
import type { Framing } from './dialect.ts'
import { type Sleep, untilAborted } from './waiting.ts'

interface Delivery {
  /** The payloads of a stream with their framing; a whole answer is one payload without framing. */
  readonly payloads: readonly (string | Uint8Array)[]
  readonly framing: Framing | undefined
  readonly behaviour: Behaviour
  /** The error record, for `error-N`. */
  readonly error_payload: string
  readonly sleep: Sleep
  readonly signal: AbortSignal
}

/** The end of a delivery. */
type Ending = 'finished' | 'aborted' | 'broken'

const brokenConnection = () =>
  Object.assign(new Error('The simulated provider broke the connection.'), { name: 'BrokenConnection' })

/**
 * The body of an answer. It is produced as it is read, so that a slow reader slows down the provider, as with a real one.
 *
 * @param onEnd called once, with the number of payloads that were sent
 */
export function deliver(
  delivery: Delivery,
  onEnd: (ending: Ending, sent: number) => void,
): ReadableStream<Uint8Array> {
  const cancelled = new AbortController()
  const signal = AbortSignal.any([delivery.signal, cancelled.signal])
  const pieces = delivery.framing
    ? streamed({ ...delivery, signal }, delivery.framing)
    : whole({ ...delivery, signal }, delivery.payloads[0] ?? '')
  let sent = 0
  let ended = false
  const end = (ending: Ending) => {
    if (!ended) onEnd(ending, sent)
    ended = true
  }
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await pieces.next()
        if (signal.aborted) throw signal.reason
        if (done) {
          end('finished')
          controller.close()
        } else {
          sent++
          controller.enqueue(typeof value === 'string' ? Buffer.from(value) : value)
        }
      } catch (error) {
        end(signal.aborted ? 'aborted' : 'broken')
        controller.error(error)
      }
    },
    cancel() {
      cancelled.abort()
      end('aborted')
    },
  })
}

async function* streamed(delivery: Delivery, framing: Framing): AsyncGenerator<string, void> {
  const { behaviour, signal } = delivery
  const payloads = delivery.payloads.map(String)
  const last = payloads.length - 1
  for (const [at, payload] of payloads.entries()) {
    if (behaviour.break === at) throw brokenConnection()
    if (behaviour.stall === at) await untilAborted(signal)
    if (at > 0 && behaviour.pace > 0) await delivery.sleep(behaviour.pace, signal)
    if (behaviour.error === at) return yield frame(framing, delivery.error_payload, at, framing.after_error)
    if (behaviour.truncate && at === last) return yield half(frame(framing, payload, at, framing.after_last))
    yield frame(framing, payload, at, at === last ? framing.after_last : '')
  }
}

async function* whole(
  { behaviour }: Delivery,
  body: string | Uint8Array,
): AsyncGenerator<string | Uint8Array, void> {
  const damaged = behaviour.truncate || behaviour.break !== undefined
  yield damaged ? half(body) : body
  if (behaviour.break !== undefined) throw brokenConnection()
}

function frame(framing: Framing, payload: string, at: number, end: string): string {
  const before = at === 0 ? framing.before_first : framing.before
  return before + payload + framing.after + end
}

function half<T extends string | Uint8Array>(body: T): T {
  return body.slice(0, Math.floor(body.length / 2)) as T
}
