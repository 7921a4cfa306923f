// Interrupted streams of partial images: the charge, the stored image, and the error of the caller.
import { afterAll, beforeAll, describe, expect, spyOn, test } from 'bun:test'
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
  eventReader,
  eventsIn,
  failure,
  generationsOf,
  HASTY_PARTIALS_MODEL,
  IMAGE_NANOS,
  kindsOf,
  namedEvent,
  PARTIAL_NANOS,
  PARTIALS_MODEL,
  type PartialsScene,
  partial,
  partialsScene,
} from './partials-support.ts'
import { GENERATIONS, PNG } from './support.ts'

/** An event that is larger than an answer may be, and a locked database, end a stream in some tests. */
const s = await partialsScene('max_answer_bytes = 1048576', { max_busy_wait_ms: MAX_BUSY_WAIT_MS })
afterAll(() => s[Symbol.asyncDispose]())

const bodyOf = (rest: object = {}) => ({
  model: PARTIALS_MODEL,
  prompt: 'a red house',
  stream: true,
  partial_images: 2,
  ...rest,
})
const callWith = async (answer: Answer, body: object = bodyOf(), key = s.key) => {
  s.upstream.answer(answer)
  const response = await s.call(GENERATIONS, body, { key })
  return { response, events: eventsIn(await response.text()) }
}
const MODERATED = { code: 'moderation_blocked', message: 'Your request was rejected by the safety system.' }
const UNUSABLE = Buffer.from('no image')

/** Events after a delivered partial image, the error code of the caller, and the model. */
const BREAKS: readonly (readonly [name: string, steps: Step[], code: string, model?: string])[] = [
  ['moderation', [failure(MODERATED)], 'content_policy_violation'],
  ['a server error', [failure({ type: 'server_error', message: 'x' })], 'upstream_error'],
  ['an overload', [failure({ type: 'service_unavailable_error', message: 'x' })], 'upstream_error'],
  ['a rate limit', [failure({ type: 'rate_limit_error', message: 'x' })], 'rate_limit_exceeded'],
  ['a reset', ['reset'], 'upstream_error'],
  ['an early end', [], 'upstream_error'],
  ['an image without bytes', [namedEvent('image_generation.completed', {})], 'upstream_error'],
  ['an image that does not decode', [completed(UNUSABLE)], 'upstream_error'],
  ['silence', ['hang'], 'upstream_timeout', HASTY_PARTIALS_MODEL],
]

describe('after a delivered partial image,', () => {
  test.each(BREAKS)('%s: only that image is charged', async (_, steps, code, model = PARTIALS_MODEL) => {
    const { response, events } = await callWith(stream(partial(PNG, 0), 'read', ...steps), bodyOf({ model }))
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

  test('an unusable image aborts the upstream request', async () => {
    using aborted = spyOn(AbortController.prototype, 'abort')
    const { events } = await callWith(stream(partial(PNG, 0), 'read', completed(UNUSABLE), 'hang'))
    expect([kindsOf(events), aborted.mock.calls.length]).toEqual([['partial_image', 'error'], 1])
    await s.upstream.last().over
    expect(s.upstream.last().aborted).toBe(true)
  })

  test('the SDK throws the error', async () => {
    s.upstream.answer(stream(partial(PNG, 0), 'read', failure(MODERATED)))
    const client = new OpenAI({ apiKey: s.key, baseURL: `${s.gateway.url.origin}/v1`, maxRetries: 0 })
    const made = await client.images.generate({
      model: PARTIALS_MODEL,
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

test('a delivered partial image is free, and the error does not say that it is charged, if interrupted answers are free', async () => {
  await using free = await partialsScene('', { more: '[billing]\ninterrupted = "free"' })
  for (const [, steps, code] of BREAKS.slice(0, 6)) {
    free.upstream.answer(stream(partial(PNG, 0), 'read', ...steps))
    const events = eventsIn(await (await free.call(GENERATIONS, bodyOf())).text())
    expect(kindsOf(events)).toEqual(['partial_image', 'error'])
    expect(events.at(-1)?.error).toMatchObject({ code })
    expect(events.at(-1)?.error?.message).not.toMatch(/(?<!Nothing was )charged/)
    const call = await free.lastCall()
    expect(call).toMatchObject({ cost_nanos: 0, images: 0, outcome: 'broken', status: 200 })
  }
})

test('an interruption before any delivered image costs nothing, and the error says so', async () => {
  const { events } = await callWith(stream(partial(UNUSABLE, 0), 'read', 'reset'))
  expect(kindsOf(events)).toEqual(['error'])
  expect(events[0]?.error?.message).toContain('Nothing was charged')
  expect(await s.lastCall()).toMatchObject({ cost_nanos: 0, images: 0, outcome: 'broken' })
})

test('a delivered partial image is charged later if the database was locked at the interruption', async () => {
  const broken = Promise.withResolvers<void>()
  s.upstream.answer(stream(partial(PNG, 0), { wait: broken.promise }, failure(MODERATED)))
  const events = eventReader(await s.call(GENERATIONS, bodyOf()))
  expect(await events.next()).toMatchObject({ partial_image_index: 0 })
  const other = openDatabase(join(s.gateway.data_folder, 'tollgate.db'))
  other.run('BEGIN IMMEDIATE')
  broken.resolve()
  expect(await events.next()).toHaveProperty('error')
  other.run('ROLLBACK')
  other.close()
  expect(await s.lastCall()).toMatchObject({ cost_nanos: PARTIAL_NANOS, images: 0, outcome: 'broken' })
})

test('an event above the maximum answer size ends the stream', async () => {
  const large = Buffer.concat([PNG, Buffer.alloc(1024 * 1024)])
  s.upstream.answer(stream(partial(PNG, 0), 'read', completed(large)))
  const response = await s.call(GENERATIONS, bodyOf())
  expect(kindsOf(eventsIn(await response.text()))).toEqual(['partial_image', 'error'])
  expect(await s.lastCall()).toMatchObject({ cost_nanos: PARTIAL_NANOS, outcome: 'broken' })
})

/** Disconnects a caller after one partial image; the provider then sends the rest. */
async function leaveAfterOne(scene: PartialsScene, rest: Step[]) {
  const released = Promise.withResolvers<void>()
  scene.upstream.answer(stream(partial(PNG, 0), { wait: released.promise }, ...rest))
  const aborting = new AbortController()
  const response = await scene.call(GENERATIONS, bodyOf(), { signal: aborting.signal })
  const events = eventReader(response)
  expect(await events.next()).toMatchObject({ partial_image_index: 0 })
  const left = scene.callers.left.count
  aborting.abort()
  await scene.callers.left.reaches(left + 1)
  released.resolve()
  return scene.lastCall()
}

describe.each(['cancel', 'drain'])('a caller who disconnects, with on_disconnect = %s,', (on_disconnect) => {
  let scene: PartialsScene
  beforeAll(async () => {
    scene = await partialsScene(`on_disconnect = "${on_disconnect}"`)
  })
  afterAll(() => scene[Symbol.asyncDispose]())

  test('after a partial image: the image is completed, stored for them, and charged', async () => {
    const call = await leaveAfterOne(scene, [partial(PNG, 1), completed(PNG)])
    expect(call).toMatchObject({
      cost_nanos: IMAGE_NANOS + PARTIAL_NANOS,
      images: 1,
      outcome: 'cancelled',
      status: 499,
    })
    const kept = generationsOf(scene).at(-1)
    expect(kept).toMatchObject({ state: 'stored' })
    const image = await scene.call(`/api/images/${kept?.uuid}`, undefined, { method: 'GET' })
    expect(Buffer.from(await image.arrayBuffer()).equals(PNG)).toBe(true)
  })

  test('after a partial image that no image follows: the partial image is charged', async () => {
    expect(await leaveAfterOne(scene, ['reset'])).toMatchObject({
      cost_nanos: PARTIAL_NANOS,
      images: 0,
      outcome: 'cancelled',
    })
    expect(generationsOf(scene).at(-1)).toMatchObject({ state: 'failed' })
  })
})

test('a caller who disconnects before the first event pays nothing, and the upstream request is aborted', async () => {
  s.upstream.answer(stream('hang'))
  const aborting = new AbortController()
  const seen = s.upstream.requests.length
  const answer = s.call(GENERATIONS, bodyOf(), { signal: aborting.signal }).catch(() => undefined)
  const request = await s.upstream.waitForRequest(seen + 1)
  aborting.abort()
  await answer
  await request.over
  expect(request.aborted).toBe(true)
  expect(await s.lastCall()).toMatchObject({ cost_nanos: 0, images: 0, outcome: 'cancelled' })
})

test('a caller who stops reading counts as gone after a while: the image is stored for them, and charged', async () => {
  await using scene = await partialsScene('stalled_reader_timeout_ms = 1000')
  // Noise, which does not compress: far more than sockets hold.
  const side = 1_500
  const raw = { width: side, height: side, channels: 3 } as const
  const large = await sharp(crypto.randomBytes(side * side * 3), { raw })
    .png({ compressionLevel: 0 })
    .toBuffer()
  scene.upstream.answer(stream(partial(large, 0), partial(large, 1), completed(PNG)))
  const client = await connectSocket(scene.gateway.url)
  client.pause()
  client.send(rawPost(GENERATIONS, bodyOf(), { authorization: `Bearer ${scene.key}` }))
  await scene.upstream.waitForRequest(1)
  const { price, ...call } = await scene.lastCall()
  expect(call).toMatchObject({ images: 1, outcome: 'cancelled', status: 499 })
  const { partial_images } = JSON.parse(price) as { partial_images: number }
  expect(call.cost_nanos).toBe(IMAGE_NANOS + partial_images * PARTIAL_NANOS)
  expect(generationsOf(scene)).toMatchObject([{ state: 'stored' }])
  client.leave('reset')
})

test('a gateway that stops sends an error to the caller, and charges the delivered image', async () => {
  await using scene = await partialsScene('shutdown_timeout_ms = 100')
  scene.upstream.answer(stream(partial(PNG, 0), 'hang'))
  const events = eventReader(await scene.call(GENERATIONS, bodyOf()))
  await events.next()
  const stopped = scene.gateway.stop()
  expect(await events.next()).toMatchObject({ error: { code: 'overloaded' } })
  await stopped
  await scene.gateway.log.waitForLine(
    ({ message, outcome, cost_usd }) => message === 'call' && outcome === 'broken' && cost_usd === '0.004',
  )
})

describe('under an Idempotency-Key', () => {
  const post = async (key: string, name: string, body: object = bodyOf()) => {
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
    expect((await post(key, 'one', bodyOf({ partial_images: 1 }))).response.status).toBe(422)
  })

  test('a request interrupted after a charged partial image is not generated again', async () => {
    s.upstream.answer(stream(partial(PNG, 0), 'read', 'reset'))
    const key = await s.gateway.caller()
    await post(key, 'two')
    await s.gateway.rest()
    expect((await post(key, 'two')).response.status).toBe(409)
  })

  test('a request interrupted before any delivered image can be sent again', async () => {
    s.upstream.answer(stream(partial(UNUSABLE, 0), 'read', 'reset'))
    const key = await s.gateway.caller()
    expect(kindsOf(eventsIn((await post(key, 'three')).text))).toEqual(['error'])
    s.upstream.answer(stream(completed(PNG)))
    expect(kindsOf(eventsIn((await post(key, 'three')).text))).toEqual(['completed'])
  })
})
