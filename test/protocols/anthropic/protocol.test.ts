// The messages protocol: billed usage, the reading of streams, the facts of requests, the target, errors for callers.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { type ErrorKind, GatewayError } from '../../../src/domain/errors.ts'
import { inFull, NO_USAGE, type Usage } from '../../../src/domain/usage.ts'
import { anthropic } from '../../../src/protocols/anthropic/index.ts'
import { toByteString } from '../../../src/protocols/wire/byte-string.ts'
import type { JsonObject } from '../../../src/protocols/wire/json.ts'
import { recordedStream, recordedWhole } from '../translation/recordings.ts'

const read = (payloads: readonly string[]) => {
  const reading = anthropic.text.stream.open()
  for (const payload of payloads) reading.read(toByteString(Buffer.from(payload)))
  return reading
}

describe('billed usage', () => {
  const ONE = { input_tokens: 1, output_tokens: 1 }
  const cacheWrites = (total: number, cache_creation: JsonObject): JsonObject => ({
    ...ONE,
    cache_creation_input_tokens: total,
    cache_creation,
  })
  const thought = (output_tokens: number): JsonObject => ({
    input_tokens: 1,
    output_tokens,
    output_tokens_details: { thinking_tokens: 40 },
  })
  test.each<[string, JsonObject, Partial<Usage>]>([
    [
      'input_tokens excludes the cache',
      { input_tokens: 10, cache_read_input_tokens: 90, output_tokens: 5 },
      { input_tokens: 10, cache_read_tokens: 90, output_tokens: 5 },
    ],
    [
      'cache_creation 5m and 1h',
      cacheWrites(30, { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 20 }),
      { ...ONE, cache_write_5m_tokens: 10, cache_write_1h_tokens: 20 },
    ],
    [
      'the rest at 5m',
      cacheWrites(30, { ephemeral_1h_input_tokens: 20 }),
      { ...ONE, cache_write_5m_tokens: 10, cache_write_1h_tokens: 20 },
    ],
    [
      'all at 5m without details',
      { ...ONE, cache_creation_input_tokens: 30 },
      { ...ONE, cache_write_5m_tokens: 30 },
    ],
    ['output_tokens includes thinking', thought(50), { ...ONE, output_tokens: 10, thinking_tokens: 40 }],
    [
      'more thinking than output leaves a negative rest',
      thought(5),
      { ...ONE, output_tokens: -35, thinking_tokens: 40 },
    ],
    [
      'more written for an hour than in all leaves a negative rest',
      cacheWrites(30, { ephemeral_1h_input_tokens: 40 }),
      { ...ONE, cache_write_5m_tokens: -10, cache_write_1h_tokens: 40 },
    ],
    [
      'counts in strings, as int64 is written in JSON',
      { input_tokens: '5', output_tokens: '6' },
      { input_tokens: 5, output_tokens: 6 },
    ],
    [
      'invalid counts',
      { input_tokens: -1, output_tokens: 'many' },
      { input_tokens: Number.NaN, output_tokens: Number.NaN },
    ],
    ['zero is zero', { input_tokens: 0, output_tokens: 0 }, {}],
    [
      'null counts are ignored',
      { ...ONE, cache_read_input_tokens: null, cache_creation: null, output_tokens_details: null },
      ONE,
    ],
  ])('%s', (_name, usage, expected) => {
    expect(inFull(anthropic.text.readUsage({ usage }))).toEqual({ ...NO_USAGE, ...expected })
  })

  test.each<[string, JsonObject]>([
    ['no usage', {}],
    ['a usage that is null', { usage: null }],
    ['a usage without counts', { usage: { service_tier: 'standard' } }],
    ['counts that are null', { usage: { input_tokens: null, output_tokens: null } }],
  ])('absent is not zero: %s', (_name, answer) => {
    expect(anthropic.text.readUsage(answer)).toBeUndefined()
  })

  test('message_delta of a stream is cumulative, so it replaces earlier counts', () => {
    expect(inFull(read(recordedStream('anthropic', 'tools')).usage())).toEqual({
      ...NO_USAGE,
      input_tokens: 472,
      cache_read_tokens: 2_048,
      cache_write_5m_tokens: 300,
      cache_write_1h_tokens: 100,
      output_tokens: 131,
    })
  })

  test.each(['text', 'tools', 'refused', 'length'])(
    'a stream is billed as its whole answer is: %s',
    (name) => {
      expect(read(recordedStream('anthropic', name)).usage()).toEqual(
        anthropic.text.readUsage(recordedWhole('anthropic', name)),
      )
    },
  )

  test('a stream that was cut off has the input that its start reported, and an unknown output', () => {
    const { input_tokens, output_tokens } = read(recordedStream('anthropic', 'cut')).usage() ?? {}
    expect({ input_tokens, output_tokens }).toEqual({ input_tokens: 14, output_tokens: undefined })
  })
})

describe('the reading of a stream', () => {
  test.each([
    ['text', true, false],
    ['tools', true, false],
    ['refused', true, false],
    ['length', true, false],
    ['error', false, true],
    ['cut', false, false],
  ])('%s: finished %p, failed %p', (name, finished, failed) => {
    const reading = read(recordedStream('anthropic', name))
    expect([reading.finished, reading.failed]).toEqual([finished, failed])
  })

  test('names of events inside a text do not count as events', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('message_delta', 'message_start', 'error', '"type":"error"', 'stop_reason'),
        (text) => {
          const event = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }
          const reading = read([JSON.stringify(event)])
          expect([reading.finished, reading.failed, reading.usage()]).toEqual([false, false, undefined])
          expect(reading.deliveredTokens()).toBeGreaterThan(0)
        },
      ),
    )
  })

  test.each([
    '{"type":"error","error":{"message":"cut',
    '{"type":"message_delta","delta":{"stop_reason":"end_turn"',
  ])('an event that was cut off fails its stream: %s', (event) => {
    const reading = read([event])
    expect([reading.finished, reading.failed, reading.deliveredTokens()]).toEqual([false, true, 0])
  })

  test('text, thinking and arguments count as delivered', () => {
    const tokensOf = (delta: JsonObject) =>
      read([JSON.stringify({ type: 'content_block_delta', index: 0, delta })]).deliveredTokens()
    expect(tokensOf({ type: 'text_delta', text: 'x'.repeat(40) })).toBe(10)
    expect(tokensOf({ type: 'thinking_delta', thinking: 'x'.repeat(40) })).toBe(10)
    expect(tokensOf({ type: 'input_json_delta', partial_json: 'x'.repeat(40) })).toBe(10)
    expect(read(['{"type": "ping"}']).deliveredTokens()).toBe(0)
  })
})

describe('the facts of a request', () => {
  const factsOf = (fields: JsonObject) =>
    anthropic.text.readRequest({
      model: 'm',
      max_tokens: 100,
      messages: [{ role: 'user', content: 'Hi' }],
      ...fields,
    })

  test('the limit, and one candidate', () => {
    expect(factsOf({})).toMatchObject({ max_output_tokens: 100, candidates: 1 })
  })

  const base_tokens = factsOf({}).input_tokens
  const userTurn = (...content: JsonObject[]): JsonObject => ({ messages: [{ role: 'user', content }] })
  test.each<[string, JsonObject]>([
    ['a system prompt', { system: 'You are a clerk.' }],
    ['system blocks', { system: [{ type: 'text', text: 'You are a clerk.' }] }],
    ['tools', { tools: [{ name: 'f', input_schema: { type: 'object' } }] }],
    [
      'a schema for the answer',
      { output_config: { format: { type: 'json_schema', schema: { type: 'object' } } } },
    ],
    ['an image', userTurn({ type: 'image', source: { type: 'url', url: 'x' } })],
    ['a document', userTurn({ type: 'document', source: { type: 'base64', data: 'x'.repeat(4_000) } })],
    ['a document by URL', userTurn({ type: 'document', source: { type: 'url', url: 'x' } })],
    ['a tool result', userTurn({ type: 'tool_result', content: [{ type: 'text', text: 'x'.repeat(40) }] })],
    ['a tool call', userTurn({ type: 'tool_use', name: 'f', input: { a: 'x'.repeat(40) } })],
  ])('%s counts as input', (_name, fields) => {
    expect(factsOf(fields).input_tokens).toBeGreaterThan(base_tokens)
  })

  test("an image's bytes do not count as text", () => {
    const data = 'A'.repeat(1_000_000)
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data } }
    const in_result = { type: 'tool_result', tool_use_id: 'x', content: [image] }
    expect(factsOf(userTurn(image, in_result)).input_tokens).toBeLessThan(5_000)
  })

  test.each<[string, JsonObject, string]>([
    ['no limit', { max_tokens: null }, 'max_tokens'],
    ['a limit that is text', { max_tokens: '5' }, 'max_tokens'],
    ['a limit below zero', { max_tokens: -5 }, 'max_tokens'],
    ['a limit of one and a half', { max_tokens: 1.5 }, 'max_tokens'],
    ['no messages', { messages: null }, 'messages'],
    ['empty messages', { messages: [] }, 'messages'],
    ['a message that is text', { messages: ['Hi'] }, 'messages[0]'],
  ])('%s is refused', (_name, fields, param) => {
    expect(() => factsOf(fields)).toThrow(GatewayError)
    expect(() => factsOf(fields)).toThrow(param)
  })
})

describe('a lowered limit', () => {
  const body = { model: 'm', max_tokens: 9_000, messages: [] }
  test('replaces max_tokens and leaves the rest', () => {
    expect(anthropic.text.limitOutput({ ...body, top_k: 5 }, 300, { model: 'm' })).toEqual({
      ...body,
      top_k: 5,
      max_tokens: 300,
    })
  })
  test.each([
    [{ type: 'enabled', budget_tokens: 8_000 }, 4_000, { type: 'enabled', budget_tokens: 3_999 }],
    [{ type: 'enabled', budget_tokens: 2_000 }, 4_000, { type: 'enabled', budget_tokens: 2_000 }],
    [{ type: 'enabled', budget_tokens: 8_000 }, 500, { type: 'disabled' }],
    [{ type: 'adaptive' }, 500, { type: 'adaptive' }],
  ])(
    'turns thinking %o under %d tokens into %o: providers refuse a budget over the limit',
    (thinking, limit, expected) => {
      expect(anthropic.text.limitOutput({ ...body, thinking }, limit, { model: 'm' }).thinking).toEqual(
        expected,
      )
    },
  )
})

describe('the target', () => {
  test('is POST /v1/messages with anthropic-version', () => {
    expect(anthropic.text.target({ model: 'm', streams: true })).toEqual({
      path: '/v1/messages',
      streams: true,
      headers: { 'anthropic-version': '2023-06-01' },
    })
  })
})

describe('an error for a caller', () => {
  test.each<[ErrorKind, number, string]>([
    ['invalid_request', 400, 'invalid_request_error'],
    ['unauthenticated', 401, 'authentication_error'],
    ['insufficient_balance', 402, 'billing_error'],
    ['permission_denied', 403, 'permission_error'],
    ['not_found', 404, 'not_found_error'],
    ['payload_too_large', 413, 'request_too_large'],
    ['rate_limited', 429, 'rate_limit_error'],
    ['internal', 500, 'api_error'],
    ['upstream_failed', 502, 'api_error'],
    ['upstream_timeout', 504, 'timeout_error'],
    ['overloaded', 529, 'overloaded_error'],
    ['conflict', 409, 'invalid_request_error'],
    ['unprocessable', 422, 'invalid_request_error'],
    ['unimplemented', 501, 'api_error'],
  ])('%s: %d, %s', (kind, status, type) => {
    const error = new GatewayError(kind, 'What to do.', { cause: 'hidden' })
    const rendered = anthropic.renderError(error, 'req_1')
    expect(rendered).toEqual({
      status,
      body: { type: 'error', error: { type, message: 'What to do.' }, request_id: 'req_1' },
    })
    expect(JSON.parse(anthropic.renderStreamError(error, 'req_1'))).toEqual(rendered.body)
  })
})

test('output without usage is estimated from the whole answer', () => {
  expect(anthropic.text.estimateOutput(recordedWhole('anthropic', 'tools'))).toBeGreaterThan(20)
  expect(anthropic.text.estimateOutput({})).toBe(0)
})
