// A provider's own refusal of a prompt that is too long: reported in the caller's protocol; a route that is no larger is not tried.
import { beforeEach, describe, expect, test } from 'bun:test'
import { readTooLong } from '../../src/protocols/failures.ts'
import type { BuiltInProtocol } from '../../src/protocols/registry.ts'
import { replay } from '../support/replay.ts'
import { fileScene } from '../support/scene.ts'
import { modelSection, providerSection } from '../support/sections.ts'
import { PROTOCOLS } from '../support/three-providers.ts'
import { events, refusal, type Script } from '../support/upstream.ts'
import { REQUESTS } from './requests.ts'

const CONTEXT = 1_000
const provider = (name: string, protocol: string) =>
  providerSection(name, protocol, `{url}/${protocol}`, 'cooldown_ms = 0', [])
const model = (id: string, routes: readonly string[], context = CONTEXT) =>
  modelSection(id, Object.fromEntries(routes.map((name) => [name, name])), {
    more: `context = ${context}\nmax_output_tokens = 500`,
  })
const catalogue = (url: string): string =>
  [
    ...PROTOCOLS.flatMap((name) => [provider(name, name), model(name, [name])]),
    provider('second', 'openai'),
    model('two-routes', ['openai', 'second'], 100_000),
    model('anthropic-then-openai', ['anthropic', 'openai'], 100_000),
  ]
    .join('')
    .replaceAll('{url}', url)

const { upstream, call, lastCall } = await fileScene({ catalogue })
beforeEach(() => {
  upstream.requests.length = 0
})

const REFUSALS: Readonly<Record<BuiltInProtocol, object>> = {
  gemini: {
    error: {
      code: 400,
      status: 'INVALID_ARGUMENT',
      message: 'The input token count (1200) exceeds the maximum number of tokens allowed (800).',
    },
  },
  anthropic: {
    type: 'error',
    error: { type: 'invalid_request_error', message: 'prompt is too long: 1200 tokens > 800 maximum' },
  },
  openai: {
    error: {
      message:
        "This model's maximum context length is 800 tokens. However, your messages resulted in 1200 tokens.",
      type: 'invalid_request_error',
      param: 'messages',
      code: 'context_length_exceeded',
    },
  },
}
const error = (more: object) => ({ error: expect.objectContaining(more) })
const OPENAI = error({
  type: 'invalid_request_error',
  code: 'context_length_exceeded',
  message: expect.stringMatching(/maximum context length is 800 tokens.* 1200 tokens/),
})
const EXPECTED: Readonly<Record<BuiltInProtocol, object>> = {
  gemini: error({
    code: 400,
    status: 'INVALID_ARGUMENT',
    message: 'The input token count (1200) exceeds the maximum number of tokens allowed (800).',
  }),
  anthropic: {
    type: 'error',
    request_id: expect.any(String),
    ...error({ type: 'invalid_request_error', message: 'prompt is too long: 1200 tokens > 800 maximum' }),
  },
  openai: OPENAI,
}

function send(caller: BuiltInProtocol, to: string, streams = false) {
  const { path, body, headers } = REQUESTS[caller](to, streams, {})
  return call(path, body, { headers })
}

const PAIRS = PROTOCOLS.flatMap((caller) => PROTOCOLS.map((to) => [caller, to] as const))

describe('the refusal comes in the words and with the code of the caller’s protocol, with the provider’s numbers; nothing is charged', () => {
  test.each(PAIRS)('a caller of %s, a provider of %s', async (caller, to) => {
    upstream.answer(refusal(400, REFUSALS[to]))
    for (const streams of [false, true]) {
      const response = await send(caller, to, streams)
      const text = await response.text()
      expect(response.status).toBe(400)
      const [answer] = [JSON.parse(text)].flat()
      expect(answer).toEqual(EXPECTED[caller])
      expect(await lastCall()).toMatchObject({ outcome: 'failed', cost_nanos: 0 })
    }
  })

  test.each(PROTOCOLS)('/v1/responses and /v1/completions, a provider of %s', async (to) => {
    upstream.answer(refusal(400, REFUSALS[to]))
    for (const [path, body, param] of [
      ['/v1/responses', { model: to, input: 'x', store: false }, 'input'],
      ['/v1/completions', { model: to, prompt: 'x' }, null],
    ] as const) {
      const response = await call(path, body)
      const answer = await response.json()
      expect([response.status, answer]).toEqual([400, OPENAI])
      if (param !== null) expect(answer).toMatchObject({ error: { param } })
    }
  })

  test('an error under status 200, as a stream’s first event', async () => {
    upstream.answer(events([REFUSALS.anthropic]))
    const response = await send('openai', 'anthropic', true)
    expect([response.status, await response.json()]).toEqual([400, OPENAI])
  })

  test.each<[name: string, status: number, body: object]>([
    [
      'a code alone, whatever its status',
      500,
      { error: { message: 'No.', code: 'context_length_exceeded' } },
    ],
    ['words without a number', 400, { error: { message: 'Input is too long for requested model.' } }],
    [
      'words without a code',
      400,
      { error: { message: 'the request exceeds the available context size', code: 400 } },
    ],
  ])('numbers that the provider leaves out are those of the catalogue: %s', async (_name, status, body) => {
    upstream.answer(refusal(status, body))
    const response = await send('anthropic', 'openai')
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { error: { message: `prompt is too long: ${CONTEXT + 1} tokens > ${CONTEXT} maximum` } },
    ])
    expect(upstream.requests).toHaveLength(1)
  })

  test.each([
    ['another refusal keeps the provider’s words', 400, 'bad_request: tools must be a list'],
    ['a message about something else', 400, 'the name of the tool is too long'],
  ])('%s', async (_name, status, message) => {
    upstream.answer(refusal(status, { error: { message } }))
    const response = await send('anthropic', 'openai')
    expect([response.status, await response.json()]).toMatchObject([400, { error: { message } }])
  })

  test('the same words under a status of 500 are a failure of the provider', async () => {
    upstream.answer(refusal(500, { error: { message: 'prompt is too long: 2 tokens > 1 maximum' } }))
    expect((await send('anthropic', 'openai')).status).toBe(502)
  })
})

describe('the next route', () => {
  const bySecond =
    (first: object, then: Script): Script =>
    (request, number) =>
      JSON.parse(request.body.toString()).model === 'second'
        ? typeof then === 'function'
          ? then(request, number)
          : then
        : refusal(400, first)
  const TOO_LONG = (context: number) => ({
    error: {
      message: `This model's maximum context length is ${context} tokens. However, your messages resulted in 200000 tokens.`,
      code: 'context_length_exceeded',
    },
  })

  test('is not tried where the refusing one is as large as the model', async () => {
    upstream.answer(refusal(400, TOO_LONG(100_000)))
    expect((await send('openai', 'two-routes')).status).toBe(400)
    expect(upstream.requests).toHaveLength(1)
  })

  test('is not tried where the refusing one does not report its size', async () => {
    upstream.answer(refusal(400, { error: { message: 'x', code: 'context_length_exceeded' } }))
    expect((await send('openai', 'two-routes')).status).toBe(400)
    expect(upstream.requests).toHaveLength(1)
  })

  test('is tried where the refusing one is smaller than the model', async () => {
    upstream.answer(bySecond(TOO_LONG(800), replay('text')))
    expect((await send('openai', 'two-routes')).status).toBe(200)
    expect(upstream.requests).toHaveLength(2)
    expect(await lastCall()).toMatchObject({ outcome: 'completed' })
  })

  test('is too small as well: the caller gets the refusal', async () => {
    upstream.answer(refusal(400, TOO_LONG(800)))
    const response = await send('anthropic', 'two-routes')
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { error: { message: 'prompt is too long: 200000 tokens > 800 maximum' } },
    ])
    expect(upstream.requests).toHaveLength(2)
    expect(await lastCall()).toMatchObject({ outcome: 'failed', cost_nanos: 0 })
  })

  test('fails: the caller gets 502, since it may serve later', async () => {
    upstream.answer(bySecond(TOO_LONG(800), refusal(500)))
    expect((await send('openai', 'two-routes')).status).toBe(502)
  })
})

describe('the words of servers', () => {
  test.each<[message: string, tokens: number | undefined, context: number | undefined]>([
    ['prompt is too long: 210000 tokens > 200000 maximum', 210_000, 200_000],
    ['Prompt is too long', undefined, undefined],
    [
      'input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length',
      210_000,
      200_000,
    ],
    [
      'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
      1_200_000,
      1_048_576,
    ],
    ['The input token count exceeds the maximum number of tokens allowed 1048576.', undefined, 1_048_576],
    [
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens. Please reduce",
      130_000,
      128_000,
    ],
    [
      "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens (5000 in the messages, 4000 in the completion).",
      9_000,
      8_192,
    ],
    [
      "This endpoint's maximum context length is 8192 tokens. However, you requested about 9000 tokens",
      9_000,
      8_192,
    ],
    [
      'Your input exceeds the context window of this model. Please adjust your input and try again.',
      undefined,
      undefined,
    ],
    [
      "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
      537_812,
      131_072,
    ],
    [
      'Prompt contains 60000 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
      60_000,
      32_768,
    ],
    [
      'request (9000 tokens) exceeds the available context size (8192 tokens), try increasing it',
      9_000,
      8_192,
    ],
    ['Input is too long for requested model.', undefined, undefined],
  ])('%s', (message, tokens, context) => {
    expect(readTooLong(message)).toEqual({ tokens, context })
  })

  test.each(['', 'too long', 'max_tokens: too large', 'maximum context length', 'A name that is too long'])(
    'no refusal of a length: %p',
    (message) => {
      expect(readTooLong(message)).toBeUndefined()
    },
  )
})
