// The live feed of an account's calls: server-sent events while they are held, answered and settled.
import type { Stream } from '@elysiajs/stream'
import { type Static, Type } from '@sinclair/typebox'
import type { Caller } from '../../src/access/gate.ts'
import { rateLimited } from '../../src/domain/errors.ts'
import type { ActivityEvent } from '../../src/exchange/activity.ts'
import { OneOf } from '../../src/http/schema.ts'
import { MoneyFields, money } from '../../src/http/views.ts'
import type { Gateway } from '../../src/surface/gateway.ts'
import { OUTCOMES } from './model.ts'

const aboutCall = {
  request_id: Type.String(),
  key: Type.String({ description: 'the prefix of the key that made the call' }),
  surface: Type.String(),
  model: Type.String(),
  streamed: Type.Boolean(),
  at: Type.String({ description: 'ISO 8601, UTC' }),
}

/** One event of the feed: the `data` of a server-sent event. */
export const FeedEvent = Type.Union([
  Type.Object({ type: Type.Literal('held'), ...aboutCall, ...MoneyFields('held') }),
  Type.Object({
    type: Type.Literal('first_byte'),
    ...aboutCall,
    after_ms: Type.Integer({ description: 'since the call was let in' }),
  }),
  Type.Object({
    type: Type.Literal('settled'),
    ...aboutCall,
    outcome: OneOf(OUTCOMES),
    status: Type.Integer(),
    duration_ms: Type.Integer(),
    ...MoneyFields('cost'),
  }),
  Type.Object({ type: Type.Literal('ping') }),
])

/** The feed in a route's schema, where nothing is checked: it is a `Response` already. */
export const Feed = Type.Unsafe<ReadableStream>(
  Type.Any({
    description: 'server-sent events',
    contentMediaType: 'text/event-stream',
    contentSchema: FeedEvent,
  }),
)

/** Feeds that one key may have open at once. */
const MAX_FEEDS_PER_KEY = 4
/** Bun cuts a quiet socket after two minutes, and so do proxies, sooner. */
const PING_EVERY_MS = 15_000
/** How soon a feed ends after its key was revoked, or the process began to stop. */
const CHECK_EVERY_MS = 1_000
/** Events that wait for a slow reader; beyond it they are dropped. */
const MAX_WAITING_EVENTS = 1_000
const HEADERS = { 'content-type': 'text/event-stream', 'cache-control': 'no-store' }

export interface FeedRequest {
  caller: Caller
  request: Request
  /** Looks at the key again. @throws GatewayError once it may not be used any more */
  recheck(): void
}

/** Timers that tests replace. */
export interface FeedTimers {
  ping_every_ms?: number
  check_every_ms?: number
}

/**
 * Opens feeds, at most four a key.
 *
 * @returns answers with a feed. It throws GatewayError rate_limited for a fifth one
 */
export function createFeeds(
  { exchange, running, now }: Pick<Gateway, 'exchange' | 'running' | 'now'>,
  { ping_every_ms = PING_EVERY_MS, check_every_ms = CHECK_EVERY_MS }: FeedTimers = {},
): (feed: FeedRequest) => Promise<Response> {
  const open = new Map<number, number>()

  function count(key_id: number, by: 1 | -1): void {
    const feeds = (open.get(key_id) ?? 0) + by
    if (feeds > 0) open.set(key_id, feeds)
    else open.delete(key_id)
  }

  return async ({ caller, request, recheck }) => {
    // Elysia answers HEAD from the route of GET. Nobody reads its body, and nothing tells when its caller leaves.
    if (request.method === 'HEAD') return new Response(null, { headers: HEADERS })
    // At first use: it costs a start 10 ms. Before the feed is counted, for the caller may leave meanwhile.
    const feeds = await import('@elysiajs/stream')
    const key_id = caller.key.id
    if ((open.get(key_id) ?? 0) >= MAX_FEEDS_PER_KEY) throw tooManyFeeds()
    count(key_id, 1)
    const feed = startFeed(new feeds.Stream())
    const stopListening = exchange.activity.listen(caller.account.id, (event) =>
      feed.send(viewOf(event, now())),
    )
    const pinging = setInterval(() => feed.send({ type: 'ping' }), ping_every_ms)
    const checking = setInterval(() => {
      if (running.stopping || !isAllowed(recheck)) end()
    }, check_every_ms)
    let ended = false
    function end(): void {
      if (ended) return
      ended = true
      clearInterval(pinging)
      clearInterval(checking)
      stopListening()
      count(key_id, -1)
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
function startFeed(stream: Stream<Static<typeof FeedEvent>>): {
  body: ReadableStream<Uint8Array>
  send(event: Static<typeof FeedEvent>): void
  end(): void
} {
  const reader = stream.value.getReader()
  let waiting = 0
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { value, done }: { value?: unknown; done: boolean } = await reader.read()
        if (done) return controller.close()
        waiting -= 1
        // It is typed by what is sent; what comes out of it are bytes.
        if (value instanceof Uint8Array) controller.enqueue(value)
      },
    },
    { highWaterMark: 0 },
  )
  return {
    body,
    send(event) {
      if (waiting >= MAX_WAITING_EVENTS) return
      waiting += 1
      stream.send(event)
    },
    end: () => stream.close(),
  }
}

function viewOf(event: ActivityEvent, now_ms: number): Static<typeof FeedEvent> {
  const at = new Date(now_ms).toISOString()
  if (event.type === 'held') {
    const { held_nanos, ...call } = event
    return { ...call, at, ...money('held', held_nanos) }
  }
  if (event.type === 'first_byte') return { ...event, at }
  const { cost_nanos, ...call } = event
  return { ...call, at, ...money('cost', cost_nanos) }
}

function isAllowed(recheck: () => void): boolean {
  try {
    recheck()
    return true
  } catch {
    // Revoked, expired or suspended: whichever it is, the feed ends.
    return false
  }
}

const tooManyFeeds = () =>
  rateLimited(`This API key has ${MAX_FEEDS_PER_KEY} live feeds open. Close one, or share it.`, {
    retry_after_s: 1,
  })
