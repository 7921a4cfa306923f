// The route of an account's live feed, GET /api/v1/events: server-sent events as calls are held, answered and settled.
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { ACCOUNT_FAILURES, accountCalls, scopeOf } from '../../src/app/surface/account-calls.ts'
import type { Gateway } from '../../src/app/surface/gateway.ts'
import { rateLimited } from '../../src/domain/errors.ts'
import { Closed } from '../../src/http/schema.ts'
import type { Activity } from './activity.ts'
import { type ActivityView, activityEvents, activityView, PingEvent } from './activity-view.ts'
import { createFeeds, type FeedTimers } from './feed.ts'

/** One event of the feed: the `data` of a server-sent event. */
const FeedEvent = Type.Union([...activityEvents({}), PingEvent])

/** The schema of the feed for the API reference. It validates nothing, because the route returns a `Response`. */
const Feed = Type.Unsafe<ReadableStream>(
  Type.Any({
    type: 'string',
    description: 'Server-sent events; the `data` of each is JSON.',
    media_types: ['text/event-stream'],
    contentMediaType: 'text/event-stream',
    contentSchema: FeedEvent,
  }),
)

const MAX_FEEDS_PER_KEY = 4

const tooManyFeeds = () =>
  rateLimited(`This API key has ${MAX_FEEDS_PER_KEY} live feeds open. Close one, or share it.`, {
    retry_after_s: 1,
  })

/** `GET /api/v1/events`. A key with its own limits sees only its own calls, unless its account allows more; a member's key always does. */
export function callersFeedRoutes(
  gateway: Pick<Gateway, 'calls' | 'requests' | 'db'>,
  activity: Pick<Activity, 'listen'>,
  timers: FeedTimers = {},
) {
  const { running, now, gate } = gateway.calls
  const openFeed = createFeeds<ActivityView>(
    { running },
    { ...timers, max_feeds: MAX_FEEDS_PER_KEY, tooMany: tooManyFeeds },
  )
  return new Elysia({ name: 'live-feed' }).use(accountCalls(gateway)).get(
    '/api/v1/events',
    async ({ caller, origin, request }) => {
      const { account, key } = caller
      const seesAll = async () => (await scopeOf(gateway, caller)).only === undefined
      let sees_all = await seesAll()
      return openFeed({
        request,
        reader: key.id,
        async recheck() {
          await gate.admit(origin)
          sees_all = await seesAll()
        },
        start: (send) =>
          activity.listen(account.id, (event) => {
            if (sees_all || event.key === key.prefix) send(activityView(event, now()))
          }),
      })
    },
    {
      query: Closed({}),
      response: { 200: Feed, ...ACCOUNT_FAILURES },
      detail: {
        tags: ['Account'],
        operationId: 'watchCalls',
        summary: 'Watch calls as they happen',
        description:
          'Server-sent events for as long as the connection stays. A key with limits of its own sees its own calls only, unless the account allows more; a member’s always. A key may have four open. Nothing is sent again.',
      },
    },
  )
}
