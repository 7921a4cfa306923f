// silent.md, "Chat completions", over a real socket: fields as they were written, answers byte for byte and translated.

import { describe, expect, test } from 'bun:test'
import type { JsonObject } from '../../src/protocols/wire/json.ts'
import { whole } from '../support/upstream.ts'
import {
  ALIASES,
  CACHE_READ_NANOS,
  framed,
  INPUT_NANOS,
  MODELS,
  OUTPUT_NANOS,
  recorded,
  replay,
  streamOf,
  TIDES,
} from '../surfaces/world.ts'
import { BODY, MODEL, SHOWN, useChat } from './scene.ts'

const scene = useChat()

describe('fields reach a vendor of the protocol as they were written', () => {
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
    [
      'vendors’ own extensions',
      '"transforms":["x"],"provider":{"order":["a"]},"chat_template_kwargs":{"enable_thinking":false}',
    ],
    ['metadata, store, user', '"metadata":{"a":"b"},"store":true,"user":"u"'],
  ]
  test.each(FIELDS)('%s', async (_, fields) => {
    const given = `${fields}, "messages" : [{"role":"user","content":"Hi"}]`
    expect((await scene.post(`{"model":"${MODEL}",${given}}`)).status).toBe(200)
    expect(scene.world.upstream.last().body.toString()).toBe(`{"model":"${MODEL}",${given}}`)
    expect((await scene.post(`{"model":"${ALIASES.openai}",${given}}`)).status).toBe(200)
    expect(scene.world.upstream.last().body.toString()).toBe(`{"model":"${MODEL}",${given}}`)
  })
  test('a stream that is asked for its usage changes in nothing else', async () => {
    const text = `{"stream":true, "x":1.0,"model":"${MODEL}","messages":[{"role":"user","content":"Hi"}]}`
    await (await scene.post(text)).text()
    expect(scene.world.upstream.last().body.toString()).toBe(
      `${text.slice(0, -1)},"stream_options":{"include_usage":true}}`,
    )
  })
  test.each([
    ['model', '"model":"gpt-dear",'],
    ['n', '"n":90,"n":1,'],
    ['max_completion_tokens', '"max_completion_tokens":9000,"max_completion_tokens":90,'],
  ])('%s, written twice, has one meaning upstream', async (_, fields) => {
    await (
      await scene.post(`{${fields}"model":"${MODEL}","messages":[{"role":"user","content":"Hi"}]}`)
    ).text()
    const sent = scene.world.upstream.last().body.toString()
    expect(sent).not.toContain('dear')
    expect(sent).not.toContain('90,"n"')
    expect(sent).not.toContain('9000')
  })
})

describe('answers', () => {
  test.each(['text', 'tools', 'length', 'refused', 'logprobs', 'two-answers'])(
    'whole, byte for byte: %s',
    async (name) => {
      scene.world.upstream.answer(replay(name))
      expect(await (await scene.post(BODY)).text()).toBe(recorded('openai', `whole-${name}`)[0] ?? '')
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
    'google',
  ])('streamed, byte for byte: %s', async (name) => {
    const payloads = recorded('openai', `stream-${name}`)
    scene.world.upstream.answer(streamOf('openai', payloads))
    const text = await (await scene.post({ ...BODY, ...SHOWN })).text()
    expect(text).toBe(payloads.map((payload) => framed('openai', payload)).join(''))
  })
  test('n answers: the hold is for all of them, the charge for what was written', async () => {
    scene.world.upstream.answer(replay('two-answers'))
    await (await scene.post({ ...BODY, n: 2, max_completion_tokens: 1_000 })).text()
    const call = await scene.world.lastCall()
    const hold = scene.world.gateway.rows().holds.at(-1)
    expect(hold?.amount_nanos).toBeGreaterThanOrEqual(2 * 1_000 * OUTPUT_NANOS)
    expect(call.cost_nanos).toBe(12 * INPUT_NANOS + 6 * OUTPUT_NANOS)
  })
  test('cached tokens are part of the prompt, reasoning of the completion: neither is added again', async () => {
    scene.world.upstream.answer(replay('tools'))
    await (await scene.post(BODY)).text()
    expect(await scene.world.lastCall()).toMatchObject({
      input_tokens: 216,
      cache_read_tokens: 256,
      output_tokens: 67,
      thinking_tokens: 64,
      cost_nanos: 216 * INPUT_NANOS + 256 * CACHE_READ_NANOS + 131 * OUTPUT_NANOS,
    })
  })
  test('logprobs of a Gemini model', async () => {
    const chosen = { token: 'Os', logProbability: -0.02 }
    scene.world.upstream.answer(
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
      await scene.post({ ...BODY, model: MODELS.gemini, logprobs: true, top_logprobs: 1 })
    ).json()
    expect(answer).toMatchObject({
      choices: [
        { logprobs: { content: [{ token: 'Os', logprob: -0.02, top_logprobs: [{ token: 'Os' }] }] } },
      ],
    })
    expect(scene.world.asked().generationConfig).toMatchObject({ responseLogprobs: true, logprobs: 1 })
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
  ] as const)('to %s: %s', async (vendor, _, said, sent) => {
    expect((await scene.post({ ...BODY, ...said, model: MODELS[vendor] })).status).toBe(200)
    expect(scene.world.asked()).toMatchObject(sent as unknown as JsonObject)
  })
})

test.each(['bearer', 'x-api-key'] as const)('credentials: %s', async (form) => {
  const answer = (await (await scene.post(BODY, { form })).json()) as {
    choices: { message: { content: string } }[]
  }
  expect(answer.choices[0]?.message.content).toBe(TIDES)
})
