// Feeds of server-sent events: bounded, pinged, and over once their reader may not read them any more.
import type { Stream } from '@elysiajs/stream'
import type { CallParts } from '../../src/calls/parts.ts'
import type { GatewayError } from '../../src/domain/errors.ts'
import type { Awaitable } from '../../src/store/db.ts'

/** Bun cuts a quiet socket after two minutes, and so do proxies, sooner. */
const PING_EVERY_MS = 15_000
/** How soon a feed ends after its reader may no longer read it, or the process began to stop. */
const CHECK_EVERY_MS = 1_000
/** Of events for a slow reader; more are dropped. */
const MAX_WAITING_EVENTS = 1_000
const HEADERS = { 'content-type': 'text/event-stream', 'cache-control': 'no-store' }

/** Timers that tests replace. */
export interface FeedTimers {
  ping_every_ms?: number
  check_every_ms?: number
}

interface FeedRules extends FeedTimers {
  /** Feeds that one reader may have open at once. */
  max_feeds: number
  /** For one more. */
  tooMany: () => GatewayError
}

interface FeedRequest<Event extends object> {
  request: Request
  /** Feeds of one reader are counted together. */
  reader: number
  /** Looks again whether they may read. @throws once they may not */
  recheck(): Awaitable<unknown>
  /** Begins to send events. @returns stops it */
  start(send: (event: Event) => void): () => void
}

/**
 * Opens feeds, so many a reader.
 *
 * @returns answers with a feed. It throws what the rules say for one too many
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
    // Elysia answers HEAD from the route of GET. Nobody reads its body, and no signal comes when its caller leaves.
    if (request.method === 'HEAD') return new Response(null, { headers: HEADERS })
    // At first use: it costs a start 10 ms. Before the feed is counted, for the caller may leave meanwhile.
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
    // The first one sends the headers on their way.
    feed.send({ type: 'ping' })
    if (request.signal.aborted) end()
    return new Response(feed.body, { headers: HEADERS })
  }
}

/** One feed. @elysiajs/stream has no bound of its own: what its reader has not taken yet is counted here. */
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
        // The stream is typed by the events that go in; bytes come out.
        if (value instanceof Uint8Array) controller.enqueue(value)
      },
    },
    { highWaterMark: 0 },
  )
  return {
    body,
    send(event: Event): void {
      // The end may have come while an event was read.
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
    // Revoked, expired, suspended or signed out: in each case the feed ends.
    return false
  }
}
