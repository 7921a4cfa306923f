// Issue: "passed through to providers that speak it": the request of a provider of responses, and its answers for callers.
import { describe, expect, test } from 'bun:test'
import { type Json, type JsonObject, objectIn, objectsIn } from '../../src/protocols/wire/json.ts'
import { PROVIDER_KEYS } from '../support/catalogue.ts'
import { fileScene } from '../support/scene.ts'
import { modelSection, providerSection } from '../support/sections.ts'
import { type Answer, refusal, type Script, type UpstreamRequest, whole } from '../support/upstream.ts'
import { eventsOf, memoryStore, pluginsWith, QUESTION } from './support.ts'

/** USD per million tokens: input 1, output 4, cached 0.1; a search 0.01. */
const MODEL = `kind = "text"
max_output_tokens = 16384
routes = [{ provider = "own", model = "gpt-5-2025-08-07" }]
price = { input = 1, output = 4, cache_read = 0.1`
const catalogue = (url: string) => `
[server]
${providerSection('own', 'openai', `${url}/v1`, `responses = true\ncooldown_ms = 0`, PROVIDER_KEYS)}
${providerSection('chat-only', 'openai', `${url}/v1`, '', [])}
${modelSection('either', { own: 'x', 'chat-only': 'x' })}
[[models]]
id = "asked"
${MODEL} }
[[models]]
id = "searching"
${MODEL}, extras = { web_search = { per_unit = 0.01, max_units = 4 }, code_interpreter = 0.03 } }
`

const store = memoryStore()
const { call, upstream, upstreamBody, lastCall, counts, expectCounts } = await fileScene({
  catalogue,
  plugins: pluginsWith(store),
})
const ENCRYPTED = 'gAAAAABencrypted-reasoning'
const USAGE = {
  input_tokens: 1_001,
  input_tokens_details: { cached_tokens: 777 },
  output_tokens: 131,
  output_tokens_details: { reasoning_tokens: 64 },
  total_tokens: 1_132,
}
/** No token is counted twice: the cached ones are part of the input, reasoning is part of the output. */
const COST_NANOS = (1_001 - 777) * 1_000 + 777 * 100 + 131 * 4_000
const REASONING = { id: 'rs_theirs', type: 'reasoning', summary: [], encrypted_content: ENCRYPTED }
const MESSAGE = {
  id: 'msg_theirs',
  type: 'message',
  status: 'completed',
  role: 'assistant',
  content: [{ type: 'output_text', annotations: [], logprobs: [], text: 'Tides.' }],
}
const responseOf = (output: Json[], more: JsonObject = {}): JsonObject => ({
  id: 'resp_theirs',
  object: 'response',
  created_at: 1,
  status: 'completed',
  error: null,
  incomplete_details: null,
  model: 'gpt-5-2025-08-07',
  previous_response_id: null,
  store: false,
  output,
  usage: USAGE,
  unknown_to_us: { kept: true },
  ...more,
})
const streamedOf = (payloads: JsonObject[]): Answer => ({
  headers: { 'content-type': 'text/event-stream' },
  steps: payloads.map((payload, sequence_number) => ({
    send: `event: ${payload.type}\ndata: ${JSON.stringify({ ...payload, sequence_number })}\n\n`,
  })),
})
const created = responseOf([], { status: 'in_progress', usage: null })
const place = { item_id: 'msg_theirs', output_index: 1, content_index: 0 }
const EVENTS: JsonObject[] = [
  { type: 'response.created', response: created },
  { type: 'response.in_progress', response: created },
  { type: 'response.output_item.added', output_index: 0, item: { ...REASONING, encrypted_content: '' } },
  { type: 'response.output_item.done', output_index: 0, item: REASONING },
  { type: 'response.output_item.added', output_index: 1, item: { ...MESSAGE, content: [] } },
  { type: 'response.content_part.added', ...place, part: { type: 'output_text', text: '' } },
  { type: 'response.output_text.delta', ...place, delta: 'Tides', obfuscation: 'xyz' },
  { type: 'response.output_text.delta', ...place, delta: '."item_id":"msg_theirs"' },
  { type: 'response.output_text.done', ...place, text: 'Tides.' },
  { type: 'response.output_item.done', output_index: 1, item: MESSAGE },
  { type: 'response.completed', response: responseOf([REASONING, MESSAGE]) },
]
const asksForStream = ({ body }: UpstreamRequest) => body.includes('"stream":true')
const answering: Script = (seen) =>
  asksForStream(seen) ? streamedOf(EVENTS) : whole(responseOf([REASONING, MESSAGE]))

const post = (body: object) => call('/v1/responses', { model: 'asked', input: QUESTION, ...body })
const create = async (body: object = {}) => (await (await post(body)).json()) as JsonObject
const eventsFor = async (body: object = {}) => eventsOf(await (await post({ ...body, stream: true })).text())
const keyOf = ({ headers }: UpstreamRequest) => headers.authorization?.replace('Bearer ', '')

describe('the request that the provider gets', () => {
  test('is the caller’s own, under the provider’s name of the model, and lets it keep nothing', async () => {
    upstream.answer(answering)
    await create({ store: true, metadata: { a: 'b' }, field_of_next_year: 1, reasoning: { effort: 'low' } })
    expect(upstream.last().path).toBe('/v1/responses')
    expect(upstreamBody()).toEqual({
      model: 'gpt-5-2025-08-07',
      input: QUESTION,
      store: false,
      metadata: { a: 'b' },
      field_of_next_year: 1,
      reasoning: { effort: 'low' },
      include: ['reasoning.encrypted_content'],
    })
  })
  test('has items without our ids, and without reasoning that the provider cannot read', async () => {
    const theirs = Buffer.from('anthropic-claude-v1.thinking.signature').toString('base64')
    await create({
      input: [
        { ...MESSAGE, id: 'msg_ours_0' },
        { ...REASONING, id: 'rs_ours_1', encrypted_content: `${ENCRYPTED}~abcdefgh` },
        { ...REASONING, id: 'rs_ours_2', encrypted_content: theirs },
        { ...REASONING, id: 'rs_ours_3', encrypted_content: null },
        { role: 'user', content: QUESTION },
      ],
    })
    const { id: _, ...message } = MESSAGE
    const { id: __, ...reasoning } = REASONING
    expect(upstreamBody().input).toEqual([message, reasoning, { role: 'user', content: QUESTION }])
  })
  test('has nothing that the provider could look up by an id', async () => {
    const kinds = ['web_search_call', 'file_search_call', 'code_interpreter_call', 'image_generation_call']
    await create({
      input: [
        ...kinds.map((type) => ({ type, id: 'id-of-theirs' })),
        { role: 'user', content: 'x', id: 'id-of-theirs' },
      ],
    })
    expect(upstreamBody().input).toEqual([{ role: 'user', content: 'x' }])
    for (const reference of [
      { type: 'item_reference', id: 'id-of-theirs' },
      { id: 'id-of-theirs' },
      { id: 'msg_theirs_0', type: null },
    ])
      expect((await post({ input: [reference] })).status).toBe(404)
  })
  test('has the whole of a continued conversation', async () => {
    const first = await create()
    await create({ previous_response_id: first.id, input: 'Go on.' })
    const { id: _, ...message } = MESSAGE
    const { id: __, ...reasoning } = REASONING
    expect(upstreamBody().previous_response_id).toBeUndefined()
    expect(upstreamBody().input).toEqual([
      { type: 'message', role: 'user', content: QUESTION },
      reasoning,
      message,
      { type: 'message', role: 'user', content: 'Go on.' },
    ])
  })
  test('has the tools that callers run, of every kind', async () => {
    const tools = [
      { type: 'local_shell' },
      { type: 'shell', environment: { type: 'local' } },
      { type: 'apply_patch' },
      { type: 'custom', name: 'x' },
    ]
    const at_provider = { type: 'shell', environment: { type: 'container_auto' } }
    const response = await post({ tools: [...tools, at_provider, { type: 'web_search' }] })
    expect(response.headers.get('x-tollgate-dropped')).toBe('shell, web_search')
    await response.text()
    expect(upstreamBody().tools).toEqual(tools)
  })
})

describe('the answer that the caller gets', () => {
  test('whole: our ids, the requested name, its reasoning marked, everything else unchanged', async () => {
    const answer = await create()
    const tail = String(answer.id).replace('resp_', '')
    expect(answer).toMatchObject({ model: 'asked', store: true, usage: USAGE, unknown_to_us: { kept: true } })
    expect(answer.output).toEqual([
      {
        ...REASONING,
        id: `rs_${tail}_0`,
        encrypted_content: expect.stringMatching(/^gAAAAABencrypted-reasoning~[\w-]{8}$/),
      },
      { ...MESSAGE, id: `msg_${tail}_1` },
    ])
    expect(JSON.stringify(answer)).not.toContain('theirs')
    expect(await lastCall()).toMatchObject({
      cost_nanos: COST_NANOS,
      estimated: 0,
      output_tokens: 67,
      thinking_tokens: 64,
    })
  })
  test('streamed: the same in every event, and the text untouched', async () => {
    const got = await eventsFor()
    expect(got.map(({ type }) => type)).toEqual(EVENTS.map(({ type = '' }) => type))
    expect(got.map(({ sequence_number }) => sequence_number)).toEqual(got.map((_, index) => index))
    const response = objectIn(got.at(-1)?.response)
    const [reasoning, message] = objectsIn(response.output)
    expect(got.filter(({ item_id }) => item_id !== undefined && item_id !== message?.id)).toEqual([])
    expect(got[6]).toMatchObject({ delta: 'Tides', obfuscation: 'xyz' })
    expect(got[7]).toMatchObject({ delta: '."item_id":"msg_theirs"', item_id: message?.id })
    expect(got[3]).toMatchObject({ item: reasoning })
    for (const { response: each } of got)
      if (each !== undefined) expect(each).toMatchObject({ id: response.id, model: 'asked' })
    expect(await lastCall()).toMatchObject({
      cost_nanos: COST_NANOS,
      estimated: 0,
      streamed: 1,
      outcome: 'completed',
    })
    expect(store.all.get(String(response.id))?.response).toEqual(response)
  })
  test('without a usage: estimated, and the estimate is charged', async () => {
    upstream.answer((seen) =>
      asksForStream(seen)
        ? streamedOf(
            EVENTS.map((event) =>
              event.type === 'response.completed'
                ? { ...event, response: responseOf([MESSAGE], { usage: null }) }
                : event,
            ),
          )
        : whole(responseOf([MESSAGE], { usage: null })),
    )
    await create()
    expect(await lastCall()).toMatchObject({ estimated: 1 })
    await eventsFor()
    const { estimated, output_tokens } = await lastCall()
    expect({ estimated, is_counted: output_tokens > 3 }).toEqual({ estimated: 1, is_counted: true })
    upstream.answer(answering)
  })
  test('a failed response under status 200 is answered with 502', async () => {
    const before = counts()
    upstream.answer(
      whole(responseOf([], { status: 'failed', error: { code: 'server_error', message: 'x' } })),
    )
    expect((await post({})).status).toBe(502)
    upstream.answer(answering)
    expect(counts()).toEqual({
      calls: before.calls + 1,
      holds: before.holds + 1,
      requests: before.requests + 2,
    })
  })
  test('a failure inside the stream ends it in our words, and the delivered part is charged', async () => {
    const broken = [
      ...EVENTS.slice(0, 8),
      {
        type: 'response.failed',
        response: responseOf([], {
          status: 'failed',
          error: { code: 'server_error', message: 'secret words' },
        }),
      },
    ]
    upstream.answer(streamedOf(broken))
    const got = await eventsFor()
    upstream.answer(answering)
    expect(JSON.stringify(got)).not.toContain('secret words')
    expect(got.slice(-2)).toMatchObject([
      { type: 'error' },
      { type: 'response.failed', response: { status: 'failed', model: 'asked' } },
    ])
    expect(await lastCall()).toMatchObject({ outcome: 'broken', estimated: 1 })
  })
})

test('a stream that ends with [DONE], as some servers write it, is complete', async () => {
  const { steps = [], ...rest } = streamedOf(EVENTS)
  upstream.answer({ ...rest, steps: [...steps, { send: 'data: [DONE]\n\n' }] })
  const got = await eventsFor()
  upstream.answer(answering)
  expect(got.at(-1)?.type).toBe('response.completed')
  expect(await lastCall()).toMatchObject({ outcome: 'completed', cost_nanos: COST_NANOS })
})

test('a route that fails after its headers is followed by one of chat completions', async () => {
  upstream.answer(({ path }) =>
    path.endsWith('/responses')
      ? whole('{"cut')
      : whole({
          choices: [{ index: 0, message: { role: 'assistant', content: 'Tides.' }, finish_reason: 'stop' }],
        }),
  )
  const answer = await create({ model: 'either' })
  upstream.answer(answering)
  expect(answer).toMatchObject({ status: 'completed', model: 'either', output: [{ type: 'message' }] })
  expect(await lastCall()).toMatchObject({ provider: 'chat-only' })
})

describe('encrypted reasoning', () => {
  test('goes back to the key that issued it, every time', async () => {
    // A conversation's key follows from its first words: until each key has issued some reasoning.
    const issuers = new Set<string | undefined>()
    for (let at = 0; issuers.size < 2; at++) {
      const first = await create({ input: `Question ${at}` })
      const key = keyOf(upstream.last())
      issuers.add(key)
      await create({ input: [...objectsIn(first.output), { role: 'user', content: 'x' }] })
      expect(keyOf(upstream.last())).toBe(key)
    }
    expect([...issuers].toSorted()).toEqual([...PROVIDER_KEYS].toSorted())
  })
  const unreadable = refusal(400, {
    error: { message: 'x', type: 'invalid_request_error', param: null, code: 'invalid_encrypted_content' },
  })
  const input = [
    { ...REASONING, encrypted_content: `${ENCRYPTED}~abcdefgh` },
    { role: 'user', content: 'x' },
  ]
  test('that the provider cannot read is dropped, and the call repeated', async () => {
    const before = upstream.requests.length
    upstream.answer((seen, index) =>
      seen.body.includes(ENCRYPTED)
        ? unreadable
        : typeof answering === 'function'
          ? answering(seen, index)
          : answering,
    )
    expect(await create({ input })).toMatchObject({ status: 'completed' })
    expect(upstream.requests.length).toBe(before + 2)
    expect(upstreamBody().input).toEqual([{ role: 'user', content: 'x' }])
    expect(await lastCall()).toMatchObject({ outcome: 'completed', cost_nanos: COST_NANOS })
  })
  test('that is refused again is the caller’s error, after one repetition', async () => {
    const before = upstream.requests.length
    upstream.answer(unreadable)
    expect((await post({ input })).status).toBe(400)
    expect(upstream.requests.length).toBe(before + 2)
    upstream.answer(answering)
  })
})

describe('a field or tool that is billed beyond tokens', () => {
  const SEARCHED = {
    id: 'ws_theirs',
    type: 'web_search_call',
    status: 'completed',
    action: { type: 'search', query: 'x' },
  }
  test('passes to a model with a price for it, and is counted by its items', async () => {
    upstream.answer((seen) =>
      asksForStream(seen)
        ? streamedOf([
            EVENTS[0] ?? {},
            { type: 'response.completed', response: responseOf([SEARCHED, SEARCHED, MESSAGE]) },
          ])
        : whole(responseOf([SEARCHED, SEARCHED, MESSAGE])),
    )
    for (const stream of [false, true]) {
      const response = await post({ model: 'searching', tools: [{ type: 'web_search' }], stream })
      expect(response.headers.get('x-tollgate-dropped')).toBeNull()
      await response.text()
      expect(upstreamBody().tools).toEqual([{ type: 'web_search' }])
      expect(await lastCall()).toMatchObject({ cost_nanos: COST_NANOS + 2 * 10_000_000 })
    }
    upstream.answer(answering)
  })
  test.each<[string, JsonObject, string]>([
    ['a tier', { service_tier: 'priority' }, 'service_tier'],
    ['a spoken answer', { modalities: ['text', 'audio'] }, 'modalities[1]'],
    ['a voice', { audio: { voice: 'ash', format: 'mp3' } }, 'audio'],
    ['a conversation that the provider keeps', { conversation: 'conv_1' }, 'conversation'],
    [
      'a file that the provider keeps',
      { input: [{ role: 'user', content: [{ type: 'input_file', file_id: 'file-1' }] }] },
      'input[0].content[0].file_id',
    ],
    [
      'a screenshot that the provider keeps',
      { input: [{ type: 'computer_call_output', call_id: 'c', output: { file_id: 'file-1' } }] },
      'input[0].output[0].file_id',
    ],
    [
      'a container that the provider keeps',
      { model: 'searching', tools: [{ type: 'code_interpreter', container: 'cntr_1' }] },
      'tools[0].container',
    ],
    ['a prompt that the provider keeps', { prompt: { id: 'pmpt_1' } }, 'prompt'],
    ['a response that the provider keeps', { previous_response_id: 'resp_theirs' }, 'previous_response_id'],
    ['background', { background: true }, 'background'],
  ])('%s is refused', async (_, fields, param) => {
    const before = counts()
    const response = await post(fields)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: { param } })
    await expectCounts(before)
  })
})

test('the phase of a message reaches the caller, and the provider again', async () => {
  const commentary = { ...MESSAGE, phase: 'commentary' }
  upstream.answer(whole({ id: 'r', status: 'completed', output: [commentary], usage: USAGE }))
  const { output } = await create()
  expect(output).toMatchObject([{ type: 'message', phase: 'commentary' }])
  await create({ input: [...objectsIn(output), { role: 'user', content: QUESTION }] })
  expect(upstreamBody().input).toMatchObject([{ phase: 'commentary' }, {}])
})
