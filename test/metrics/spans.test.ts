// One span a call, by OpenTelemetry's conventions for generative AI, whose sums are the ledger's; a collector in trouble hurts no call.
import { beforeAll, describe, expect, test } from 'bun:test'
import { openSpans, type SpanFacts } from '../../plugins/metrics/spans.ts'
import type { Call } from '../../src/store/schema.ts'
import { eventually } from '../support/eventually.ts'
import { freePort } from '../support/free-port.ts'
import { memoryLog } from '../support/memory-log.ts'
import { answering, ask, wholePath } from '../support/native.ts'
import { scene } from '../support/scene.ts'
import { makeCalls } from './calls.ts'
import { type ReceivedSpan, startCollector } from './collector.ts'

const sum = (values: Iterable<number>): number => [...values].reduce((total, value) => total + value, 0)
const telemetry = (url: string, more = '') => `[telemetry]\nendpoint = "${url}"\n${more}\n`

describe('the spans of calls', () => {
  let calls: Call[]
  let spans: ReceivedSpan[]
  const requests: { path: string; secret: string | null }[] = []

  beforeAll(async () => {
    await using collector = startCollector()
    const settings = 'service_name = "my gateway"\nheaders = { "x-secret" = "a-secret-of-the-collector" }'
    const watched = await scene({
      more: telemetry(collector.url, settings),
      api_keys: ['provider-secret-one', 'provider-secret-two'],
      provider: 'cooldown_ms = 0',
    })
    await makeCalls(watched)
    calls = (await watched.gateway.atRest()).calls
    // A gateway sends its last spans before it stops.
    await watched[Symbol.asyncDispose]()
    expect(watched.gateway.log.text()).not.toContain('a-secret-of-the-collector')
    spans = collector.spans
    for (const { path, headers } of collector.requests)
      requests.push({ path, secret: headers.get('x-secret') })
  })

  const spanOf = ({ request_id }: Call): ReceivedSpan | undefined =>
    spans.find(({ attributes }) => attributes['tollgate.request_id'] === request_id)
  const total = (attribute: string) => sum(spans.map(({ attributes }) => Number(attributes[attribute] ?? 0)))

  test('are one for each recorded call, each with ids of its own', () => {
    expect(spans.length).toBe(calls.length)
    expect(new Set(calls.map((call) => spanOf(call)?.span_id)).size).toBe(calls.length)
    expect(new Set(spans.map(({ trace_id }) => trace_id)).size).toBe(calls.length)
  })

  test('cost what the ledger charged', () => {
    expect(total('tollgate.cost_nanos')).toBe(sum(calls.map(({ cost_nanos }) => cost_nanos)))
    expect(total('tollgate.cost_nanos')).toBeGreaterThan(0)
  })

  test.each([
    [
      'input_tokens',
      [
        'input_tokens',
        'input_audio_tokens',
        'cache_read_tokens',
        'cache_write_5m_tokens',
        'cache_write_1h_tokens',
      ],
    ],
    ['output_tokens', ['output_tokens', 'thinking_tokens', 'output_image_tokens']],
  ] as const)('have the %s of the records, as a whole and by kind', (name, fields) => {
    const recorded = sum(calls.flatMap((call) => fields.map((field) => call[field])))
    expect(recorded).toBeGreaterThan(0)
    expect(total(`gen_ai.usage.${name}`)).toBe(recorded)
    expect(sum(fields.map((field) => total(`tollgate.usage.${field}`)))).toBe(recorded)
  })

  test('have the times of the records', () => {
    for (const call of calls) {
      const { start_ms = 0, end_ms = 0 } = spanOf(call) ?? {}
      expect([start_ms, end_ms - start_ms]).toEqual([call.started_at_ms, call.duration_ms])
    }
  })

  test.each([
    ['native', 'generate_content'],
    ['chat', 'chat'],
    ['messages', 'chat'],
  ])('of %s are called %s and the model', (surface, operation) => {
    const [span] = spans.filter(({ attributes }) => attributes['tollgate.surface'] === surface)
    expect(span?.name).toBe(`${operation} test-model`)
    expect(span?.attributes).toMatchObject({
      'gen_ai.operation.name': operation,
      'gen_ai.provider.name': 'gcp.gemini',
      'gen_ai.request.model': 'test-model',
      'gen_ai.response.model': 'upstream-model-1',
      'server.address': '127.0.0.1',
      'tollgate.provider': 'provider-one',
    })
  })

  test('are errors if the call failed or was interrupted, and only then', () => {
    for (const call of calls) {
      const is_error = call.outcome === 'failed' || call.outcome === 'broken'
      const span = spanOf(call)
      expect(span?.status).toBe(is_error ? 2 : 0)
      expect('error.type' in (span?.attributes ?? {})).toBe(is_error)
      expect(span?.attributes['tollgate.outcome']).toBe(call.outcome)
    }
    const errors = spans.flatMap(({ attributes }) => attributes['error.type'] ?? [])
    expect(errors).toEqual(['upstream_failed', 'upstream_failed'])
  })

  test('name the gateway and its conventions, and are of the kind of a client', () => {
    for (const { resource, scope, kind } of spans) {
      expect(resource).toMatchObject({ 'service.name': 'my gateway' })
      expect(scope).toMatchObject({ name: 'tollgate', schema_url: 'https://opentelemetry.io/schemas/1.37.0' })
      expect(kind).toBe(3)
    }
  })

  test('have no text of a conversation, and no secret', () => {
    const text = JSON.stringify(spans)
    for (const text_or_secret of ['Say hello', 'Hello', 'Half an', 'Rich', 'provider-secret', 'tg_'])
      expect(text).not.toContain(text_or_secret)
    expect(spans.every(({ events, links }) => events.length + links.length === 0)).toBe(true)
  })

  test('go to the path of OTLP, with the headers of the catalogue', () => {
    expect(requests.length).toBeGreaterThan(0)
    expect(new Set(requests.map((request) => JSON.stringify(request)))).toEqual(
      new Set([JSON.stringify({ path: '/v1/traces', secret: 'a-secret-of-the-collector' })]),
    )
  })
})

test.each([
  ['sample = 0', 0],
  ['sample = 1', 5],
])('with %s, five calls have %p spans', async (sample, count) => {
  await using collector = startCollector()
  const sampled = await scene({ more: telemetry(collector.url, sample), script: answering })
  for (let made = 0; made < 5; made++) await (await sampled.call(wholePath(), ask())).text()
  await sampled.gateway.rest()
  await sampled[Symbol.asyncDispose]()
  expect(collector.spans.length).toBe(count)
})

test('a changed share applies at once; another endpoint waits for a restart', async () => {
  await using collector = startCollector()
  const sampled = await scene({ more: telemetry(collector.url), script: answering })
  await sampled.recatalogue({ more: telemetry('http://127.0.0.1:1', 'sample = 0') })
  await (await sampled.call(wholePath(), ask())).text()
  await sampled.gateway.rest()
  const reloaded = sampled.gateway.log.lines().find(({ message }) => message === 'catalogue reloaded')
  expect(reloaded?.waiting_for_restart).toEqual(['telemetry.endpoint'])
  await sampled[Symbol.asyncDispose]()
  expect(collector.requests).toEqual([])
})

describe('a collector in trouble hurts no call and no stop', () => {
  test.each<[string, (() => Response) | undefined | 'down']>([
    ['that is down', 'down'],
    ['that answers 500', () => new Response('no', { status: 500 })],
    ['that never answers', undefined],
  ])('%s', async (_, trouble) => {
    await using collector = startCollector()
    if (trouble !== 'down') collector.setAnswer(trouble)
    const url = trouble === 'down' ? `http://127.0.0.1:${freePort()}` : collector.url
    const troubled = await scene({ more: telemetry(url), script: answering })
    for (let made = 0; made < 5; made++) expect((await troubled.call(wholePath(), ask())).status).toBe(200)
    const { calls } = await troubled.gateway.atRest()
    expect(calls.map(({ outcome }) => outcome)).toEqual(Array(5).fill('completed'))
    await troubled[Symbol.asyncDispose]()
    expect(troubled.gateway.log.lines().at(-1)?.message).toBe('stopped')
    expect(collector.spans).toEqual([])
  })
})

describe('dropped spans', () => {
  const facts = (): SpanFacts => ({ name: 'a call', attributes: {}, start_ms: 1, end_ms: 2, is_error: false })
  const open = async (endpoint: string, options: { every_ms?: number; send_timeout_ms?: number } = {}) => {
    const memory = memoryLog()
    const common = {
      headers: {},
      service_name: 'tollgate',
      version: '1',
      log: memory.log,
      send_timeout_ms: 200,
    }
    const spans = await openSpans({ endpoint: `${endpoint}/v1/traces`, ...common, every_ms: 1, ...options })
    return { spans, memory }
  }
  const troubles = (memory: ReturnType<typeof memoryLog>) =>
    memory.lines().filter(({ message }) => message.includes('collector'))

  test('are counted and logged once, and the log says when spans are accepted again', async () => {
    await using collector = startCollector()
    collector.setAnswer(() => new Response('no', { status: 500 }))
    const { spans, memory } = await open(collector.url)
    for (let batch = 1; batch <= 3; batch++) {
      spans.record(facts)
      await collector.waitForRequests(batch)
      await eventually('nothing waits', () => spans.counts.waiting === 0)
    }
    expect(spans.counts).toEqual({ sent: 0, dropped: 3, waiting: 0 })
    expect(troubles(memory).map(({ level }) => level)).toEqual(['warn'])
    collector.setAnswer(() => Response.json({}))
    spans.record(facts)
    await collector.waitForSpans(1)
    await spans.close()
    expect(spans.counts).toEqual({ sent: 1, dropped: 3, waiting: 0 })
    expect(troubles(memory).map(({ level }) => level)).toEqual(['warn', 'info'])
  })

  test('are counted without a listening collector, too', async () => {
    const { spans, memory } = await open(`http://127.0.0.1:${freePort()}`)
    spans.record(facts)
    await eventually('nothing waits', () => spans.counts.waiting === 0)
    expect(spans.counts).toEqual({ sent: 0, dropped: 1, waiting: 0 })
    expect(troubles(memory).length).toBe(1)
    await spans.close()
  })

  test('are dropped before they are made, beyond 2,048 that wait', async () => {
    await using collector = startCollector()
    const { spans } = await open(collector.url, { every_ms: 60_000, send_timeout_ms: 5_000 })
    let made = 0
    const count = () => {
      made++
      return facts()
    }
    for (let recorded = 0; recorded < 3_000; recorded++) spans.record(count)
    expect(made).toBe(0)
    expect(spans.counts).toEqual({ sent: 0, dropped: 952, waiting: 2_048 })
    await spans.close()
    expect([made, collector.spans.length, spans.counts.sent]).toEqual([2_048, 2_048, 2_048])
  })

  test('include one that cannot be made, which is logged; later ones are sent', async () => {
    await using collector = startCollector()
    const { spans, memory } = await open(collector.url, { every_ms: 60_000 })
    spans.record(() => {
      throw new TypeError('a record that nobody foresaw')
    })
    spans.record(facts)
    await spans.close()
    expect(spans.counts).toEqual({ sent: 1, dropped: 1, waiting: 0 })
    expect(memory.lines().map(({ level, message }) => [level, message])).toEqual([
      ['error', 'a span could not be made, and is dropped: a fault of the gateway'],
    ])
  })

  test('hold up no stop', async () => {
    await using collector = startCollector()
    collector.setAnswer(undefined)
    const { spans, memory } = await open(collector.url, { every_ms: 60_000, send_timeout_ms: 60_000 })
    spans.record(facts)
    await spans.close()
    expect(spans.counts.waiting).toBe(1)
    expect(troubles(memory).at(-1)?.message).toContain('did not accept the last spans in time')
  })
})
