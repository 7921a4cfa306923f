// The stored trace of a call: times alone for most calls, always of bounded size, and without secrets.
import { describe, expect, test } from 'bun:test'
import { Trace } from '../../src/calls/life/trace.ts'
import { rateLimited, UpstreamFault, upstreamFailed } from '../../src/domain/errors.ts'
import { MAX_TRACE_BYTES, readTrace } from '../../src/money/ledger/traces.ts'
import type { UpstreamFailure } from '../../src/protocols/facts.ts'
import type { Attempt } from '../../src/upstream/routes.ts'

const STARTED_MS = 1_000_000
const open = () => new Trace(STARTED_MS, STARTED_MS + 3, (words) => words.replaceAll('secret', '[hidden]'))

const attempt = (name: string, model = 'm'): Attempt =>
  ({ provider: { name }, model, api_key: 'secret', key_id: `${name}#1` }) as Attempt
const failure = (message: string): UpstreamFailure => ({
  failure_class: 'rate_limited',
  message,
  retry_after_s: undefined,
})
const tried = { sent_at_ms: STARTED_MS + 5, failed_at_ms: STARTED_MS + 25, status: 429 }

test('a call that was answered at once has only its times', () => {
  const trace = open()
  trace.answered(STARTED_MS + 4, STARTED_MS + 90)
  expect(trace.text()).toBe('{"held_ms":3,"sent_ms":4,"head_ms":90}')
  expect(trace.failed_tries).toBe(0)
})

test('a call without an answer has only the time of its hold', () => {
  expect(open().text()).toBe('{"held_ms":3}')
})

test('the first answer counts if several upstream requests make up one call', () => {
  const trace = open()
  trace.answered(STARTED_MS + 4, STARTED_MS + 90)
  trace.answered(STARTED_MS + 50, STARTED_MS + 60)
  expect(readTrace(trace.text())).toEqual({ held_ms: 3, sent_ms: 4, head_ms: 90 })
})

test('a failed attempt has its route, time, class, and message, without secrets', () => {
  const trace = open()
  trace.failed(attempt('one'), failure('too fast for secret'), tried)
  trace.failed(attempt('two'), failure(''), { ...tried, status: 0 })
  expect(trace.failed_tries).toBe(2)
  expect(readTrace(trace.text()).tried).toEqual([
    {
      provider: 'one',
      model: 'm',
      key: 'one#1',
      at_ms: 5,
      took_ms: 20,
      failure_class: 'rate_limited',
      status: 429,
      words: 'too fast for [hidden]',
    },
    { provider: 'two', model: 'm', key: 'two#1', at_ms: 5, took_ms: 20, failure_class: 'rate_limited' },
  ])
})

describe('the failure of a call', () => {
  test.each([
    [
      rateLimited('Retry.', { code: 'slow', cause: 'secret quota' }),
      { kind: 'rate_limited', code: 'slow', message: 'Retry.', cause: '[hidden] quota' },
    ],
    [
      upstreamFailed('It failed.', { cause: new TypeError('x') }),
      { kind: 'upstream_failed', message: 'It failed.', cause: 'TypeError: x' },
    ],
    [new UpstreamFault('cut off'), { kind: 'upstream_failed', cause: 'cut off' }],
    [new TypeError('a bug'), { kind: 'internal', cause: 'TypeError: a bug' }],
    ['thrown text', { kind: 'internal', cause: 'thrown text' }],
  ])('%p', (cause, expected) => {
    const trace = open()
    trace.ended({ outcome: 'failed', cause })
    expect(readTrace(trace.text()).failure).toEqual(expected)
  })

  test('is left out if the caller disconnected', () => {
    const trace = open()
    trace.ended({ outcome: 'cancelled', cause: new UpstreamFault('cut off') })
    trace.left(STARTED_MS + 70)
    expect(readTrace(trace.text())).toEqual({ held_ms: 3, left_ms: 70 })
  })
})

test('the reported usage is kept unchanged, except for values that are not numbers', () => {
  const trace = open()
  trace.ended({
    outcome: 'completed',
    reported_usage: { input_tokens: 7, output_tokens: Number.NaN },
    doubt: 'it contradicts itself',
  })
  expect(readTrace(trace.text())).toEqual({
    held_ms: 3,
    told: { input_tokens: 7, output_tokens: null },
    doubt: 'it contradicts itself',
  })
})

describe('a trace is never longer than its limit, and still JSON', () => {
  const LONG = 'words 🦊 é '.repeat(2_000)
  test.each([1, 3, 8, 20, 200])('after %p failed tries with long names and words', (tries) => {
    const trace = open()
    for (let nth = 0; nth < tries; nth++)
      trace.failed(attempt('p'.repeat(300), 'm'.repeat(300)), failure(LONG), tried)
    trace.note({ idempotency_key_sha256: 'a'.repeat(16), ceiling_nanos: 9e15, output_limit: 9e15 })
    trace.ended({ outcome: 'failed', cause: upstreamFailed(LONG, { code: LONG, cause: LONG }) })
    const text = trace.text()
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MAX_TRACE_BYTES)
    const { tried: kept = [], more_tried = 0 } = readTrace(text)
    expect(kept.length + more_tried).toBe(tries)
  })
})
