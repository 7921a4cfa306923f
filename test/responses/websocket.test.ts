// Responses over a WebSocket: each is the call that POST makes, at its price; continued, forked and prepared responses; lanes.
import { describe, expect, spyOn, test } from 'bun:test'
import OpenAI from 'openai'
import { ResponsesWS } from 'openai/resources/responses/ws'
import { bytesOf, readMessage } from '../../plugins/responses/socket/envelope.ts'
import { type JsonObject, objectIn, objectsIn } from '../../src/protocols/wire/json.ts'
import { replay, TIDES, wantsStream } from '../support/replay.ts'
import { limitedAccount, MODELS, PROTOCOLS } from '../support/three-providers.ts'
import { heldBack } from '../support/upstream.ts'
import { openSocket } from '../support/web-socket.ts'
import { QUESTION, responsesScene } from './support.ts'

const { gateway, store, upstream, post, eventsFor, upstreamBody, lastCall, key, counts, expectCounts } =
  await responsesScene()
const model = MODELS.openai
const FIRST = { model, input: QUESTION }
const user = (content: string) => ({ role: 'user', content })
const assistant = (content: string) => ({ role: 'assistant', content })
const TOOLS = [{ type: 'function', name: 'get_weather' }]
const CODEX_WARM_UP: JsonObject = await Bun.file(
  new URL('../fixtures/clients/codex-warm-up.json', import.meta.url),
).json()
const open = (headers = {}) => openSocket(gateway, { key, headers })
const responseOf = (events: readonly JsonObject[]) => objectIn(events.at(-1)?.response)
const idOf = (events: readonly JsonObject[]) => String(responseOf(events).id)

/** The events without the values that differ from one call to the next. */
const alike = (events: readonly JsonObject[]): unknown =>
  JSON.parse(
    JSON.stringify(events).replaceAll(/(?<="(?:\w+_)?id":")[^"]*|(?<="\w+_at":)\d+/g, (found) =>
      /^\d/.test(found) ? '0' : '',
    ),
  )

describe.each(PROTOCOLS)('on a %s model', (provider) => {
  test.each(['text', 'tools'])('the events, the record and the price of POST: %s', async (name) => {
    upstream.answer(replay(name))
    const fields = { model: MODELS[provider], input: QUESTION, tools: TOOLS }
    const posted = await eventsFor(fields)
    const by_post = await lastCall()
    const socket = await open()
    const got = await socket.create(fields)
    const over_socket = await lastCall()
    socket.raw.close()
    expect(alike(got)).toEqual(alike(posted))
    const { id, request_id, ...rest } = over_socket
    expect(request_id).not.toBe(by_post.request_id)
    expect(rest).toMatchObject({
      cost_nanos: by_post.cost_nanos,
      input_tokens: by_post.input_tokens,
      output_tokens: by_post.output_tokens,
      surface: 'responses',
      outcome: 'completed',
      streamed: 1,
      model: by_post.model,
    })
    expect(over_socket.cost_nanos).toBeGreaterThan(0)
  })
})

test('the last event comes once the call is paid', async () => {
  const socket = await open()
  const id = idOf(await socket.create(FIRST))
  const { calls } = gateway.rows()
  expect(`resp_${calls.at(-1)?.request_id.replace('req_', '')}`).toBe(id)
  socket.raw.close()
})

describe('the headers of POST', () => {
  test.each([
    ['dropped fields', { tools: [{ type: 'web_search' }] }, 'x-tollgate-dropped'],
    ['a limit that was lowered', { max_output_tokens: 10_000_000 }, 'x-tollgate-output-limit'],
  ])('come before the events of an answer: %s', async (_, fields, name) => {
    const posted = await post({ ...FIRST, ...fields, stream: true })
    await posted.text()
    const socket = await open()
    const [metadata, created] = await socket.create({ ...FIRST, ...fields, stream_id: 'main' })
    expect(posted.headers.get(name)).toBeString()
    expect(metadata).toEqual({
      type: 'response.metadata',
      stream_id: 'main',
      headers: {
        'x-request-id': expect.stringMatching(/^req_/),
        'x-tollgate-upstream-model': posted.headers.get('x-tollgate-upstream-model') ?? '',
        [name]: posted.headers.get(name) ?? '',
      },
    })
    expect(created).toMatchObject({ type: 'response.created' })
    socket.raw.close()
  })

  test('do not come where the answer is as requested', async () => {
    const socket = await open()
    expect((await socket.create(FIRST))[0]).toMatchObject({ type: 'response.created' })
    socket.raw.close()
  })
})

test.each([
  ['{"type":"response.create","model":"m"}', '{"model":"m","stream":true}'],
  ['{"model":"m","stream":false,"generate":true,"type":"response.create"}', '{"model":"m","stream":true}'],
  ['{"type":"response.create"}', '{"stream":true}'],
  [
    ' {"type":"x","n":12345678901234567890,"stream_id":"a", "input":[{"type":"m","type":"n"}] ,"type":"response.create"}',
    ' {"n":12345678901234567890, "input":[{"type":"m","type":"n"}],"stream":true}',
  ],
])('a message loses its envelope, and nothing else of it changes: %s', (message, body) => {
  const request = readMessage(bytesOf(message))
  expect(request.kind === 'create' && Buffer.from(request.body).toString()).toBe(body)
})

test('an Idempotency-Key applies to one call by POST, and not to a connection', async () => {
  const socket = await open({ 'idempotency-key': 'one' })
  const [first, second] = [await socket.create(FIRST), await socket.create({ ...FIRST, input: 'Two' })]
  expect(idOf(first)).not.toBe(idOf(second))
  socket.raw.close()
})

describe('a response is continued', () => {
  test.each([
    ['that is not kept', false],
    ['that is kept', true],
  ])('%s', async (_, kept) => {
    const socket = await open()
    const before = store.all.size
    const fields = { model, store: kept }
    const first = idOf(await socket.create({ ...fields, input: QUESTION }))
    const second = idOf(await socket.create({ ...fields, input: 'Two', previous_response_id: first }))
    await socket.create({ ...fields, input: 'Three', previous_response_id: second })
    expect(upstreamBody().messages).toEqual([
      user(QUESTION),
      assistant(TIDES),
      user('Two'),
      assistant(TIDES),
      user('Three'),
    ])
    expect(store.all.size - before).toBe(kept ? 3 : 0)
    socket.raw.close()
  })

  test('with the results of its calls, in three turns', async () => {
    const socket = await open()
    upstream.answer(replay('tools'))
    let events = await socket.create({ ...FIRST, tools: TOOLS, store: false })
    for (const turn of [1, 2]) {
      const calls = objectsIn(responseOf(events).output).filter(({ type }) => type === 'function_call')
      const input = calls.map(({ call_id = null }) => ({
        type: 'function_call_output',
        call_id,
        output: '7',
      }))
      const previous_response_id = idOf(events)
      events = await socket.create({ model, input, tools: TOOLS, store: false, previous_response_id })
      const results = objectsIn(upstreamBody().messages).filter(({ role }) => role === 'tool')
      expect(results).toHaveLength(turn * calls.length)
    }
    socket.raw.close()
  })

  test('and forked onto another lane; a connection alone remembers the latest of each lane', async () => {
    const socket = await open()
    const fields = { model, store: false }
    const first = idOf(await socket.create({ ...fields, input: QUESTION, stream_id: 'main' }))
    const fork = { ...fields, input: 'Fork', previous_response_id: first }
    expect((await socket.create({ ...fork, stream_id: 'other' })).at(-1)?.type).toBe('response.completed')
    expect(upstreamBody().messages).toEqual([user(QUESTION), assistant(TIDES), user('Fork')])
    await socket.create({ ...fork, stream_id: 'main' })
    const forgotten = await socket.create({ ...fork, stream_id: 'main' })
    const elsewhere = await open()
    for (const got of [forgotten, await elsewhere.create({ ...fork, stream_id: 'main' })])
      expect(got).toMatchObject([
        {
          type: 'error',
          status: 400,
          stream_id: 'main',
          error: { code: 'previous_response_not_found', param: 'previous_response_id' },
        },
      ])
    socket.raw.close()
    elsewhere.raw.close()
  })

  test('by one that is kept, together with those that were not', async () => {
    const socket = await open()
    const first = idOf(await socket.create({ ...FIRST, store: false }))
    const second = idOf(await socket.create({ model, input: 'Two', previous_response_id: first }))
    socket.raw.close()
    await eventsFor({ model, input: 'Three', previous_response_id: second })
    expect(objectsIn(upstreamBody().messages).map(({ content = null }) => content)).toEqual([
      QUESTION,
      TIDES,
      'Two',
      TIDES,
      'Three',
    ])
  })

  test('from one that could not be kept: the next keeps both', async () => {
    const keep = spyOn(store, 'keep').mockRejectedValueOnce(new Error('the disk is full'))
    const socket = await open()
    const first = idOf(await socket.create(FIRST))
    const second = idOf(await socket.create({ model, input: 'Two', previous_response_id: first }))
    keep.mockRestore()
    expect([store.all.has(first), store.all.get(second)?.previous_id]).toEqual([false, undefined])
    socket.raw.close()
    await eventsFor({ model, input: 'Three', previous_response_id: second })
    expect(objectsIn(upstreamBody().messages)).toHaveLength(5)
  })

  test('from a kept one, and from then on by the connection alone', async () => {
    const kept = idOf(await eventsFor(FIRST))
    const socket = await open()
    const fields = { model, store: false }
    const next = idOf(await socket.create({ ...fields, input: 'Two', previous_response_id: kept }))
    await socket.create({ ...fields, input: 'Three', previous_response_id: next })
    expect(objectsIn(upstreamBody().messages)).toHaveLength(5)
    socket.raw.close()
  })

  test('where the operator turned keeping off', async () => {
    store.enabled = false
    const socket = await open()
    const first = idOf(await socket.create(FIRST))
    await socket.create({ model, input: 'Two', previous_response_id: first })
    expect(objectsIn(upstreamBody().messages)).toHaveLength(3)
    socket.raw.close()
  })
})

describe('a request that is only prepared (generate: false)', () => {
  test('reaches no provider, costs nothing, and is continued', async () => {
    const socket = await open()
    const before = counts()
    const got = await socket.create({ ...FIRST, instructions: 'Be brief.', store: false, generate: false })
    await expectCounts(before)
    expect(got.map(({ type = null }) => type)).toEqual([
      'response.created',
      'response.in_progress',
      'response.completed',
    ])
    expect(responseOf(got)).toMatchObject({
      status: 'completed',
      output: [],
      instructions: 'Be brief.',
      usage: { input_tokens: 0, output_tokens: 0, total_tokens: 0 },
    })
    await socket.create({ model, input: 'Two', store: false, previous_response_id: idOf(got) })
    const parts = [QUESTION, 'Two'].map((text) => ({ type: 'text', text }))
    expect(upstreamBody().messages).toEqual([{ role: 'user', content: parts }])
    socket.raw.close()
  })

  test.each(PROTOCOLS)('without a conversation, as Codex prepares its first turn: %s', async (name) => {
    const socket = await open()
    const before = counts()
    const prepared = await socket.create({ ...CODEX_WARM_UP, model: MODELS[name] })
    await expectCounts(before)
    expect(responseOf(prepared)).toMatchObject({ status: 'completed', output: [] })
    await socket.create({ model, input: 'Two', store: false, previous_response_id: idOf(prepared) })
    expect(upstreamBody().messages).toEqual([user('Two')])
    socket.raw.close()
  })

  test('a continuation that brings no conversation either is refused', async () => {
    const socket = await open()
    const before = counts()
    const previous_response_id = idOf(await socket.create({ ...CODEX_WARM_UP, model }))
    for (const input of [[], undefined])
      expect(await socket.create({ model, input, previous_response_id })).toMatchObject([
        { type: 'error', status: 400, error: { param: 'input' } },
      ])
    expect(await socket.create({ model, input: [] })).toMatchObject([{ type: 'error', status: 400 }])
    await expectCounts(before)
    socket.raw.close()
  })

  test.each([
    ['a model that does not exist', { model: 'none', input: 'x' }, 404],
    ['no conversation', { model }, 400],
  ])('is checked as any other: %s', async (_, fields, status) => {
    const socket = await open()
    expect(await socket.create({ ...fields, generate: false })).toMatchObject([{ type: 'error', status }])
    socket.raw.close()
  })
})

describe('two at once', () => {
  test('in one lane: the second waits for the first', async () => {
    const held = heldBack(replay('text'))
    upstream.answer(held.script)
    const before = upstream.requests.length
    const socket = await open()
    socket.send({ type: 'response.create', ...FIRST })
    socket.send({ type: 'response.create', ...FIRST, input: 'Second' })
    await held.received
    expect(upstream.requests.length).toBe(before + 1)
    held.release()
    const [first, second] = [await socket.untilEnd(), await socket.untilEnd()]
    expect(idOf(first)).not.toBe(idOf(second))
    expect(upstreamBody().messages).toEqual([user('Second')])
    socket.raw.close()
  })

  describe.each([
    ['small', 'Second', 'openai'],
    ['large', 'x '.repeat(50 * 1024), 'anthropic'],
  ] as const)('in one lane, the second of them %s', (_, input, limited) => {
    test.each([
      ['is let in once the only call of its key is over', { concurrent_calls: 1 }, 'completed'],
      ['is refused in its turn, beyond the limit of the minute', {}, 'error'],
    ])('%s', async (what, settings, end) => {
      const held = heldBack(replay('text'))
      upstream.answer(held.script)
      const account = end === 'error' ? limitedAccount(limited) : `${limited} ${what}`.replaceAll(/\W/g, '-')
      const { name } = await gateway.account(account, { balance_usd: '1' })
      const socket = await openSocket(gateway, { key: await gateway.key(name, settings) })
      socket.send({ type: 'response.create', ...FIRST })
      await held.received
      socket.send({ type: 'response.create', ...FIRST, input })
      held.release()
      expect((await socket.untilEnd()).at(-1)).toMatchObject({ type: 'response.completed' })
      expect((await socket.untilEnd()).at(-1)).toMatchObject({ type: expect.stringContaining(end) })
      socket.raw.close()
    })
  })

  test('in two lanes: they are answered at the same time, each event under its lane', async () => {
    const released = Promise.withResolvers<void>()
    const slow_request = Promise.withResolvers<void>()
    upstream.answer(async (seen) => {
      if (seen.body.includes('Slow')) {
        slow_request.resolve()
        await released.promise
      }
      return replay('text')(seen)
    })
    const socket = await open()
    socket.send({ type: 'response.create', stream_id: 'slow', ...FIRST, input: 'Slow' })
    await slow_request.promise
    const fast = await socket.create({ stream_id: 'fast', ...FIRST })
    expect(new Set(fast.map(({ stream_id = null }) => stream_id))).toEqual(new Set(['fast']))
    released.resolve()
    const slow = await socket.untilEnd()
    expect(slow.at(-1)).toMatchObject({ type: 'response.completed', stream_id: 'slow' })
    socket.raw.close()
  })
})

test("OpenAI's own client", async () => {
  const client = new OpenAI({ apiKey: key, baseURL: `${gateway.url}v1` })
  const socket = new ResponsesWS(client)
  socket.send({ type: 'response.create', stream_id: 'main', model, input: QUESTION, store: false })
  let text = ''
  for await (const event of socket) {
    if (event.type === 'error') throw event.error
    if (event.type !== 'message') continue
    if (event.message.type === 'response.output_text.delta') text += event.message.delta
    if (event.message.type === 'response.completed') break
  }
  socket.close()
  expect(text).toBe(TIDES)
  expect(wantsStream(upstream.last())).toBe(true)
})
