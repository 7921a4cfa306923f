// A caller's trace: the span of a call is a child of the span that its request names, and an invalid name is ignored.
import { beforeAll, describe, expect, test } from 'bun:test'
import { parentOf } from '../../plugins/metrics/spans.ts'
import { answering, ask, streamPath, wholePath } from '../support/native.ts'
import { scene } from '../support/scene.ts'
import { type ReceivedSpan, startCollector } from './collector.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const SPAN = 'b7ad6b7169203331'
const MESSAGES = { model: 'test-model', messages: [{ role: 'user', content: 'Hello' }] }

const INVALID = [
  '',
  `ff-${TRACE}-${SPAN}-01`,
  `01-${TRACE}-${SPAN}-01`,
  `00-${TRACE}-${SPAN}`,
  `00-${TRACE}-${SPAN}-01-more`,
  `00-${TRACE.toUpperCase()}-${SPAN}-01`,
  `00-${'0'.repeat(32)}-${SPAN}-01`,
  `00-${TRACE}-${'0'.repeat(16)}-01`,
  `00-${TRACE.slice(1)}-${SPAN}-01`,
  `00-${TRACE}-${SPAN}-0x`,
  `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`,
]

test.each(INVALID)('%p names no span', (traceparent) => {
  expect(parentOf(traceparent)).toBeUndefined()
})

const HEADER = { traceparent: `00-${TRACE}-${SPAN}-01` }
const CALLS = {
  native: [wholePath(), ask(), HEADER],
  'a native stream': [streamPath(), ask(), HEADER],
  chat: ['/v1/chat/completions', MESSAGES, HEADER],
  messages: [
    '/v1/messages',
    { ...MESSAGES, max_tokens: 50 },
    { ...HEADER, 'anthropic-version': '2023-06-01' },
  ],
  responses: ['/v1/responses', { model: 'test-model', input: 'Hello' }, HEADER],
  'a caller that makes none itself': [wholePath(), ask(), { traceparent: `00-${TRACE}-${SPAN}-00` }],
  'no header': [wholePath(), ask(), {}],
  'an invalid header': [wholePath(), ask(), { traceparent: `00-${TRACE}-${SPAN}` }],
} as const satisfies Record<string, readonly [path: string, body: object, headers: Record<string, string>]>
type Name = keyof typeof CALLS

describe('the span of a call', () => {
  const spans = new Map<string, ReceivedSpan>()
  const sent: string[] = []

  beforeAll(async () => {
    await using collector = startCollector()
    const traced = await scene({ more: `[telemetry]\nendpoint = "${collector.url}"\n`, script: answering })
    const names = new Map<string | null, string>()
    for (const [name, [path, body, headers]] of Object.entries(CALLS)) {
      const answer = await traced.call(path, body, { headers })
      await answer.text()
      names.set(answer.headers.get('x-request-id'), name)
    }
    await traced.gateway.rest()
    for (const { headers } of traced.upstream.requests) sent.push(...Object.keys(headers))
    // A gateway sends its last spans before it stops.
    await traced[Symbol.asyncDispose]()
    for (const span of collector.spans)
      spans.set(names.get(String(span.attributes['tollgate.request_id'])) ?? '', span)
  })

  test.each<Name>([
    'native',
    'a native stream',
    'chat',
    'messages',
    'responses',
    'a caller that makes none itself',
  ])("of %s is a child of its caller's", (name) => {
    const span = spans.get(name)
    expect([span?.trace_id, span?.parent_span_id]).toEqual([TRACE, SPAN])
    expect(span?.span_id).not.toBe(SPAN)
  })

  test.each<Name>(['no header', 'an invalid header'])('with %s begins a trace', (name) => {
    const { trace_id, parent_span_id = '' } = spans.get(name) ?? {}
    expect(trace_id).toMatch(/^[\da-f]{32}$/)
    expect([trace_id === TRACE, parent_span_id]).toEqual([false, ''])
  })

  test('is sent to no provider', () => {
    expect(sent.length).toBeGreaterThan(0)
    expect(sent).not.toContain('traceparent')
  })
})
