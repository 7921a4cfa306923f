// The line in which large requests wait for memory.
import { rateLimited } from '../../domain/errors.ts'

/** A waiting request, and the memory that it needs. */
export interface Waiting {
  bytes: number
  admit(): void
}

const RETRY_AFTER_S = 5

/**
 * Waits at the end of a line until it is admitted.
 * @param gone fires when the caller has left; its reason is then thrown
 * @param onGivenUp called when it leaves the line without being admitted
 * @throws GatewayError rate_limited after `wait_ms`
 */
export function waitIn<Entry extends Waiting>(
  line: Entry[],
  wanted: Omit<Entry, 'admit'>,
  { wait_ms, gone, onGivenUp }: { wait_ms: number; gone: AbortSignal; onGivenUp?: () => void },
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const entry = { ...wanted, admit: resolve } as Entry
  const giveUp = (reason: unknown) => {
    const at = line.indexOf(entry)
    if (at >= 0) line.splice(at, 1)
    reject(reason)
    onGivenUp?.()
  }
  const leave = () => giveUp(gone.reason)
  const timer = setTimeout(() => giveUp(tooBusy()), wait_ms)
  gone.addEventListener('abort', leave, { once: true })
  line.push(entry)
  if (gone.aborted) leave()
  return promise.finally(() => {
    clearTimeout(timer)
    gone.removeEventListener('abort', leave)
  })
}

const tooBusy = () =>
  rateLimited('Too many large requests are under way. Retry after a moment, or send a smaller request.', {
    retry_after_s: RETRY_AFTER_S,
  })
