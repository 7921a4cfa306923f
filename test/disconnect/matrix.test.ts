// silent.md, "Streams whose caller left", cell by cell: who goes, at which point of a stream, under which policy, and what
// the call then costs to the nano-dollar. In each cell: one settlement, nothing held, the place of the call given back.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Call } from '../../src/db/schema.ts'
import type { Leaving } from '../support/raw-client.ts'
import { type Step, stream } from '../support/upstream.ts'
import {
  callRaw,
  expectSettledOnce,
  FREE,
  openScene,
  POINTS,
  type Point,
  priceOf,
  REPORTED,
  type Scene,
  stepsAround,
  until,
} from './scene.ts'

setDefaultTimeout(60_000)

const WAYS: Leaving[] = ['close', 'reset', 'half-close']
const points = Object.entries(POINTS) as [string, Point][]
const reports = Object.entries(REPORTED)
const EVERYTHING = 4

let cancelling: Scene
let draining: Scene
beforeAll(async () => {
  const provider = 'idle_timeout_ms = 200\nfirst_byte_timeout_ms = 300'
  cancelling = await openScene({ provider })
  draining = await openScene({ server: 'on_disconnect = "drain"' })
})
afterAll(async () => {
  await cancelling[Symbol.asyncDispose]()
  await draining[Symbol.asyncDispose]()
})

/**
 * Once an answer is finished, its newest packet is held back until the next one comes: so the last event, which changes
 * nothing when it comes again, is repeated for as long as the caller has not left.
 */
function repeatUntil(left: Promise<void>, step: Step = 'hang'): Step[] {
  const pause = {
    get wait() {
      return Promise.race([left, Bun.sleep(10)])
    },
  }
  return Array.from({ length: 400 }, (_, index) => (index % 2 === 0 ? pause : step))
}

/** A caller who leaves at a point; the vendor goes on only after the gateway has noticed. */
async function leaveAt(scene: Scene, point: Point, reported: boolean, way: Leaving) {
  const noticed = Promise.withResolvers<void>()
  const { until: before, after } = stepsAround(point, reported)
  const pause = point.whole_events === EVERYTHING ? repeatUntil(noticed.promise, before.at(-1)) : []
  scene.upstream.answer(stream(...before, ...pause, { wait: noticed.promise }, ...after))
  const calls = scene.upstream.seen.length
  const left = scene.left()
  const { key, client } = await callRaw(scene, true)
  await until(() => scene.upstream.seen.length > calls)
  if (point.sees) await client.sees(point.sees)
  const seen = scene.upstream.last()
  client.leave(way)
  await until(() => scene.left() > left)
  // Where the upstream is to be aborted, it must not end by itself before the abort has arrived.
  if (scene === draining) noticed.resolve()
  await seen.over
  noticed.resolve()
  return { key, seen }
}

for (const [when, point] of points) {
  for (const [usage, reported] of reports) {
    for (const way of WAYS) {
      describe(`the caller leaves ${when}, ${usage}, by ${way}`, () => {
        test('cancel: the upstream is aborted, what was delivered is charged', async () => {
          const { key, seen } = await leaveAt(cancelling, point, reported, way)
          expect(seen.aborted).toBe(true)
          const cost = point.whole_events === 0 ? FREE : priceOf(point.whole_events, reported)
          await expectSettledOnce(cancelling, key, {
            ...cost,
            outcome: 'cancelled',
            status: 499,
            streamed: 1,
          })
        })

        test('drain: the upstream is read to its end, all of it is charged', async () => {
          const { key, seen } = await leaveAt(draining, point, reported, way)
          expect(seen.aborted).toBe(false)
          const cost = priceOf(EVERYTHING, reported)
          await expectSettledOnce(draining, key, { ...cost, outcome: 'cancelled', status: 499, streamed: 1 })
        })
      })
    }
  }
}

/** What the vendor does at a point, instead of going on. */
const BREAKS: Record<string, Step[]> = {
  'resets the connection': ['reset'],
  'ends its stream': [],
  'reports an error': [{ event: { error: { code: 500, message: 'shard 7 at 10.0.0.7 is broken' } } }],
  'falls silent': ['hang'],
}
const PUBLIC_ERROR =
  /\{"error":\{"code":502,"message":"The model's provider [^"]+","status":"UNAVAILABLE"\}\}/

/**
 * What comes of a break. An answer that said that it is complete is complete, however its connection ends; before its
 * first byte a break is an error with a status; in between the caller has a 200, and an error as the last record.
 */
function endingOf({ whole_events, half }: Point, what: string): Pick<Call, 'outcome' | 'status'> {
  if (whole_events === EVERYTHING && what !== 'reports an error') return { outcome: 'completed', status: 200 }
  const first_byte = whole_events > 0 || half || what === 'reports an error'
  return first_byte ? { outcome: 'broken', status: 200 } : { outcome: 'failed', status: 502 }
}

/** A vendor who breaks at a point, once what it sent until then has arrived; and what its patient caller is told. */
async function breakAt(scene: Scene, point: Point, reported: boolean, steps: Step[]) {
  const arrived = Promise.withResolvers<void>()
  const { until: before } = stepsAround(point, reported)
  const pause = point.whole_events === EVERYTHING ? repeatUntil(arrived.promise, before.at(-1)) : []
  const nothing = before.length === 0 && steps[0] === 'reset'
  scene.upstream.answer(
    nothing ? { steps } : stream(...before, ...pause, { wait: arrived.promise }, ...steps),
  )
  const answers = scene.answers()
  const { key, client } = await callRaw(scene, true)
  if (point.half) await until(() => scene.answers() > answers)
  if (point.sees) await client.sees(point.sees)
  arrived.resolve()
  await client.closed
  client.leave('close')
  return { key, received: client.received() }
}

for (const [when, point] of points) {
  for (const [usage, reported] of reports) {
    describe(`the upstream ${when}, ${usage},`, () => {
      test.each(Object.entries(BREAKS))('%s', async (what, steps) => {
        const { key, received } = await breakAt(cancelling, point, reported, steps)
        const ending = endingOf(point, what)
        expect(received).toStartWith(`HTTP/1.1 ${ending.status} `)
        expect(received.match(/"error"/g) ?? []).toHaveLength(ending.outcome === 'completed' ? 0 : 1)
        if (ending.outcome !== 'completed') expect(received).toMatch(PUBLIC_ERROR)
        expect(received).not.toContain('shard')
        const cost = point.whole_events === 0 ? FREE : priceOf(point.whole_events, reported)
        await expectSettledOnce(cancelling, key, { ...cost, ...ending, streamed: 1 })
      })
    })
  }
}
