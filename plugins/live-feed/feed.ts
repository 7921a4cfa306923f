// Feeds of server-sent events, with a bounded buffer and pings. A feed ends when its reader loses access.
import type { Stream } from '@elysiajs/stream'
import type { CallParts } from '../../src/calls/parts.ts'
import type { GatewayError } from '../../src/domain/errors.ts'
import type { Awaitable } from '../../src/store/db.ts'

/** Bun closes a silent socket after two minutes, and proxies do so sooner. */
const PING_EVERY_MS = 15_000
/** The interval of checks that the reader still has access and the process is not stopping. */
const CHECK_EVERY_MS = 1_000
/** Events buffered for a slow reader; further ones are dropped. */
const MAX_WAITING_EVENTS = 1_000
const HEADERS = { 'content-type': 'text/event-stream', 'cache-control': 'no-store' }

/** Timers that tests replace. */
export interface FeedTimers {
  ping_every_ms?: number
  check_every_ms?: number
}

interface FeedRules extends FeedTimers {
  /** The maximum of open feeds per reader. */
  max_feeds: number
  /** The error for a further feed. */
  tooMany: () => GatewayError
}

interface FeedRequest<Event extends object> {
  request: Request
  /** Feeds of one reader are counted together. */
  reader: number
  /** Checks the reader's access again. @throws if it was revoked */
  recheck(): Awaitable<unknown>
  /** Starts sending events. @returns a function that stops it */
  start(send: (event: Event) => void): () => void
}

/**
 * Creates a function that opens feeds, up to `max_feeds` per reader.
 *
 * @returns answers a request with a feed, or throws `tooMany()`
 */
export function createFeeds<Event extends object>(
  { running }: Pick<CallParts, 'running'>,
  { max_feeds, tooMany, ping_every_ms = PING_EVERY_MS, check_every_ms = CHECK_EVERY_MS }: FeedRules,
): (feed: FeedRequest<Event>) => Promise<Response> {
  const open = new Map<number, number>()

  function count(reader: number, by: 1 | -1): void {
    const feeds = (open.get(reader) ?? 0) + by
    if (feeds > 0) open.set(reader, feeds)
    else open.delete(reader)
  }

  return async ({ request, reader, recheck, start }) => {
    // Elysia answers HEAD by the GET route. Its body is never read, and its signal never fires.
    if (request.method === 'HEAD') return new Response(null, { headers: HEADERS })
    // Imported at first use, as it takes 10 ms; and before the feed is counted, as the caller may disconnect during the import.
    const feeds = await import('@elysiajs/stream')
    if ((open.get(reader) ?? 0) >= max_feeds) throw tooMany()
    count(reader, 1)
    const feed = startFeed(new feeds.Stream<Event | { type: 'ping' }>())
    const stop = start(feed.send)
    const pinging = setInterval(() => feed.send({ type: 'ping' }), ping_every_ms)
    const checking = setInterval(() => void check(), check_every_ms)
    let ended = false
    async function check(): Promise<void> {
      if (running.stopping || !(await isAllowed(recheck))) end()
    }
    function end(): void {
      if (ended) return
      ended = true
      clearInterval(pinging)
      clearInterval(checking)
      stop()
      count(reader, -1)
      feed.end()
    }
    request.signal.addEventListener('abort', end, { once: true })
    // The first event makes Bun send the headers.
    feed.send({ type: 'ping' })
    if (request.signal.aborted) end()
    return new Response(feed.body, { headers: HEADERS })
  }
}

/** Starts a feed. @elysiajs/stream has no bound, so events that the reader has not taken are counted here. */
function startFeed<Event extends object>(stream: Stream<Event>) {
  const reader = stream.value.getReader()
  let waiting = 0
  let is_over = false
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { value, done }: { value?: unknown; done: boolean } = await reader.read()
        if (done) return controller.close()
        waiting -= 1
        // The stream's type names the events that go in, but bytes come out.
        if (value instanceof Uint8Array) controller.enqueue(value)
      },
    },
    { highWaterMark: 0 },
  )
  return {
    body,
    send(event: Event): void {
      // The feed may have ended while the event was prepared.
      if (is_over || waiting >= MAX_WAITING_EVENTS) return
      waiting += 1
      stream.send(event)
    },
    end(): void {
      is_over = true
      stream.close()
    },
  }
}

async function isAllowed(recheck: () => Awaitable<unknown>): Promise<boolean> {
  try {
    await recheck()
    return true
  } catch {
    // The key is revoked or expired, the account suspended, or the session ended: in each case the feed ends.
    return false
  }
}
