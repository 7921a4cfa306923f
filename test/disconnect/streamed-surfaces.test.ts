// silent.md, Streams whose caller left, on every surface that streams: who ends it, at which point, under which policy, and the cost
// of the call, to the nano-dollar. One settlement, nothing held, the place of the call freed.
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { sample } from '../support/long.ts'
import { type Step, stream } from '../support/upstream.ts'
import { type ProviderStream, SEEN, STREAMED, type StreamedSurface } from './streams.ts'
import {
  type DisconnectScene,
  disconnectScene,
  expectNothingSent,
  expectSettledOnce,
  FREE,
  sendRaw,
} from './support.ts'
import { surfaceModels, wireOf } from './surfaces.ts'

setDefaultTimeout(60_000)

const options = { more: surfaceModels, provider: 'cooldown_ms = 0' }
const cancelling = await disconnectScene(options)
const draining = await disconnectScene({ ...options, server: 'on_disconnect = "drain"' })
afterAll(() => Promise.all([cancelling, draining].map((opened) => opened[Symbol.asyncDispose]())))

/** A point in a stream: after this many whole events, and perhaps the first bytes of the next. */
interface Point {
  events: number
  half?: boolean
  /** Pieces that the caller has seen by then. */
  pieces?: 0 | 1 | 2
}

const pointsOf = ({ events: all, finished_at }: ProviderStream): Record<string, Point> => ({
  'before the first event': { events: 0 },
  'inside the first event': { events: 0, half: true },
  'before any output': { events: 1 },
  'after the first piece': { events: 2, pieces: 1 },
  'inside the second piece': { events: 2, half: true, pieces: 1 },
  'inside the event that finishes': { events: finished_at - 1, half: true, pieces: 2 },
  'after the finish, before the end': { events: all.length, pieces: 2 },
})

/** The steps until a point, and those after it. The gateway has read each packet before the next is sent. */
function stepsAround({ events }: ProviderStream, point: Point): { until: Step[]; after: Step[] } {
  const send = (bytes: string): Step[] => [{ send: bytes }, 'read']
  const until: Step[] = ['read', ...events.slice(0, point.events).flatMap(send)]
  const [next = '', ...rest] = events.slice(point.events)
  if (!point.half) return { until, after: [next, ...rest].filter(Boolean).flatMap(send) }
  const middle = next.length >> 1
  return {
    until: [...until, ...send(next.slice(0, middle))],
    after: [next.slice(middle), ...rest].flatMap(send),
  }
}

const seesUntil = ({ seen = SEEN }: StreamedSurface, { pieces = 0 }: Point): string | undefined =>
  pieces === 0 ? undefined : seen[pieces - 1]

/** A caller disconnects at a point; the upstream goes on only after the gateway has noticed. */
async function leaveAt(s: DisconnectScene, surface: StreamedSurface, point: Point, drains: boolean) {
  const arrived = Promise.withResolvers<void>()
  const noticed = Promise.withResolvers<void>()
  const { until, after } = stepsAround(surface.provider, point)
  s.upstream.answer(stream(...until, { tell: arrived.resolve }, { wait: noticed.promise }, ...after))
  const left = s.callers.left.count
  const { key, client } = await sendRaw(s.gateway, await wireOf(surface.request))
  await arrived.promise
  const sees = seesUntil(surface, point)
  if (sees !== undefined) await client.waitForText(sees)
  const seen = s.upstream.last()
  client.leave('close')
  await s.callers.left.reaches(left + 1)
  // Where the upstream is to be aborted, it must not end by itself before the abort has arrived.
  if (drains) noticed.resolve()
  await seen.over
  noticed.resolve()
  return { key, seen }
}

/** The upstream's breaks at a point, in place of going on. */
const breaksOf = ({ error }: ProviderStream): Record<string, Step[]> => ({
  'resets the connection': ['reset'],
  'ends its stream': [],
  'reports an error': [{ send: error }],
})

/** The upstream breaks at a point, once the gateway has read, and the caller has seen, everything before it. */
async function breakAt(s: DisconnectScene, surface: StreamedSurface, point: Point, steps: Step[]) {
  const seen = Promise.withResolvers<void>()
  const { until } = stepsAround(surface.provider, point)
  const nothing_sent = point.events === 0 && !point.half && steps[0] === 'reset'
  s.upstream.answer(nothing_sent ? { steps } : stream(...until, { wait: seen.promise }, ...steps))
  const { key, client } = await sendRaw(s.gateway, await wireOf(surface.request))
  const sees = seesUntil(surface, point)
  if (sees !== undefined) await client.waitForText(sees)
  seen.resolve()
  await client.closed
  client.leave('close')
  return { key, received: client.received() }
}

/** These are passed on from their first event on. */
const OF_UNITS = new Set(['transcription', 'speech as events'])

/** The ending of a call by a break, and its cost: nothing where there was no output. */
function endingOf(
  { finished_at, charge }: ProviderStream,
  { events }: Point,
  { what, held_back }: { what: string; held_back: boolean },
) {
  if (events >= finished_at && what !== 'reports an error')
    return { ...charge(events), outcome: 'completed', status: 200 } as const
  // Streams of text are held back until their first output: another route may give it.
  if (events === 0 || (events === 1 && held_back)) return { ...FREE, outcome: 'failed', status: 502 } as const
  return { ...(events > 1 ? charge(events) : FREE), outcome: 'broken', status: 200 } as const
}

const surfaces = Object.entries(STREAMED).map(([name, surface], at) => [name, surface, at] as const)

describe.each(surfaces)('%s', (name, surface, row) => {
  const { provider: theirs } = surface
  const points = Object.entries(pointsOf(theirs))

  test('the caller disconnects before the request has come: no hold, no call, nothing is sent', async () =>
    expectNothingSent(cancelling, await wireOf(surface.request)))

  test.each(sample(points, row))(
    'the caller disconnects %s; cancel: the delivered part is charged',
    async (_when, point) => {
      const { key, seen } = await leaveAt(cancelling, surface, point, false)
      expect(seen.aborted).toBe(true)
      const expected = theirs.charge(point.events)
      await expectSettledOnce(cancelling, key, {
        ...expected,
        outcome: 'cancelled',
        status: 499,
        streamed: 1,
      })
    },
  )

  test.each(sample(points, row + 1))(
    'the caller disconnects %s; drain: all of it is charged',
    async (_when, point) => {
      const { key, seen } = await leaveAt(draining, surface, point, true)
      expect(seen.aborted).toBe(false)
      const expected = theirs.charge(theirs.events.length)
      await expectSettledOnce(draining, key, { ...expected, outcome: 'cancelled', status: 499, streamed: 1 })
    },
  )

  const breaks = points.flatMap(([when, point]) =>
    Object.entries(breaksOf(theirs)).map(([what, steps]) => [when, what, point, steps] as const),
  )
  test.each(sample(breaks, row))('the upstream, %s, %s', async (_when, what, point, steps) => {
    const { key, received } = await breakAt(cancelling, surface, point, steps)
    const ending = endingOf(theirs, point, { what, held_back: !OF_UNITS.has(name) })
    expect(received).toStartWith(`HTTP/1.1 ${ending.status} `)
    expect(received).not.toContain('shard')
    const has_error = /"error": ?[{"]|"type": ?"error"/.test(received.replaceAll('"error":null', ''))
    expect(has_error).toBe(ending.outcome !== 'completed')
    await expectSettledOnce(cancelling, key, { ...ending, streamed: 1 })
  })
})
