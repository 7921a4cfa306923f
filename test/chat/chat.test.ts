// silent.md, Chat completions: fields are passed on as they were written, answers byte for byte or translated.
import { describe, expect, test } from 'bun:test'
import { type JsonObject, objectIn, objectsIn } from '../../src/protocols/wire/json.ts'
import { frame, readRecording, replay, streamOf, TIDES } from '../support/replay.ts'
import { ALIASES, CACHE_READ_NANOS, INPUT_NANOS, MODELS, OUTPUT_NANOS } from '../support/three-providers.ts'
import { whole } from '../support/upstream.ts'
import { BODY, chatScene, MODEL, WITH_USAGE } from './support.ts'

const { gateway, upstream, upstreamBody, post, lastCall } = await chatScene()

describe('fields reach a provider of the protocol as they were written', () => {
  const FIELDS: [string, string][] = [
    ['n', '"n":2'],
    ['seed', '"seed":9007199254740993'],
    ['logprobs', '"logprobs":true,"top_logprobs":5'],
    [
      'tools and parallel_tool_calls',
      '"tools":[{"type":"function","function":{"name":"f","strict":true}}],"parallel_tool_calls":false,"tool_choice":"required"',
    ],
    [
      'response_format',
      '"response_format":{"type":"json_schema","json_schema":{"name":"x","strict":true,"schema":{"type":"object","maximum":1.0}}}',
    ],
    ['reasoning_effort', '"reasoning_effort":"high"'],
    ['stop', '"stop":["a","b"]'],
    [
      'penalties and sampling',
      '"frequency_penalty":0.50,"presence_penalty":-1,"temperature":1.0,"top_p":1e-1',
    ],
    ['logit_bias', '"logit_bias":{"50256":-100}'],
    ['extensions of providers', '"repetition_penalty":1.10,"chat_template_kwargs":{"enable_thinking":false}'],
    ['metadata, store, user', '"metadata":{"a":"b"},"store":false,"user":"u"'],
  ]
  test.each(FIELDS)('%s', async (_, fields) => {
    const rest = `${fields}, "messages" : [{"role":"user","content":"Hi"}]`
    expect((await post(`{"model":"${MODEL}",${rest}}`)).status).toBe(200)
    expect(upstream.last().body.toString()).toBe(`{"model":"${MODEL}",${rest}}`)
    expect((await post(`{"model":"${ALIASES.openai}",${rest}}`)).status).toBe(200)
    expect(upstream.last().body.toString()).toBe(`{"model":"${MODEL}",${rest}}`)
  })
  test('the gateway requests the usage of a stream, and changes nothing else', async () => {
    const text = `{"stream":true, "x":1.0,"model":"${MODEL}","messages":[{"role":"user","content":"Hi"}]}`
    await (await post(text)).text()
    expect(upstream.last().body.toString()).toBe(
      `${text.slice(0, -1)},"stream_options":{"include_usage":true}}`,
    )
  })
  test.each(['true', '1', '"yes"', '{}'])(
    'a provider must keep nothing: store %s is sent as false',
    async (store) => {
      const text = `{"store":${store},"model":"${MODEL}","messages":[{"role":"user","content":"Hi"}]}`
      expect((await post(text)).status).toBe(200)
      expect(upstream.last().body.toString()).toBe(text.replace(store, 'false'))
    },
  )
  test.each([
    ['store', '"store":false,"store":true,'],
    ['model', '"model":"gpt-dear",'],
    ['n', '"n":90,"n":1,'],
    ['max_completion_tokens', '"max_completion_tokens":9000,"max_completion_tokens":90,'],
  ])('%s, written twice, is refused', async (field, fields) => {
    const seen = upstream.requests.length
    const refused = await post(`{${fields}"model":"${MODEL}","messages":[{"role":"user","content":"Hi"}]}`)
    expect(refused.status).toBe(400)
    expect(await refused.json()).toMatchObject({
      error: { param: field, message: `${field}: is given twice; send it once.` },
    })
    expect(upstream.requests.length).toBe(seen)
  })
})

describe('answers', () => {
  test.each(['text', 'tools', 'length', 'refused', 'logprobs', 'two-answers'])(
    'whole, byte for byte: %s',
    async (name) => {
      upstream.answer(replay(name))
      expect(await (await post(BODY)).text()).toBe(readRecording('openai', `whole-${name}`)[0] ?? '')
    },
  )
  test.each([
    'text',
    'tools',
    'length',
    'refused',
    'logprobs',
    'two-answers',
    'ollama',
    'openrouter-reasoning',
  ])('streamed, byte for byte: %s', async (name) => {
    const payloads = readRecording('openai', `stream-${name}`)
    upstream.answer(streamOf('openai', payloads))
    const text = await (await post({ ...BODY, ...WITH_USAGE })).text()
    expect(text).toBe(payloads.map((payload) => frame('openai', payload)).join(''))
  })
  test('streamed by Google, which leaves out the index of its tool calls: the gateway adds it', async () => {
    const payloads = readRecording('openai', 'stream-google')
    upstream.answer(streamOf('openai', payloads))
    const text = await (await post({ ...BODY, ...WITH_USAGE })).text()
    const events = text
      .split('\n')
      .flatMap((line) => (line.startsWith('data: {') ? [JSON.parse(line.slice(6))] : []))
    const calls = (list: JsonObject[]) =>
      list.flatMap(({ choices }) =>
        objectsIn(choices).flatMap(({ delta }) => objectsIn(objectIn(delta).tool_calls)),
      )
    const recorded_calls = calls(
      payloads.filter((payload) => payload.startsWith('{')).map((payload) => JSON.parse(payload)),
    )
    expect(recorded_calls.length).toBeGreaterThan(0)
    expect(calls(events)).toEqual(recorded_calls.map((call, index) => ({ ...call, index })))
  })
  test('n choices: the hold is for all of them, the charge for the output reported', async () => {
    upstream.answer(replay('two-answers'))
    await (await post({ ...BODY, n: 2, max_completion_tokens: 1_000 })).text()
    const call = await lastCall()
    const hold = gateway.rows().holds.at(-1)
    expect(hold?.amount_nanos).toBeGreaterThanOrEqual(2 * 1_000 * OUTPUT_NANOS)
    expect(call.cost_nanos).toBe(12 * INPUT_NANOS + 6 * OUTPUT_NANOS)
  })
  test('cached tokens are part of the prompt, reasoning of the completion: neither is added again', async () => {
    upstream.answer(replay('tools'))
    await (await post(BODY)).text()
    expect(await lastCall()).toMatchObject({
      input_tokens: 216,
      cache_read_tokens: 256,
      output_tokens: 67,
      thinking_tokens: 64,
      cost_nanos: 216 * INPUT_NANOS + 256 * CACHE_READ_NANOS + 131 * OUTPUT_NANOS,
    })
  })
  test('logprobs of a Gemini model', async () => {
    const chosen = { token: 'Os', logProbability: -0.02 }
    upstream.answer(
      whole({
        candidates: [
          {
            content: { role: 'model', parts: [{ text: 'Os' }] },
            finishReason: 'STOP',
            logprobsResult: { chosenCandidates: [chosen], topCandidates: [{ candidates: [chosen] }] },
          },
        ],
        usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 1 },
      }),
    )
    const answer = await (
      await post({ ...BODY, model: MODELS.gemini, logprobs: true, top_logprobs: 1 })
    ).json()
    expect(answer).toMatchObject({
      choices: [
        { logprobs: { content: [{ token: 'Os', logprob: -0.02, top_logprobs: [{ token: 'Os' }] }] } },
      ],
    })
    expect(upstreamBody().generationConfig).toMatchObject({ responseLogprobs: true, logprobs: 1 })
  })
  test.each([
    ['gemini', 'n', { n: 2 }, { generationConfig: { candidateCount: 2 } }],
    ['gemini', 'seed', { seed: 7 }, { generationConfig: { seed: 7 } }],
    ['gemini', 'stop', { stop: 'x' }, { generationConfig: { stopSequences: ['x'] } }],
    [
      'gemini',
      'reasoning_effort',
      { reasoning_effort: 'low' },
      { generationConfig: { thinkingConfig: { thinkingBudget: 1024 } } },
    ],
    [
      'gemini',
      'response_format',
      { response_format: { type: 'json_object' } },
      { generationConfig: { responseMimeType: 'application/json' } },
    ],
    ['anthropic', 'stop', { stop: ['x', 'y'] }, { stop_sequences: ['x', 'y'] }],
    [
      'anthropic',
      'parallel_tool_calls',
      { parallel_tool_calls: false, tools: [{ type: 'function', function: { name: 'f' } }] },
      { tool_choice: { disable_parallel_tool_use: true } },
    ],
    ['anthropic', 'max_completion_tokens', { max_completion_tokens: 77 }, { max_tokens: 77 }],
    ['anthropic', 'no limit: the model’s own', {}, { max_tokens: 16_384 }],
  ] as const)('to %s: %s', async (provider, _, fields, sent) => {
    expect((await post({ ...BODY, ...fields, model: MODELS[provider] })).status).toBe(200)
    expect(upstreamBody()).toMatchObject(sent as unknown as JsonObject)
  })
})

test.each(['bearer', 'x-api-key'] as const)('credentials: %s', async (form) => {
  const answer = (await (await post(BODY, { form })).json()) as {
    choices: { message: { content: string } }[]
  }
  expect(answer.choices[0]?.message.content).toBe(TIDES)
})
