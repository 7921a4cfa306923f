// Calls that other gateways settle, for this gateway's listeners: read from the database once a second while there are listeners.

import type { Gateway } from '../../src/app/surface/gateway.ts'
import type { Events } from '../../src/calls/life/events.ts'
import type { Logger } from '../../src/observe/log.ts'
import type { Db } from '../../src/store/db.ts'
import { type Activity, createActivity } from './activity.ts'
import { followSettled } from './settled-elsewhere.ts'

const READ_EVERY_MS = 1_000
/** More calls than one gateway settles between two reads. */
const MAX_OWN = 20_000

interface OthersCallsParts {
  db: Db
  /** The id of this gateway. */
  gateway_id: number
  activity: Activity
  events: Events
  /** Whether this gateway is settling the call itself. */
  isUnderWay: (hold_id: number) => boolean
  now: () => number
  log: Pick<Logger, 'warn'>
  every_ms?: number
}

/** Starts the reading with the first listener. @returns a function that ends it */
export function followOthersCalls(parts: OthersCallsParts): () => Promise<void> {
  const { activity, events, isUnderWay, log, every_ms = READ_EVERY_MS } = parts
  /** Recently settled calls of this gateway, which its listeners have already received. */
  const own = new Set<number>()
  let timer: ReturnType<typeof setInterval> | undefined
  let unlisten = () => {}
  let following: ReturnType<typeof followSettled> | undefined
  let reading: Promise<void> | undefined
  let failed = false

  function begin(): void {
    unlisten = events.on('settled', ({ call }) => {
      own.add(call.hold_id)
      if (own.size > MAX_OWN) for (const oldest of own.values().take(1)) own.delete(oldest)
    })
    timer = setInterval(() => void read(), every_ms)
    timer.unref()
    void read()
  }

  function end(): void {
    clearInterval(timer)
    timer = undefined
    following = undefined
    unlisten()
  }

  /** Never rejects. */
  async function read(): Promise<void> {
    if (!activity.hasListeners()) return end()
    reading ??= readOnce().catch(onReadFailure)
    await reading
    reading = undefined
  }

  async function readOnce(): Promise<void> {
    following ??= followSettled(parts)
    const next = await following
    for (const { id, key_prefix, streamed, ...call } of await next())
      if (!own.has(id) && !isUnderWay(id))
        activity.settledElsewhere({ ...call, key: key_prefix, streamed: streamed === 1 })
    failed = false
  }

  /** Logs the first of several failures. Listeners miss the calls that are settled until a read succeeds. */
  function onReadFailure(cause: unknown): void {
    following = undefined
    if (!failed) log.warn({ cause }, 'live feeds miss the calls of other gateways: they could not be read')
    failed = true
  }

  activity.onFirstListener = () => timer ?? begin()
  return async () => {
    activity.onFirstListener = () => {}
    end()
    await reading
  }
}

/** Opens the live activity of a gateway, including calls of other gateways over the same database. */
export function openActivity({ db, calls, operations }: Gateway) {
  const { events, running, settlements, is_shared, now, log } = calls
  const activity = createActivity(events, log)
  const own = operations.gateways()?.alive.find(({ is_this }) => is_this)
  if (!is_shared || !own) return { activity, close: async () => {} }
  const isUnderWay = (hold_id: number) => running.isUnderWay(hold_id) || settlements.has(hold_id)
  const parts = { db, gateway_id: own.id, activity, events, isUnderWay, now, log }
  return { activity, close: followOthersCalls(parts) }
}
