// Issue: "State is ours, not the provider's": continued conversations, priced for everything in them, per account.
import { describe, expect, spyOn, test } from 'bun:test'
import { type JsonObject, objectIn, objectsIn } from '../../src/protocols/wire/json.ts'
import { errorOf } from '../chat/support.ts'
import { replay, TIDES } from '../support/replay.ts'
import { INPUT_NANOS, MODELS, PROTOCOLS } from '../support/three-providers.ts'
import { QUESTION, responsesScene } from './support.ts'

const { gateway, store, upstream, create, eventsFor, post, upstreamBody, lastCall, counts, expectCounts } =
  await responsesScene()
const model = MODELS.openai
const user = (content: string) => ({ role: 'user', content })
const assistant = (content: string) => ({ role: 'assistant', content })
const FIRST = { model, input: QUESTION }
const lastHold = () => gateway.rows().holds.at(-1)?.amount_nanos ?? Number.NaN
const idOf = ({ id }: JsonObject) => String(id)

describe('a response is continued', () => {
  test.each(PROTOCOLS)('on a %s model, after a start on an Anthropic one', async (provider) => {
    const id = idOf(await create({ ...FIRST, model: MODELS.anthropic }))
    const answer = await create({ model: MODELS[provider], input: 'And why two?', previous_response_id: id })
    expect(answer).toMatchObject({ status: 'completed', previous_response_id: id })
    const sent = upstream.last().body.toString()
    const places = [QUESTION, TIDES.slice(0, 40), 'And why two?'].map((text) => sent.indexOf(text))
    expect(places).toEqual(places.toSorted((a, b) => a - b))
    expect(places[0]).toBeGreaterThan(0)
  })

  test('from a stream, in chains, without its instructions', async () => {
    const got = await eventsFor({ ...FIRST, instructions: 'Only once.' })
    const id = String(objectIn(got.at(-1)?.response).id)
    const second = idOf(await create({ model, input: 'Two', previous_response_id: id }))
    await create({ model, input: [user('Three')], previous_response_id: second })
    expect(upstreamBody().messages).toEqual([
      user(QUESTION),
      assistant(TIDES),
      user('Two'),
      assistant(TIDES),
      user('Three'),
    ])
  })

  test('with the results of its calls', async () => {
    upstream.answer(replay('tools'))
    const first = await create({ ...FIRST, tools: [{ type: 'function', name: 'get_weather' }] })
    const calls = objectsIn(first.output).filter(({ type }) => type === 'function_call')
    upstream.answer(replay('text'))
    const results = calls.map(({ call_id = null }) => ({
      type: 'function_call_output',
      call_id,
      output: '7',
    }))
    await create({ model, previous_response_id: idOf(first), input: results })
    expect(objectsIn(upstreamBody().messages).filter(({ role }) => role === 'tool')).toHaveLength(2)
  })

  test('with a hold for the whole conversation', async () => {
    const id = idOf(await create({ model, input: 'word '.repeat(40_000), max_output_tokens: 300 }))
    const long_nanos = lastHold()
    await create({ model, input: 'short', max_output_tokens: 300 })
    const short_nanos = lastHold()
    await create({ model, input: 'short', max_output_tokens: 300, previous_response_id: id })
    expect(long_nanos).toBeGreaterThan(50_000 * INPUT_NANOS)
    expect(lastHold()).toBeGreaterThan(long_nanos)
    expect(short_nanos).toBeLessThan(long_nanos / 10)
  })

  test('with a reference in place of an item', async () => {
    const [item] = objectsIn((await create(FIRST)).output)
    await create({
      model,
      input: [user(QUESTION), { type: 'item_reference', id: item?.id ?? null }, user('Go on')],
    })
    expect(upstreamBody().messages).toEqual([user(QUESTION), assistant(TIDES), user('Go on')])
    const id = idOf(
      await create({ model, input: [{ type: 'item_reference', id: item?.id ?? null }, user('Again')] }),
    )
    expect(store.all.get(id)?.input).toMatchObject([{ type: 'message', role: 'assistant' }, user('Again')])
  })
})

describe('references to items', () => {
  const reference = ({ id = null }: JsonObject) => ({ type: 'item_reference', id })

  test('name each item once, as at OpenAI: a short request cannot multiply an answer', async () => {
    const [item = {}] = objectsIn((await create(FIRST)).output)
    const before = counts()
    const input = [reference(item), user('Go on'), reference(item)]
    expect(await errorOf(await post({ model, input }))).toMatchObject({ status: 400, param: 'input' })
    await expectCounts(before)
  })

  test('of one response read it once', async () => {
    upstream.answer(replay('tools'))
    const items = objectsIn(
      (await create({ ...FIRST, tools: [{ type: 'function', name: 'get_weather' }] })).output,
    )
    upstream.answer(replay('text'))
    expect(items.length).toBeGreaterThan(1)
    const find = spyOn(store, 'find')
    await post({ model, input: items.map(reference) })
    expect(find).toHaveBeenCalledTimes(1)
    find.mockRestore()
  })
})

describe('a kept response', () => {
  test('has the input as it came, and the response as the caller got it', async () => {
    const answer = await create({ ...FIRST, metadata: { a: 'b' } })
    const kept = store.all.get(idOf(answer))
    expect(kept?.response).toEqual(answer)
    expect(kept).toMatchObject({ previous_id: undefined, input: [{ type: 'message', ...user(QUESTION) }] })
  })
  test('exists when the caller reads the end of a stream', async () => {
    const response = objectIn((await eventsFor(FIRST)).at(-1)?.response)
    expect(store.all.get(idOf(response))?.response).toEqual(response)
  })
  test.each([
    ['whole', false],
    ['streamed', true],
  ])('does not exist with store: false: %s', async (_, stream) => {
    const before = store.all.size
    await (await post({ ...FIRST, store: false, stream })).text()
    await gateway.rest()
    expect(store.all.size).toBe(before)
  })
  test('does not exist where the operator turned keeping off; the answer says so', async () => {
    store.enabled = false
    const before = store.all.size
    expect(await create(FIRST)).toMatchObject({ status: 'completed', store: false })
    expect(store.all.size).toBe(before)
  })
  test('does not exist for a failed answer', async () => {
    const before = store.all.size
    upstream.answer({ status: 500, steps: [] })
    expect((await post(FIRST)).status).toBe(502)
    expect(store.all.size).toBe(before)
  })
})

test.each([false, true])(
  'a repeated request gets the same response, paid and kept once; streamed: %p',
  async (stream) => {
    const headers = { 'idempotency-key': `again-${stream}` }
    const body = { ...FIRST, stream }
    const first = await (await post(body, { headers })).text()
    const before = { ...counts(), kept: store.all.size }
    const second = await post(body, { headers })
    expect(second.headers.get('idempotent-replayed')).toBe('true')
    expect(await second.text()).toBe(first)
    expect({ ...counts(), kept: store.all.size }).toEqual(before)
  },
)

describe('not found', () => {
  const refers = { ...FIRST, previous_response_id: 'resp_none' }
  test('a response that was never made', async () => {
    const before = counts()
    expect(await errorOf(await post(refers))).toMatchObject({
      status: 400,
      param: 'previous_response_id',
      code: 'previous_response_not_found',
    })
    await expectCounts(before)
  })
  test('another account’s response, and its items', async () => {
    const answer = await create(FIRST)
    const [item] = objectsIn(answer.output)
    const key = await gateway.caller('10')
    const mine = await errorOf(await post({ ...FIRST, previous_response_id: answer.id ?? null }, { key }))
    const none = await errorOf(await post(refers, { key }))
    expect({ ...mine, message: '' }).toEqual({ ...none, message: '' })
    const input = [{ type: 'item_reference', id: item?.id ?? null }]
    expect(await errorOf(await post({ model, input }, { key }))).toMatchObject({
      status: 404,
      param: 'input',
    })
  })
  test.each(['msg_none', 'msg_none_0', '', 'resp_1'])('an item that was never made: %p', async (id) => {
    const input = [user('x'), { type: 'item_reference', id }]
    expect(await errorOf(await post({ model, input }))).toMatchObject({ status: 404, param: 'input' })
  })
  test.each([
    ['a response', { previous_response_id: 'x'.repeat(100_000) }],
    ['an item', { input: [{ type: 'item_reference', id: 'x'.repeat(100_000) }] }],
  ])('%s by an id of 100,000 characters, which the error does not repeat', async (_, refers_to) => {
    const text = await (await post({ ...FIRST, ...refers_to })).text()
    expect(text).toContain('not found')
    expect(text.length).toBeLessThan(1_000)
  })
  test('any response, where the operator turned keeping off', async () => {
    const { id = null } = await create(FIRST)
    store.enabled = false
    expect(await errorOf(await post({ ...FIRST, previous_response_id: id }))).toMatchObject({
      status: 400,
      param: 'previous_response_id',
    })
  })
})

describe('a conversation that is too large for the event loop', () => {
  test('is continued, kept and sent on all the same', async () => {
    const { id = null } = await create(FIRST)
    const pad = 'x'.repeat(1_100_000)
    const answer = await create({
      model,
      input: [user(pad)],
      previous_response_id: id,
      instructions: 'Be brief.',
    })
    expect(answer).toMatchObject({ previous_response_id: id, instructions: 'Be brief.' })
    expect(objectsIn(upstreamBody().messages).map(({ content }) => String(content).length)).toEqual([
      9,
      QUESTION.length,
      TIDES.length,
      pad.length,
    ])
    expect(store.all.get(idOf(answer))?.input).toMatchObject([user(pad)])
    expect((await lastCall()).outcome).toBe('completed')
  })
})
