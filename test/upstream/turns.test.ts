// Turns of the event loop for streams: other work is served between them, and the streams one after the other.
import { describe, expect, test } from 'bun:test'
import { gemini } from '../../src/protocols/gemini/index.ts'
import { drain } from '../../src/upstream/drain.ts'
import { type ByteReader, pump } from '../../src/upstream/pump.ts'
import { eventFrame, passOn } from '../../src/upstream/relay.ts'
import { type QueuedStream, TURN_WEIGHT, TURNS_IN_A_ROW, Turns } from '../../src/upstream/turns.ts'
import { PlainSignal } from '../../src/utilities/plain-signal.ts'
import { answer, piece } from '../support/native.ts'
import { eventBytes } from '../support/upstream.ts'

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Counts the turns of the event loop until it is stopped. */
function countTurns(): { stop(): number } {
  let turns = 0
  let counting = true
  const count = () => {
    turns++
    if (counting) setImmediate(count)
  }
  setImmediate(count)
  return {
    stop() {
      counting = false
      return turns
    },
  }
}

const queued = (step_weight = 0, goOn = () => undefined): QueuedStream => ({
  step_weight,
  turns_in_a_row: 0,
  goOn,
})
const SHORT = 'data: {"a":1}\n\n'
/** Events of this size each. */
const events = (bytes: number, count: number) =>
  Buffer.from(`data: ${'x'.repeat(bytes - 8)}\n\n`.repeat(count))

describe('the budget of a turn', () => {
  test('no stream waits while the budget lasts', () => {
    const turns = new Turns()
    for (let spent = 0; spent + 100 < TURN_WEIGHT; spent += 100) turns.spend(queued(), new Uint8Array(100))
    expect(turns.must_wait).toBe(false)
    turns.spend(queued(), new Uint8Array(100))
    expect(turns.must_wait).toBe(true)
  })

  test('short events weigh their bytes, and a step over them ends where one of them does', () => {
    const stream = queued()
    const chunk = Buffer.from(SHORT.repeat(100_000))
    const end = new Turns().spend(stream, chunk)
    expect(end).toBeWithin(TURN_WEIGHT * 0.9, TURN_WEIGHT * 1.1)
    expect(end % SHORT.length).toBe(0)
    expect(stream.step_weight).toBeGreaterThanOrEqual(TURN_WEIGHT)
  })

  test('long events weigh far less than their bytes: a whole chunk of them is one step', () => {
    const chunk = events(8_000, 96)
    expect(new Turns().spend(queued(), chunk)).toBe(chunk.length)
  })

  test('a chunk without the end of an event is one step', () => {
    expect(new Turns().spend(queued(), new Uint8Array(700_000))).toBe(700_000)
  })

  test('a chunk is handed over whole and in order, in a turn for each step', async () => {
    const turns = new Turns()
    const chunk = Buffer.from(SHORT.repeat(50_000))
    const steps: Uint8Array[] = []
    const counted = countTurns()
    await turns.through(chunk, (step) => void steps.push(step))
    expect(counted.stop()).toBeGreaterThanOrEqual(steps.length - 1)
    expect(steps.length).toBeGreaterThan(5)
    expect(Buffer.concat(steps).equals(chunk)).toBe(true)
  })
})

describe('a line of streams', () => {
  test('the streams that waited longest go first, as many as the budget is likely to last for', async () => {
    const turns = new Turns()
    const order: string[] = []
    const wait = (name: string, weight: number) => turns.wait(queued(weight, () => void order.push(name)))
    wait('a', TURN_WEIGHT / 2)
    wait('b', TURN_WEIGHT / 2)
    wait('c', TURN_WEIGHT)
    await turn()
    expect(order).toEqual(['a', 'b'])
    // A stream that comes now is behind the ones that wait.
    expect(turns.must_wait).toBe(true)
    await turn()
    expect(order).toEqual(['a', 'b', 'c'])
    expect(turns.must_wait).toBe(false)
  })

  test('a stream of short steps does not wait for floods, and floods not for many of them', async () => {
    const turns = new Turns()
    const order: string[] = []
    const wait = (name: string, weight: number) => turns.wait(queued(weight, () => void order.push(name)))
    wait('flood', TURN_WEIGHT)
    wait('flood', TURN_WEIGHT)
    for (let n = 0; n < 100; n++) wait('short', TURN_WEIGHT / 32)
    await turn()
    expect(order).toEqual([...Array(16).fill('short'), 'flood'])
  })

  test('a flood goes on until its turns are over, then the next one', async () => {
    const turns = new Turns()
    const order: string[] = []
    let is_over = false
    for (const name of ['a', 'b']) {
      const stream = queued(TURN_WEIGHT)
      stream.goOn = () => {
        order.push(name)
        if (!is_over) turns.wait(stream)
      }
      turns.wait(stream)
    }
    for (let n = 0; n < 2 * TURNS_IN_A_ROW; n++) await turn()
    // Without an end, they would keep the loop of this process busy during all later tests.
    is_over = true
    expect(order.slice(0, 2 * TURNS_IN_A_ROW)).toEqual([
      ...Array(TURNS_IN_A_ROW).fill('a'),
      ...Array(TURNS_IN_A_ROW).fill('b'),
    ])
  })
})

const EVENT = eventBytes(piece('a'))
const END = eventBytes(answer('b'))
const MANY = Math.ceil((20 * TURN_WEIGHT) / EVENT.length)
/** All events weigh 15 turns; other tests may have used a part of the first turn's budget. */
const MIN_TURNS = 10

/** An upstream whose chunks are all ready. */
function ready(chunks: Uint8Array[]): ByteReader {
  return { read: async () => ({ done: chunks.length === 0, value: chunks.shift() }) }
}

const flowing = (reader: ByteReader, first: Uint8Array) => {
  const relay = passOn(gemini.text.stream.open(), eventFrame())
  const body = pump({
    opened: { first, reader },
    relay,
    gone: new PlainSignal(),
    abortUpstream: () => undefined,
    drain_timeout_ms: 0,
    settle: async () => undefined,
    renderError: () => '{}',
    read_by: 'gateway',
  })
  return { relay, body }
}

describe('a stream that is all ready', () => {
  test.each<[string, () => { reader: ByteReader; first: Uint8Array }]>([
    [
      'in small chunks',
      () => ({ reader: ready([...Array.from({ length: MANY - 1 }, () => EVENT), END]), first: EVENT }),
    ],
    [
      'in one chunk',
      () => ({ reader: ready([Buffer.concat([...Array(MANY - 1).fill(EVENT), END])]), first: EVENT }),
    ],
    [
      'in its first chunk',
      () => ({ reader: ready([]), first: Buffer.concat([...Array(MANY).fill(EVENT), END]) }),
    ],
  ])('%s takes turns, and comes whole and in order', async (_what, opened) => {
    const { reader, first } = opened()
    const { body } = flowing(reader, first)
    const counted = countTurns()
    const text = await new Response(body).text()
    expect(counted.stop()).toBeGreaterThanOrEqual(MIN_TURNS)
    expect(text).toBe(EVENT.toString().repeat(MANY) + END.toString())
  })

  test('keeps only the rest of a chunk while its reader stalls', async () => {
    const bodies: ReadableStream<Uint8Array>[] = []
    const buffers: WeakRef<ArrayBufferLike>[] = []
    const bytes = events(8_000, 400)
    const stall = async () => {
      const first = new Uint8Array(bytes)
      buffers.push(new WeakRef(first.buffer))
      const { body } = flowing(ready([]), first)
      bodies.push(body)
      await body.getReader().read()
    }
    for (let n = 0; n < 10; n++) await stall()
    await turn()
    Bun.gc(true)
    // A leftover on the stack may count as a reference.
    expect(buffers.filter((buffer) => buffer.deref()).length).toBeLessThan(5)
    expect(bodies.length).toBe(10)
  })

  test('that is read on without its caller takes turns, too', async () => {
    const chunks = [Buffer.concat([...Array(MANY).fill(EVENT), END])]
    const relay = passOn(gemini.text.stream.open(), eventFrame())
    const counted = countTurns()
    const cause = await drain(
      { relay, read: async () => chunks.shift(), abortUpstream: () => undefined },
      60_000,
    )
    expect(cause).toBeUndefined()
    expect(counted.stop()).toBeGreaterThanOrEqual(MIN_TURNS)
    expect([relay.reading.finished, relay.reading.usage()?.output_tokens]).toEqual([true, 5])
  })
})
