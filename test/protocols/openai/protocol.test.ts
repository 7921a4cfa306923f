// Chat completions: billed usage, the reading of streams, requests to providers, refusals of providers, errors for callers.
import { describe, expect, test } from 'bun:test'
import { type ErrorKind, GatewayError, notFound } from '../../../src/domain/errors.ts'
import { inFull, NO_USAGE, type Usage } from '../../../src/domain/usage.ts'
import { anthropic } from '../../../src/protocols/anthropic/index.ts'
import { openai } from '../../../src/protocols/openai/index.ts'
import { showsUsage } from '../../../src/protocols/openai/request.ts'
import { withoutUsage } from '../../../src/protocols/openai/stream.ts'
import { toByteString } from '../../../src/protocols/wire/byte-string.ts'
import type { JsonObject } from '../../../src/protocols/wire/json.ts'
import { recordedStream, recordedWhole } from '../translation/recordings.ts'

const read = (payloads: readonly string[]) => {
  const reading = openai.text.stream.open()
  for (const payload of payloads) reading.read(toByteString(Buffer.from(payload)))
  return reading
}

describe('billed usage', () => {
  const prompt = (prompt_tokens: number, prompt_tokens_details: JsonObject): JsonObject => ({
    prompt_tokens,
    completion_tokens: 0,
    prompt_tokens_details,
  })
  /** In addition to those of usage.test.ts. */
  test.each<[string, JsonObject, Partial<Usage>]>([
    [
      'audio is at its own rate',
      prompt(100, { audio_tokens: 60, cached_tokens: 10 }),
      { input_tokens: 30, input_audio_tokens: 60, cache_read_tokens: 10 },
    ],
    [
      'audio may be cached, too',
      prompt(10, { cached_tokens: 8, audio_tokens: 5 }),
      { input_audio_tokens: 2, cache_read_tokens: 8 },
    ],
    [
      'more cached than the prompt leaves a negative rest',
      prompt(10, { cached_tokens: 20 }),
      { input_tokens: -10, cache_read_tokens: 20 },
    ],
    [
      'more audio than the prompt leaves a negative rest',
      prompt(10, { audio_tokens: 12 }),
      { input_tokens: -2, input_audio_tokens: 12 },
    ],
    [
      'more reasoning than the completion leaves a negative rest',
      { prompt_tokens: 0, completion_tokens: 5, completion_tokens_details: { reasoning_tokens: 9 } },
      { output_tokens: -4, thinking_tokens: 9 },
    ],
    [
      'counts in strings, as int64 is written in JSON',
      { prompt_tokens: '5', completion_tokens: '6' },
      { input_tokens: 5, output_tokens: 6 },
    ],
    [
      'invalid counts',
      { prompt_tokens: -1, completion_tokens: 1.5 },
      { input_tokens: Number.NaN, input_audio_tokens: Number.NaN, output_tokens: Number.NaN },
    ],
    ['zero is zero', { prompt_tokens: 0, completion_tokens: 0 }, {}],
    [
      'details that are null',
      {
        prompt_tokens: 3,
        completion_tokens: 1,
        prompt_tokens_details: null,
        completion_tokens_details: null,
      },
      { input_tokens: 3, output_tokens: 1 },
    ],
  ])('%s', (_name, usage, expected) => {
    expect(inFull(openai.text.readUsage({ usage }))).toEqual({ ...NO_USAGE, ...expected })
  })

  test.each<[string, JsonObject]>([
    ['no usage', {}],
    ['a usage that is null', { usage: null }],
    ['a usage without counts', { usage: {} }],
    ['a usage whose counts are null', { usage: { prompt_tokens: null, completion_tokens: null } }],
  ])('absent is not zero: %s', (_name, answer) => {
    expect(openai.text.readUsage(answer)).toBeUndefined()
  })

  test.each(['text', 'tools', 'refused', 'length', 'logprobs', 'two-answers'])(
    'a stream is billed as its whole answer is: %s',
    (name) => {
      expect(read(recordedStream('openai', name)).usage()).toEqual(
        openai.text.readUsage(recordedWhole('openai', name)),
      )
    },
  )

  test('a stream that reports no usage has none', () => {
    expect(read(recordedStream('openai', 'cut')).usage()).toBeUndefined()
  })
})

describe('the reading of a stream', () => {
  test.each([
    ['text', true, false],
    ['tools', true, false],
    ['ollama', true, false],
    ['google', true, false],
    ['openrouter-reasoning', true, false],
    ['error', false, true],
    ['cut', false, false],
  ])('%s: finished %p, failed %p', (name, finished, failed) => {
    const reading = read(recordedStream('openai', name))
    expect([reading.finished, reading.failed]).toEqual([finished, failed])
  })

  test.each(['error', 'finish_reason', 'usage', '[DONE]', '"error":{}'])(
    'the text %s is only text',
    (content) => {
      const reading = read([
        JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: null }], usage: null }),
      ])
      expect([reading.finished, reading.failed, reading.usage()]).toEqual([false, false, undefined])
    },
  )

  test.each(['{"error": {"message": "cut', '{"choices":[{"finish_reason":"stop"'])(
    'a chunk that was cut off fails its stream: %s',
    (chunk) => {
      const reading = read([chunk])
      expect([reading.finished, reading.failed]).toEqual([false, true])
    },
  )

  test('the text of an error is never charged as output', () => {
    const chunk = { error: { message: 'x' }, choices: [{ index: 0, delta: { content: 'x'.repeat(40) } }] }
    expect(read([JSON.stringify(chunk)]).deliveredTokens()).toBe(0)
  })

  test('text, reasoning, refusals and arguments count as delivered', () => {
    const tokensOf = (delta: JsonObject) =>
      read([JSON.stringify({ choices: [{ index: 0, delta }] })]).deliveredTokens()
    const text = 'x'.repeat(40)
    expect(tokensOf({ content: text })).toBe(10)
    expect(tokensOf({ refusal: text })).toBe(10)
    expect(tokensOf({ reasoning_content: text })).toBe(10)
    expect(tokensOf({ reasoning: text })).toBe(10)
    expect(tokensOf({ tool_calls: [{ index: 0, function: { arguments: text } }] })).toBe(10)
    expect(tokensOf({ content: null, role: 'assistant' })).toBe(0)
  })
})

describe('the facts of a request', () => {
  const factsOf = (fields: JsonObject) =>
    openai.text.readRequest({ model: 'm', messages: [{ role: 'user', content: 'Hi' }], ...fields })

  test.each<[JsonObject, number | undefined, number]>([
    [{}, undefined, 1],
    [{ max_tokens: 5 }, 5, 1],
    [{ max_completion_tokens: 7, max_tokens: 5 }, 7, 1],
    [{ n: 3 }, undefined, 3],
    [{ n: null, max_tokens: null }, undefined, 1],
  ])('%o: a limit of %p, and %d candidates', (fields, max_output_tokens, candidates) => {
    expect(factsOf(fields)).toMatchObject({ max_output_tokens, candidates })
  })

  const base_tokens = factsOf({}).input_tokens
  const parts = (...content: JsonObject[]): JsonObject => ({ messages: [{ role: 'user', content }] })
  test.each<[string, JsonObject]>([
    ['tools', { tools: [{ type: 'function', function: { name: 'f' } }] }],
    [
      'a schema for the answer',
      { response_format: { type: 'json_schema', json_schema: { name: 'x', schema: {} } } },
    ],
    ['an image', parts({ type: 'image_url', image_url: { url: 'https://example.com/a.png' } })],
    ['audio', parts({ type: 'input_audio', input_audio: { data: 'A'.repeat(90_000), format: 'mp3' } })],
    [
      'a file',
      parts({ type: 'file', file: { file_data: `data:application/pdf;base64,${'A'.repeat(900)}` } }),
    ],
    ['a file stored at the provider', parts({ type: 'file', file: { file_id: 'file-1' } })],
    [
      'a tool call',
      {
        messages: [
          {
            role: 'assistant',
            tool_calls: [{ id: 'a', function: { name: 'f', arguments: 'x'.repeat(40) } }],
          },
        ],
      },
    ],
  ])('%s counts as input', (_name, fields) => {
    expect(factsOf(fields).input_tokens).toBeGreaterThan(base_tokens)
  })

  test("an image's bytes do not count as text", () => {
    const url = `data:image/png;base64,${'A'.repeat(1_000_000)}`
    expect(factsOf(parts({ type: 'image_url', image_url: { url } })).input_tokens).toBeLessThan(5_000)
  })

  test.each<[string, JsonObject, string]>([
    ['no messages', { messages: null }, 'messages'],
    ['empty messages', { messages: [] }, 'messages'],
    ['a message that is text', { messages: ['Hi'] }, 'messages[0]'],
    ['a limit that is text', { max_tokens: '5' }, 'max_tokens'],
    ['a limit below zero', { max_completion_tokens: -5 }, 'max_completion_tokens'],
    ['a message that is a number', { messages: [1] }, 'messages[0]'],
    ['no candidates', { n: 0 }, 'n'],
    ['half a candidate', { n: 0.5 }, 'n'],
  ])('%s is refused', (_name, fields, param) => {
    expect(() => factsOf(fields)).toThrow(GatewayError)
    expect(() => factsOf(fields)).toThrow(param)
  })
})

describe('a lowered limit', () => {
  test.each<[JsonObject, JsonObject]>([
    [{ max_tokens: 900 }, { max_tokens: 30 }],
    [{ max_completion_tokens: 900 }, { max_completion_tokens: 30 }],
    [
      { max_completion_tokens: 900, max_tokens: 800 },
      { max_completion_tokens: 30, max_tokens: 30 },
    ],
    [{ model: 'gpt-5' }, { model: 'gpt-5', max_completion_tokens: 30 }],
    [
      { model: 'qwen3:8b', max_tokens: null },
      { model: 'qwen3:8b', max_tokens: 30 },
    ],
  ])('%o becomes %o', (body, expected) => {
    expect(openai.text.limitOutput(body, 30, { model: String(body.model) })).toEqual(expected)
  })

  test('uses the field of the generation, whatever the name of the deployment', () => {
    const target = { model: 'mine', generation: 'gpt-5.4' }
    expect(openai.text.limitOutput({}, 30, target)).toEqual({ max_completion_tokens: 30 })
  })
})

describe('the request to the provider', () => {
  const prepare = (body: JsonObject) =>
    openai.text.prepare(body, { model: 'm', streams: body.stream === true })

  test('always has stream_options.include_usage for a stream, beside what the caller set', () => {
    expect(prepare({ model: 'm', stream: true, stream_options: { include_obfuscation: false } })).toEqual({
      model: 'm',
      stream: true,
      stream_options: { include_obfuscation: false, include_usage: true },
    })
  })
  test.each<JsonObject>([
    { model: 'm', stream: false },
    { model: 'm', stream: true, stream_options: { include_usage: true } },
  ])('%o is the very same object, because nothing has to change', (body) => {
    expect(prepare(body)).toBe(body)
  })
  test('has the provider’s own name of the model', () => {
    expect(prepare({ model: 'asked', n: 1 })).toEqual({ model: 'm', n: 1 })
  })
  test('has `stream` if only the path says so', () => {
    expect(openai.text.prepare({ model: 'm' }, { model: 'm', streams: true })).toEqual({
      model: 'm',
      stream: true,
      stream_options: { include_usage: true },
    })
    expect(anthropic.text.prepare({ model: 'm' }, { model: 'm', streams: true })).toEqual({
      model: 'm',
      stream: true,
    })
  })
  test('usage is visible to the caller only with stream_options.include_usage', () => {
    expect(showsUsage({ stream: true })).toBe(false)
    expect(showsUsage({ stream: true, stream_options: { include_usage: true } })).toBe(true)
  })
  const USAGE = { prompt_tokens: 1 }
  test.each<[string, JsonObject, JsonObject | undefined]>([
    ['a chunk of its own', { choices: [], usage: USAGE }, undefined],
    [
      'reported beside a choice',
      { id: 'x', choices: [{ index: 0 }], usage: USAGE },
      { id: 'x', choices: [{ index: 0 }] },
    ],
    ['reported without choices', { usage: USAGE }, {}],
  ])('usage is hidden from a caller who did not request it: %s', (_, chunk, expected) => {
    const left = withoutUsage(JSON.stringify(chunk))
    expect(left && JSON.parse(left)).toEqual(expected)
  })
  test.each([
    '{"choices":[],"usage":null}',
    '{"choices":[{"delta":{"content":"\\"choices\\":[],\\"usage\\":{}"}}]}',
    '{"choices":[],"more":{"usage":1}}',
    '[DONE]',
    '{"usage":1',
  ])('%s passes unchanged', (text) => {
    expect(withoutUsage(text)).toBe(text)
  })
})

describe('the target', () => {
  test('is /chat/completions under a base_url that holds the version', () => {
    expect(openai.text.target({ model: 'm', streams: true })).toEqual({
      path: '/chat/completions',
      headers: {},
    })
  })
})

describe('a refusal of a provider', () => {
  const wrong = (...loc: (string | number)[]) => ({ loc, msg: 'Extra inputs are not permitted', input: 1 })
  test.each([
    ['one field', [wrong('body', 'logit_bias')], 'logit_bias: Extra inputs are not permitted'],
    [
      'two, one of them of a message',
      [wrong('body', 'store'), wrong('body', 'messages', 1, 'user', 'name')],
      'store: Extra inputs are not permitted; messages.1.user.name: Extra inputs are not permitted',
    ],
    ['no fault', [], '{"object":"error","message":{"detail":[]}}'],
    ['a missing message', [{ loc: ['body'] }], '{"object":"error","message":{"detail":[{"loc":["body"]}]}}'],
  ])('a list of faults becomes a message with their fields: %s', (_name, detail, message) => {
    const body = JSON.stringify({ object: 'error', message: { detail } })
    expect(openai.readFailure(422, new Headers(), body)).toMatchObject({
      failure_class: 'bad_request',
      message,
    })
  })
})

describe('an error for a caller', () => {
  test.each<[ErrorKind, number, string, string | null]>([
    ['invalid_request', 400, 'invalid_request_error', null],
    ['unauthenticated', 401, 'invalid_request_error', 'invalid_api_key'],
    ['insufficient_balance', 402, 'insufficient_quota', 'insufficient_balance'],
    ['permission_denied', 403, 'invalid_request_error', 'permission_denied'],
    ['not_found', 404, 'invalid_request_error', 'not_found'],
    ['conflict', 409, 'invalid_request_error', 'conflict'],
    ['payload_too_large', 413, 'invalid_request_error', 'request_too_large'],
    ['unprocessable', 422, 'invalid_request_error', null],
    ['rate_limited', 429, 'rate_limit_error', 'rate_limit_exceeded'],
    ['internal', 500, 'server_error', null],
    ['unimplemented', 501, 'invalid_request_error', 'unimplemented'],
    ['upstream_failed', 502, 'server_error', 'upstream_error'],
    ['overloaded', 503, 'server_error', 'overloaded'],
    ['upstream_timeout', 504, 'server_error', 'upstream_timeout'],
  ])('%s: %d, %s, %p', (kind, status, type, code) => {
    const error = new GatewayError(kind, 'What to do.', { param: 'n', cause: 'hidden' })
    const rendered = openai.renderError(error, 'req_1')
    expect(rendered).toEqual({ status, body: { error: { message: 'What to do.', type, param: 'n', code } } })
    expect(JSON.parse(openai.renderStreamError(error, 'req_1'))).toEqual(rendered.body)
  })

  test('an error with its own code keeps it', () => {
    const error = notFound('No such model.', { code: 'model_not_found' })
    expect(openai.renderError(error, 'req_1').body).toEqual({
      error: {
        message: 'No such model.',
        type: 'invalid_request_error',
        param: null,
        code: 'model_not_found',
      },
    })
  })
})

test('output without usage is estimated from the whole answer', () => {
  expect(openai.text.estimateOutput(recordedWhole('openai', 'tools'))).toBeGreaterThan(15)
  expect(openai.text.estimateOutput({})).toBe(0)
})
