// Streams of partial images that do not come to their end: what is charged then, what is kept, and what callers are told.
import { afterAll, describe, expect, spyOn, test } from 'bun:test'
import crypto from 'node:crypto'
import { join } from 'node:path'
import OpenAI from 'openai'
import sharp from 'sharp'
import { openDatabase } from '../../src/store/engines/sqlite/open.ts'
import { connectSocket, rawPost } from '../support/socket-client.ts'
import { type Answer, type Step, stream } from '../support/upstream.ts'
import { MAX_BUSY_WAIT_MS } from '../support/write-lock.ts'
import {
  completed,
  DRAWING,
  type DrawingScene,
  drawingScene,
  eventReader,
  eventsIn,
  failure,
  generationsOf,
  HASTY_DRAWING,
  IMAGE_NANOS,
  kindsOf,
  namedEvent,
  PARTIAL_NANOS,
  partial,
} from './partials-support.ts'
import { GENERATIONS, PNG } from './support.ts'

const s = await drawingScene()
afterAll(() => s[Symbol.asyncDispose]())

const wanted = (rest: object = {}) => ({
  model: DRAWING,
  prompt: 'a red house',
  stream: true,
  partial_images: 2,
  ...rest,
})
const answered = async (answer: Answer, body: object = wanted(), key = s.key) => {
  s.upstream.answer(answer)
  const response = await s.call(GENERATIONS, body, { key })
  return { response, events: eventsIn(await response.text()) }
}
const MODERATED = { code: 'moderation_blocked', message: 'Your request was rejected by the safety system.' }
const UNUSABLE = Buffer.from('no image')

/** What comes after a partial image that was given out; what the caller is told; for a model of this name. */
const BREAKS: readonly (readonly [what: string, steps: Step[], code: string, model?: string])[] = [
  ['moderation', [failure(MODERATED)], 'content_policy_violation'],
  ['an error of the server', [failure({ type: 'server_error', message: 'x' })], 'upstream_error'],
  ['an overload', [failure({ type: 'service_unavailable_error', message: 'x' })], 'upstream_error'],
  ['a limit of its rate', [failure({ type: 'rate_limit_error', message: 'x' })], 'rate_limit_exceeded'],
  ['a reset', ['reset'], 'upstream_error'],
  ['an early end', [], 'upstream_error'],
  ['an image without bytes', [namedEvent('image_generation.completed', {})], 'upstream_error'],
  ['an image that does not decode', [completed(UNUSABLE)], 'upstream_error'],
  ['silence', ['hang'], 'upstream_timeout', HASTY_DRAWING],
]

describe('after a partial image was given out,', () => {
  test.each(BREAKS)('%s: that one is charged, and nothing else', async (_, steps, code, model = DRAWING) => {
    const { response, events } = await answered(stream(partial(PNG, 0), 'read', ...steps), wanted({ model }))
    expect([response.status, kindsOf(events)]).toEqual([200, ['partial_image', 'error']])
    const error = events.at(-1)?.error
    expect(error).toMatchObject({ code, param: null })
    expect(error?.message).toMatch(/(?<!Nothing was )charged/)
    expect(await s.lastCall()).toMatchObject({
      cost_nanos: PARTIAL_NANOS,
      images: 0,
      outcome: 'broken',
      status: 200,
    })
    expect(generationsOf(s).at(-1)).toMatchObject({ state: 'failed' })
  })

  test('the provider is asked for no more of an image that cannot be used', async () => {
    using aborted = spyOn(AbortController.prototype, 'abort')
    const { events } = await answered(stream(partial(PNG, 0), 'read', completed(UNUSABLE), 'hang'))
    expect([kindsOf(events), aborted.mock.calls.length]).toEqual([['partial_image', 'error'], 1])
    await s.upstream.last().over
    expect(s.upstream.last().aborted).toBe(true)
  })

  test('the SDK throws what it is told', async () => {
    s.upstream.answer(stream(partial(PNG, 0), 'read', failure(MODERATED)))
    const client = new OpenAI({ apiKey: s.key, baseURL: `${s.gateway.url.origin}/v1`, maxRetries: 0 })
    const made = await client.images.generate({
      model: DRAWING,
      prompt: 'a red house',
      stream: true,
      partial_images: 1,
    })
    const types: string[] = []
    const thrown = await (async () => {
      for await (const { type } of made) types.push(type)
    })().catch((error) => error)
    expect(types).toEqual(['image_generation.partial_image'])
    expect(thrown).toBeInstanceOf(OpenAI.APIError)
    expect(thrown).toMatchObject({ code: 'content_policy_violation', type: 'invalid_request_error' })
  })
})

test('one that was given out is free, and its caller told so, where interrupted answers are', async () => {
  await using free = await drawingScene('', { more: '[billing]\ninterrupted = "free"' })
  for (const [, steps, code] of BREAKS.slice(0, 6)) {
    free.upstream.answer(stream(partial(PNG, 0), 'read', ...steps))
    const events = eventsIn(await (await free.call(GENERATIONS, wanted())).text())
    expect(kindsOf(events)).toEqual(['partial_image', 'error'])
    expect(events.at(-1)?.error).toMatchObject({ code })
    expect(events.at(-1)?.error?.message).not.toMatch(/(?<!Nothing was )charged/)
    const call = await free.lastCall()
    expect(call).toMatchObject({ cost_nanos: 0, images: 0, outcome: 'broken', status: 200 })
  }
})

test('where none was given out, a break costs nothing, and says so', async () => {
  const { events } = await answered(stream(partial(UNUSABLE, 0), 'read', 'reset'))
  expect(kindsOf(events)).toEqual(['error'])
  expect(events[0]?.error?.message).toContain('Nothing was charged')
  expect(await s.lastCall()).toMatchObject({ cost_nanos: 0, images: 0, outcome: 'broken' })
})

test('a partial image that was given out is charged later, where nothing could be written when it broke', async () => {
  await using hasty = await drawingScene('', { max_busy_wait_ms: MAX_BUSY_WAIT_MS })
  const broken = Promise.withResolvers<void>()
  hasty.upstream.answer(stream(partial(PNG, 0), { wait: broken.promise }, failure(MODERATED)))
  const events = eventReader(await hasty.call(GENERATIONS, wanted()))
  expect(await events.next()).toMatchObject({ partial_image_index: 0 })
  const other = openDatabase(join(hasty.gateway.data_folder, 'tollgate.db'))
  other.run('BEGIN IMMEDIATE')
  broken.resolve()
  expect(await events.next()).toHaveProperty('error')
  other.run('ROLLBACK')
  other.close()
  expect(await hasty.lastCall()).toMatchObject({ cost_nanos: PARTIAL_NANOS, images: 0, outcome: 'broken' })
})

test('an event beyond the largest answer that is taken ends it', async () => {
  await using small = await drawingScene('max_answer_bytes = 1048576')
  const large = Buffer.concat([PNG, Buffer.alloc(1024 * 1024)])
  small.upstream.answer(stream(partial(PNG, 0), 'read', completed(large)))
  const response = await small.call(GENERATIONS, wanted())
  expect(kindsOf(eventsIn(await response.text()))).toEqual(['partial_image', 'error'])
  expect(await small.lastCall()).toMatchObject({ cost_nanos: PARTIAL_NANOS, outcome: 'broken' })
})

/** A caller who has got one partial image and leaves; what the provider does then. */
async function leaveAfterOne(scene: DrawingScene, rest: Step[]) {
  const released = Promise.withResolvers<void>()
  scene.upstream.answer(stream(partial(PNG, 0), { wait: released.promise }, ...rest))
  const aborting = new AbortController()
  const response = await scene.call(GENERATIONS, wanted(), { signal: aborting.signal })
  const events = eventReader(response)
  expect(await events.next()).toMatchObject({ partial_image_index: 0 })
  const left = scene.callers.left.count
  aborting.abort()
  await scene.callers.left.reaches(left + 1)
  released.resolve()
  return scene.lastCall()
}

describe.each(['cancel', 'drain'])('a caller who leaves, with on_disconnect = %s,', (on_disconnect) => {
  test('after a partial image: the image is drawn to its end, kept for them, and charged', async () => {
    await using scene = await drawingScene(`on_disconnect = "${on_disconnect}"`)
    const call = await leaveAfterOne(scene, [partial(PNG, 1), completed(PNG)])
    expect(call).toMatchObject({
      cost_nanos: IMAGE_NANOS + PARTIAL_NANOS,
      images: 1,
      outcome: 'cancelled',
      status: 499,
    })
    const [kept] = generationsOf(scene)
    expect(kept).toMatchObject({ state: 'stored' })
    const image = await scene.call(`/api/images/${kept?.uuid}`, undefined, { method: 'GET' })
    expect(Buffer.from(await image.arrayBuffer()).equals(PNG)).toBe(true)
  })

  test('after a partial image, where no image comes: that one is charged', async () => {
    await using scene = await drawingScene(`on_disconnect = "${on_disconnect}"`)
    expect(await leaveAfterOne(scene, ['reset'])).toMatchObject({
      cost_nanos: PARTIAL_NANOS,
      images: 0,
      outcome: 'cancelled',
    })
    expect(generationsOf(scene)).toMatchObject([{ state: 'failed' }])
  })
})

test('a caller who leaves before anything came pays nothing, and the provider’s work is ended', async () => {
  s.upstream.answer(stream('hang'))
  const aborting = new AbortController()
  const seen = s.upstream.seen.length
  const answer = s.call(GENERATIONS, wanted(), { signal: aborting.signal }).catch(() => undefined)
  const asked = await s.upstream.sees(seen + 1)
  aborting.abort()
  await answer
  await asked.over
  expect(asked.aborted).toBe(true)
  expect(await s.lastCall()).toMatchObject({ cost_nanos: 0, images: 0, outcome: 'cancelled' })
})

test('a caller who stops reading counts as gone after a while: the image is kept for them, and charged', async () => {
  await using scene = await drawingScene('stalled_reader_timeout_ms = 1000')
  // Noise, which does not compress: far more than sockets hold.
  const side = 1_500
  const raw = { width: side, height: side, channels: 3 } as const
  const large = await sharp(crypto.randomBytes(side * side * 3), { raw })
    .png({ compressionLevel: 0 })
    .toBuffer()
  scene.upstream.answer(stream(partial(large, 0), partial(large, 1), completed(PNG)))
  const client = await connectSocket(scene.gateway.url)
  client.pause()
  client.send(rawPost(GENERATIONS, wanted(), { authorization: `Bearer ${scene.key}` }))
  await scene.upstream.sees(1)
  const { price, ...call } = await scene.lastCall()
  expect(call).toMatchObject({ images: 1, outcome: 'cancelled', status: 499 })
  const { partial_images } = JSON.parse(price) as { partial_images: number }
  expect(call.cost_nanos).toBe(IMAGE_NANOS + partial_images * PARTIAL_NANOS)
  expect(generationsOf(scene)).toMatchObject([{ state: 'stored' }])
  client.leave('reset')
})

test('a gateway that stops tells the caller, and charges what was given out', async () => {
  await using scene = await drawingScene('shutdown_timeout_ms = 100')
  scene.upstream.answer(stream(partial(PNG, 0), 'hang'))
  const events = eventReader(await scene.call(GENERATIONS, wanted()))
  await events.next()
  const stopped = scene.gateway.stop()
  expect(await events.next()).toMatchObject({ error: { code: 'overloaded' } })
  await stopped
  await scene.gateway.log.shows(
    ({ message, outcome, cost_usd }) => message === 'call' && outcome === 'broken' && cost_usd === '0.004',
  )
})

describe('under an Idempotency-Key', () => {
  const post = async (key: string, name: string, body: object = wanted()) => {
    const response = await s.call(GENERATIONS, body, { key, headers: { 'idempotency-key': name } })
    return { response, text: await response.text() }
  }

  test('the same request gets the same events again, and is charged once', async () => {
    s.upstream.answer(stream(partial(PNG, 0), completed(PNG)))
    const key = await s.gateway.caller()
    const first = await post(key, 'one')
    const calls = s.counts().calls
    const again = await post(key, 'one')
    expect([again.text, again.response.headers.get('idempotent-replayed')]).toEqual([first.text, 'true'])
    expect(kindsOf(eventsIn(again.text))).toEqual(['partial_image', 'completed'])
    expect(s.counts().calls).toBe(calls)
    expect((await post(key, 'one', wanted({ partial_images: 1 }))).response.status).toBe(422)
  })

  test('one that broke after a partial image was charged: it is not drawn again', async () => {
    s.upstream.answer(stream(partial(PNG, 0), 'read', 'reset'))
    const key = await s.gateway.caller()
    await post(key, 'two')
    await s.gateway.rest()
    expect((await post(key, 'two')).response.status).toBe(409)
  })

  test('one that broke before anything was given out is free to be sent again', async () => {
    s.upstream.answer(stream(partial(UNUSABLE, 0), 'read', 'reset'))
    const key = await s.gateway.caller()
    expect(kindsOf(eventsIn((await post(key, 'three')).text))).toEqual(['error'])
    s.upstream.answer(stream(completed(PNG)))
    expect(kindsOf(eventsIn((await post(key, 'three')).text))).toEqual(['completed'])
  })
})
