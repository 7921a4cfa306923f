// The console's live feed of calls: all accounts for the operator, the own account for others.

import { type Static, Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { accountQueries } from '../../src/access/queries.ts'
import { keysByNumber } from '../../src/access/rows-by-number.ts'
import { accountOf, onlyKeysOf, type Viewer } from '../../src/access/viewer.ts'
import { DISPLAY_NAME, displayNameOf } from '../../src/app/surface/console/account-names.ts'
import { FAILURES, siteSettings, viewerCalls } from '../../src/app/surface/console/calls.ts'
import { tokenOf } from '../../src/app/surface/console/site.ts'
import type { Gateway } from '../../src/app/surface/gateway.ts'
import { rateLimited } from '../../src/domain/errors.ts'
import { Closed } from '../../src/http/schema.ts'
import { addressOf } from '../../src/http/sockets.ts'
import type { Awaitable } from '../../src/store/db.ts'
import type { Activity, ActivityListener } from './activity.ts'
import { type ActivityView, activityEvents, activityView, PingEvent } from './activity-view.ts'
import { createFeeds, type FeedTimers } from './feed.ts'

/** Open feeds of one operator session: a few tabs. */
const MAX_FEEDS_PER_SESSION = 6
/** Open feeds of all sessions of an account together, since each of its keys can have sessions. */
const MAX_FEEDS_PER_ACCOUNT = 24
/** More than people can read. Further events of a busy gateway are only counted. */
const MAX_EVENTS_A_SECOND = 60
const SECOND_MS = 1_000

const SkippedEvent = Type.Object({
  type: Type.Literal('skipped'),
  events: Type.Integer({ description: 'that were left out, since they were too many at once' }),
})
const LiveEvent = Type.Union([
  ...activityEvents({ account: Type.String(), ...DISPLAY_NAME }),
  SkippedEvent,
  PingEvent,
])
type Sent = (ActivityView & { account: string; account_display_name: string }) | Static<typeof SkippedEvent>

const Live = Type.Unsafe<ReadableStream>(
  Type.Any({
    description: 'server-sent events',
    contentMediaType: 'text/event-stream',
    contentSchema: LiveEvent,
  }),
)

/** `GET /console/api/live`. The feed ends with its session. */
export function liveRoutes(
  gateway: Pick<Gateway, 'calls' | 'requests' | 'people' | 'db'>,
  activity: Pick<Activity, 'listen'>,
  timers: FeedTimers = {},
) {
  const { db } = gateway
  const { running } = gateway.calls
  const { sessions } = gateway.people
  const feeds = (max_feeds: number, owner: string) =>
    createFeeds<Sent>({ running }, { ...timers, max_feeds, tooMany: () => tooManyFeeds(max_feeds, owner) })
  const operatorsFeed = feeds(MAX_FEEDS_PER_SESSION, 'session')
  const accountsFeed = feeds(MAX_FEEDS_PER_ACCOUNT, 'account')
  return new Elysia({ name: 'console-live' }).use(viewerCalls(gateway)).get(
    '/console/api/live',
    async ({ viewer, origin, request }) => {
      const token = tokenOf(request, siteSettings(gateway))
      const address = addressOf(origin)
      const account_id = accountOf(viewer)
      const openFeed = account_id === undefined ? operatorsFeed : accountsFeed
      const visible: Visible = { only_keys: await prefixesOf(db, viewer) }
      return openFeed({
        request,
        reader: account_id ?? viewer.session_id,
        async recheck() {
          const current_viewer = await sessions.viewer(token, address, origin.request_id)
          visible.only_keys = await prefixesOf(db, current_viewer)
        },
        start: (send) => listen(gateway, { activity, viewer, visible }, send),
      })
    },
    { query: Closed({}), response: { 200: Live, ...FAILURES } },
  )
}

/** The calls that a viewer may see, updated with each check of the session: keys and their limits may change meanwhile. */
interface Visible {
  /** The prefixes of the viewer's keys; undefined if the viewer sees the whole account. */
  only_keys: ReadonlySet<string> | undefined
}

/** Sends a viewer the calls that they may see, at most 60 a second. */
function listen(
  { db, calls: { now, log } }: Pick<Gateway, 'calls' | 'db'>,
  { activity, viewer, visible }: { activity: Pick<Activity, 'listen'>; viewer: Viewer; visible: Visible },
  send: (event: Sent) => void,
): () => void {
  const accountByName = (name: string) => accountQueries(db).accountByName.get({ name })
  let second = 0
  let sent = 0
  let skipped = 0
  /** Sends events in order, although each needs a read of its own duration. */
  let sending = Promise.resolve()
  const sendNext = async (before: Promise<void>, read: () => Awaitable<Sent>): Promise<void> => {
    await before
    try {
      send(await read())
    } catch (cause) {
      log.warn({ cause }, 'an event of a live feed could not be sent')
    }
  }
  const listener: ActivityListener = (event, account) => {
    if (visible.only_keys && !visible.only_keys.has(event.key)) return
    const now_ms = now()
    const this_second = Math.floor(now_ms / SECOND_MS)
    if (this_second !== second) {
      const events = skipped
      if (events > 0) sending = sendNext(sending, () => ({ type: 'skipped', events }))
      second = this_second
      sent = 0
      skipped = 0
    }
    if (sent >= MAX_EVENTS_A_SECOND) {
      skipped += 1
      return
    }
    sent += 1
    const event_view = activityView(event, now_ms)
    sending = sendNext(sending, async () => ({
      ...event_view,
      account,
      account_display_name: await displayNameOf(db, viewer, (await accountByName(account))?.id),
    }))
  }
  return activity.listen(accountOf(viewer), listener)
}

/** @returns undefined if the viewer sees the whole account */
async function prefixesOf(db: Gateway['db'], viewer: Viewer): Promise<ReadonlySet<string> | undefined> {
  const ids = onlyKeysOf(viewer)
  return ids && new Set([...(await keysByNumber(db, ids)).values()].map(({ prefix }) => prefix))
}

const tooManyFeeds = (max_feeds: number, owner: string) =>
  rateLimited(`This ${owner} has ${max_feeds} live feeds open. Close a tab of the console.`, {
    retry_after_s: 1,
  })
