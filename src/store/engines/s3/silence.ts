// A limit on silence: what is elsewhere and hangs would hold up every later backup.
import { upstreamFailed } from '../../../domain/errors.ts'
import { atEnd } from '../../../utilities/at-end.ts'

export interface Silence {
  /** The silent party, for the message. */
  of: string
  limit_ms: number
}

/**
 * Waits for work as long as it is heard of.
 *
 * @param work given what it calls at each sign of life
 * @throws GatewayError upstream_failed once it was silent for too long: it is no longer waited for
 */
export async function withinSilence<T>(
  { of, limit_ms }: Silence,
  work: (onActivity: () => void) => Promise<T>,
): Promise<T> {
  const silent = Promise.withResolvers<never>()
  const words = `${of} has been silent for ${Math.round(limit_ms / 1_000)} s: see whether it runs, and try again.`
  const timer = setTimeout(() => silent.reject(upstreamFailed(words)), limit_ms)
  using _clearing = atEnd(() => clearTimeout(timer))
  return await Promise.race([work(() => void timer.refresh()), silent.promise])
}

/** Bytes as they come, each within the limit. */
export async function* eachWithin(
  source: AsyncIterable<Uint8Array>,
  silence: Silence,
): AsyncGenerator<Uint8Array> {
  const iterator = source[Symbol.asyncIterator]()
  let is_over = false
  try {
    for (;;) {
      const { done, value } = await withinSilence(silence, () => iterator.next())
      is_over = done === true
      if (done) return
      yield value
    }
  } finally {
    // Not waited for: it may be what is silent.
    if (!is_over) void iterator.return?.()?.then(undefined, () => {})
  }
}
