// A limit on silence: a remote service that hangs would delay every later backup.
import { upstreamFailed } from '../../../domain/errors.ts'
import { atEnd } from '../../../utilities/at-end.ts'

export interface Silence {
  /** The silent party, for the message. */
  of: string
  limit_ms: number
}

/**
 * Waits for work while it shows activity.
 *
 * @param work calls its argument at each sign of activity
 * @throws GatewayError upstream_failed after too long a silence; the work is then no longer awaited
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

/** Yields bytes as they arrive, each within the limit. */
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
    // Not awaited: it may be the silent party.
    if (!is_over) void iterator.return?.()?.then(undefined, () => {})
  }
}
