// silent.md, Streams whose caller left, cell by cell: who ends a stream, at which point, under which policy, and the cost of the
// call, to the nano-dollar. In each cell: one settlement, nothing held, the place of the call freed.
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Call } from '../../src/store/schema.ts'
import { IS_LONG, sample } from '../support/long.ts'
import type { Departure } from '../support/socket-client.ts'
import { type Step, stream } from '../support/upstream.ts'
import {
  ALL_EVENTS,
  callRaw,
  type DisconnectScene,
  disconnectScene,
  expectSettledOnce,
  FREE,
  POINTS,
  type Point,
  priceOf,
  REPORTED,
  stepsAround,
} from './support.ts'

setDefaultTimeout(60_000)

const WAYS: Departure[] = ['close', 'reset', 'half-close']
const points = Object.entries(POINTS) as [string, Point][]
const reports = Object.entries(REPORTED)
const HOUR_MS = 3_600_000

const cancelling = await disconnectScene()
const draining = await disconnectScene({ server: 'on_disconnect = "drain"' })
/** Here the first event must come within a moment. */
const hasty = await disconnectScene({ provider: 'first_byte_timeout_ms = 100' })
/** Here the hour that a stream may be silent can pass within a moment. */
const clock = createClock()
const hourly = await disconnectScene({
  server: `stalled_reader_timeout_ms = ${10 * HOUR_MS}`,
  provider: `idle_timeout_ms = ${HOUR_MS}`,
  now: clock.now,
})
afterAll(() =>
  Promise.all([cancelling, draining, hasty, hourly].map((opened) => opened[Symbol.asyncDispose]())),
)

/** A clock that can be made to run fast, an hour in 200 ms. */
function createClock() {
  let rate = 1
  let from_ms = Date.now()
  let since_ms = performance.now()
  const now = () => Math.floor(from_ms + (performance.now() - since_ms) * rate)
  const run = (new_rate: number) => {
    ;[from_ms, since_ms, rate] = [now(), performance.now(), new_rate]
  }
  return { now, runFast: () => run(HOUR_MS / 200), runNormally: () => run(1) }
}

/** A caller disconnects at a point; the upstream goes on only after the gateway has noticed. */
async function leaveAt(s: DisconnectScene, point: Point, reported: boolean, way: Departure) {
  const arrived = Promise.withResolvers<void>()
  const noticed = Promise.withResolvers<void>()
  const { until, after } = stepsAround(point, reported)
  s.upstream.answer(stream(...until, { tell: arrived.resolve }, { wait: noticed.promise }, ...after))
  const left = s.callers.left.count
  const { key, client } = await callRaw(s, true)
  await arrived.promise
  if (point.sees) await client.waitForText(point.sees)
  const seen = s.upstream.last()
  client.leave(way)
  await s.callers.left.reaches(left + 1)
  // Where the upstream is to be aborted, it must not end by itself before the abort has arrived.
  if (s === draining) noticed.resolve()
  await seen.over
  noticed.resolve()
  return { key, seen }
}

for (const [column, [when, point]] of points.entries()) {
  for (const [row, [usage, reported]] of reports.entries()) {
    describe(`the caller disconnects ${when}, ${usage},`, () => {
      test.each(sample(WAYS, column + row))(
        'by %s; cancel: the upstream call is aborted, the delivered part is charged',
        async (way) => {
          const { key, seen } = await leaveAt(cancelling, point, reported, way)
          expect(seen.aborted).toBe(true)
          const cost = priceOf(point.whole_events, reported && point.whole_events > 0)
          await expectSettledOnce(cancelling, key, {
            ...cost,
            outcome: 'cancelled',
            status: 499,
            streamed: 1,
          })
        },
      )

      test.each(sample(WAYS, column + row + 1))(
        'by %s; drain: the stream is read to its end, and all of it is charged',
        async (way) => {
          const { key, seen } = await leaveAt(draining, point, reported, way)
          expect(seen.aborted).toBe(false)
          const cost = priceOf(ALL_EVENTS, reported)
          await expectSettledOnce(draining, key, { ...cost, outcome: 'cancelled', status: 499, streamed: 1 })
        },
      )
    })
  }
}

/** The upstream's break at a point, in place of going on. */
const BREAKS: Record<string, Step[]> = {
  'resets the connection': ['reset'],
  'ends its stream': [],
  'reports an error': [{ event: { error: { code: 500, message: 'shard 7 at 10.0.0.7 is broken' } } }],
  'falls silent': ['hang'],
}
const PUBLIC_ERROR =
  /\{"error":\{"code":502,"message":"The model's provider [^"]+","status":"UNAVAILABLE"\}\}/

/**
 * How a call ends by a break. An answer that has finished is complete, however its connection ends; before the first event
 * a break is an error with a status; in between it is an error record at the end of a 200.
 */
function endingOf({ whole_events }: Point, what: string): Pick<Call, 'outcome' | 'status'> {
  if (whole_events === ALL_EVENTS && what !== 'reports an error') return { outcome: 'completed', status: 200 }
  return whole_events > 0 ? { outcome: 'broken', status: 200 } : { outcome: 'failed', status: 502 }
}

/** The upstream breaks at a point, once the gateway has read, and the caller has seen, everything before it. */
async function breakAt(s: DisconnectScene, point: Point, reported: boolean, steps: Step[]) {
  const seen = Promise.withResolvers<void>()
  const { until } = stepsAround(point, reported)
  const nothing_sent = point.whole_events === 0 && !point.half && steps[0] === 'reset'
  s.upstream.answer(nothing_sent ? { steps } : stream(...until, { wait: seen.promise }, ...steps))
  const { key, client } = await callRaw(s, true)
  if (point.sees) await client.waitForText(point.sees)
  seen.resolve()
  if (s === hourly) clock.runFast()
  await client.closed
  clock.runNormally()
  client.leave('close')
  return { key, received: client.received() }
}

/** A silence takes a tick of the gateway: at each point one of the two usages, in a long run both. */
const breaksAt = (column: number, row: number) =>
  Object.entries(BREAKS).filter(
    ([what]) => IS_LONG || what !== 'falls silent' || (column + row) % reports.length === 0,
  )

for (const [column, [when, point]] of points.entries()) {
  for (const [row, [usage, reported]] of reports.entries()) {
    describe(`the upstream ${when}, ${usage},`, () => {
      test.each(breaksAt(column, row))('%s', async (what, steps) => {
        const s = what !== 'falls silent' ? cancelling : point.whole_events === 0 ? hasty : hourly
        const { key, received } = await breakAt(s, point, reported, steps)
        const ending = endingOf(point, what)
        expect(received).toStartWith(`HTTP/1.1 ${ending.status} `)
        expect(received.match(/"error"/g) ?? []).toHaveLength(ending.outcome === 'completed' ? 0 : 1)
        if (ending.outcome !== 'completed') expect(received).toMatch(PUBLIC_ERROR)
        expect(received).not.toContain('shard')
        const cost = point.whole_events === 0 ? FREE : priceOf(point.whole_events, reported)
        await expectSettledOnce(s, key, { ...cost, ...ending, streamed: 1 })
      })
    })
  }
}
