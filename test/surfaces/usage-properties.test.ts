// silent.md, Usage that is billed: any usage, in any server's form, wherever it is reported, is charged so, and shown at the price of the charge.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Json, JsonObject } from '../../src/protocols/wire/json.ts'
import type { Call } from '../../src/store/schema.ts'
import { IS_LONG } from '../support/long.ts'
import { fileScene } from '../support/scene.ts'
import { providerSection } from '../support/sections.ts'
import { SEED } from '../support/seed.ts'
import { type FixtureProtocol, playedBy, requestTo, SURFACES, type Surface, usageIn } from './servers.ts'
import { anyUse, FORMS, type Form, HIDDEN, NOTHING, PRICE, priced, readAs, type Used } from './usage-forms.ts'

const PROTOCOLS: readonly FixtureProtocol[] = ['gemini', 'anthropic', 'openai', 'responses']
const CONTEXT = 200_000
/** The limit in `requestTo`. */
const LIMIT = 16_384

const modelSection = (protocol: FixtureProtocol): string => `
[[models]]
id = "${protocol}"
kind = "text"
price = { ${PRICE}, service_tiers = { priority = 2.0, flex = 0.5 } }
context = ${CONTEXT}
max_output_tokens = ${LIMIT}
routes = [{ provider = "${protocol}", model = "m"${protocol === 'responses' ? ', endpoint = "responses"' : ''} }]
`

const { gateway, upstream, call } = await fileScene({
  balance_usd: '1000000',
  catalogue: (url) =>
    [
      '[server]\nlog_level = "warn"',
      ...PROTOCOLS.map((protocol) =>
        providerSection(
          protocol,
          protocol === 'responses' ? 'openai' : protocol,
          url,
          `cooldown_ms = 0${protocol === 'responses' ? '\nresponses = true' : ''}`,
        ),
      ),
      ...PROTOCOLS.map(modelSection),
    ].join('\n'),
})

interface UsageAnswer {
  stream: boolean
  body?: JsonObject
  events?: JsonObject[]
}
/** Writes an answer that reports its usage. @param usages of a stream: at its beginning, in its middle and at its end */
type AnswerWriter = (usages: readonly (JsonObject | undefined)[], tier: Json) => UsageAnswer

const named = (name: string, value: Json | undefined): JsonObject =>
  value === undefined || value === null ? {} : { [name]: value }

const TEXT = 'An answer of some words.'
const RESPONSE = {
  id: 'resp_1',
  object: 'response',
  output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: TEXT }] }],
}

/** Whole where there is one usage, else streamed. */
const ANSWERS: Readonly<Record<FixtureProtocol, AnswerWriter>> = {
  gemini([first, middle, last], tier) {
    const event = (part: JsonObject, usage: JsonObject | undefined, end: JsonObject = {}) => ({
      candidates: [{ content: { role: 'model', parts: [part] }, index: 0, ...end }],
      ...named('usageMetadata', usage && { ...usage, ...named('serviceTier', tier) }),
    })
    const end = { finishReason: 'STOP' }
    if (last === undefined) return { stream: false, body: event({ text: TEXT }, first, end) }
    const events = [
      event({ text: 'An ' }, first),
      event({ text: TEXT }, middle),
      event({ text: '' }, last, end),
    ]
    return { stream: true, events }
  },
  anthropic([first, middle, last], tier) {
    const tiered = (usage: JsonObject | undefined) => usage && { ...usage, ...named('service_tier', tier) }
    const message = { type: 'message', role: 'assistant', stop_reason: 'end_turn' }
    if (last === undefined) {
      const body = { ...message, content: [{ type: 'text', text: TEXT }], ...named('usage', tiered(first)) }
      return { stream: false, body }
    }
    const events = [
      { type: 'message_start', message: { ...message, content: [], ...named('usage', tiered(first)) } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: TEXT } },
      { type: 'content_block_stop', index: 0 },
      ...(middle ? [{ type: 'message_delta', delta: {}, usage: middle }] : []),
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: tiered(last) ?? null },
      { type: 'message_stop' },
    ]
    return { stream: true, events }
  },
  openai([first, middle, last], tier) {
    const chunk = (choices: JsonObject[], usage: JsonObject | undefined) => ({
      choices,
      usage: usage ?? null,
      ...named('service_tier', tier),
    })
    const message = { role: 'assistant', content: TEXT }
    if (last === undefined)
      return { stream: false, body: chunk([{ index: 0, finish_reason: 'stop', message }], first) }
    const events = [
      chunk([{ index: 0, delta: { role: 'assistant', content: 'An ' } }], first),
      chunk([{ index: 0, delta: { content: TEXT } }], middle),
      chunk([{ index: 0, delta: {}, finish_reason: 'stop' }], middle),
      chunk([], last),
    ]
    return { stream: true, events }
  },
  responses([first, middle, last], tier) {
    const response = (status: string, usage: JsonObject | undefined) => ({
      ...RESPONSE,
      status,
      usage: usage ?? null,
      ...named('service_tier', tier),
    })
    if (last === undefined) return { stream: false, body: response('completed', first) }
    const delta = { type: 'response.output_text.delta', item_id: 'msg_1', output_index: 0, content_index: 0 }
    const events = [
      { type: 'response.created', response: { ...response('in_progress', first), output: [] } },
      { ...delta, delta: TEXT },
      { type: 'response.in_progress', response: { ...response('in_progress', middle), output: [] } },
      { type: 'response.completed', response: response('completed', last) },
    ]
    return { stream: true, events }
  },
}

const TIER_FIELD = {
  native: 'serviceTier',
  messages: 'service_tier',
  chat: 'service_tier',
  responses: 'service_tier',
  completions: 'service_tier',
}

async function play(
  protocol: FixtureProtocol,
  answer: UsageAnswer,
  surface: Surface = SURFACES[protocol].own,
  tier?: string,
): Promise<{ row: Call; text: string }> {
  upstream.answer(playedBy({ protocol, ...answer }))
  const { path, headers, body } = requestTo(surface, protocol, answer.stream)
  const request = tier === undefined ? body : { ...body, [TIER_FIELD[surface]]: tier }
  const response = await call(path, request, { form: 'x-api-key', headers })
  const text = await response.text()
  expect([response.status, response.status === 200 ? '' : text]).toEqual([200, ''])
  const row = gateway.db
    .query('SELECT * FROM calls WHERE request_id = ?')
    .get(response.headers.get('x-request-id') ?? '')
  return { row: row as Call, text }
}

/** The usage that a server may report when a part of the answer was written. */
const soFar = (used: Used, share: number): Used => ({
  ...used,
  visible: Math.ceil(used.visible * share),
  thought: Math.floor(used.thought * share),
})

const RUNS = { seed: SEED | 0, numRuns: IS_LONG ? 200 : 5 }

describe.each(Object.entries(FORMS))('%s', (_, form) => {
  const { protocol, fields, write } = form

  test('is charged by its own rule, reported whole, at last, cumulatively, or after zeros', async () => {
    await fc.assert(
      fc.asyncProperty(anyUse(fields), async (used) => {
        const usage = write(used)
        const reports = {
          whole: [usage],
          'at last': [undefined, undefined, usage],
          cumulative: [write(soFar(used, 0.1)), write(soFar(used, 0.6)), usage],
          'after zeros': [write(NOTHING), undefined, usage],
        }
        for (const [how, usages] of Object.entries(reports)) {
          const { row } = await play(protocol, ANSWERS[protocol](usages, null))
          const { cost_nanos, estimated } = row
          expect({ how, cost_nanos, estimated }).toEqual({ how, cost_nanos: priced(used), estimated: 0 })
        }
      }),
      RUNS,
    )
  })

  test('is shown to callers of every other protocol so that its price there is the charge', async () => {
    const { others } = SURFACES[protocol]
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...others), fc.boolean(), fc.gen(), async (surface, streams, any) => {
        const used = any(
          anyUse,
          fields.filter((field) => !HIDDEN[surface].includes(field)),
        )
        const usage = write(used)
        const answer = ANSWERS[protocol](streams ? [undefined, undefined, usage] : [usage], null)
        const { row, text } = await play(protocol, answer, surface)
        expect(row.cost_nanos).toBe(priced(used))
        expect(priced(readAs(surface, usageIn(text)))).toBe(row.cost_nanos)
      }),
      RUNS,
    )
  })
})

describe('any report at all, at any tier', () => {
  const counts = fc.oneof(
    { weight: 4, arbitrary: fc.integer({ min: 0, max: 3_000 }) },
    fc.integer({ min: 0, max: 3_000 }).map(String),
    fc.constantFrom<Json>(null, -1, 0.5, '-5', '1e9', 'many', true, [], {}, [7], 1e300, 2 ** 40, 3 * CONTEXT),
  )
  const tiers = fc.constantFrom<Json>(null, 'default', 'priority', 'PRIORITY', 'flex', 'ultra', 7, {}, [
    'flex',
  ])
  /** Any counts in the places of a form. */
  const distorted = (form: Form, any: fc.GeneratorValue): JsonObject => {
    const used = any(anyUse, form.fields)
    const distort = (value: Json): Json => {
      if (typeof value === 'number') return any(() => counts)
      if (Array.isArray(value)) return value.map(distort)
      if (value === null || typeof value !== 'object') return value
      return Object.fromEntries(Object.entries(value).map(([name, held]) => [name, distort(held)]))
    }
    return distort(form.write(used)) as JsonObject
  }
  const TIMES: Readonly<Record<string, readonly [bigint, bigint]>> = { priority: [2n, 1n], flex: [1n, 2n] }

  test.each(Object.entries(FORMS))(
    '%s: the charge exceeds neither the possible usage nor the requested tier',
    async (_, form) => {
      const { protocol } = form
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom(undefined, 'priority', 'flex'),
          tiers,
          fc.boolean(),
          fc.gen(),
          async (requested, served, streams, any) => {
            const usage = distorted(form, any)
            const answer = ANSWERS[protocol](streams ? [undefined, undefined, usage] : [usage], served)
            const { row } = await play(protocol, answer, SURFACES[protocol].own, requested)
            const used: Used = {
              ...NOTHING,
              plain: row.input_tokens,
              audio: row.input_audio_tokens,
              cached: row.cache_read_tokens,
              written_5m: row.cache_write_5m_tokens,
              written_1h: row.cache_write_1h_tokens,
              visible: row.output_tokens,
              thought: row.thinking_tokens,
              images: row.output_image_tokens,
            }
            for (const tokens of Object.values(used)) expect(tokens).toBeGreaterThanOrEqual(0)
            const { plain, audio, cached, written_5m, written_1h } = used
            expect(plain + audio + cached + written_5m + written_1h).toBeLessThanOrEqual(2 * CONTEXT)
            expect(used.visible + used.thought + used.images).toBeLessThanOrEqual(LIMIT)
            const times = TIMES[requested ?? '']
            expect(row.cost_nanos).toBeWithin(0, priced(used, times) + 1)
            // The lowest charge is that of flex, half of the standard one, or of a cheaper tier that was requested.
            expect(row.cost_nanos).toBeGreaterThanOrEqual(
              Math.min(priced(used, times), priced(used, TIMES.flex)),
            )
          },
        ),
        RUNS,
      )
    },
  )
})

test('a stream that reports zeros first, and nothing later, is charged by an estimate', async () => {
  for (const name of ['OpenAI', 'Gemini', 'Claude']) {
    const form = FORMS[name] as Form
    const zeros = form.write(NOTHING)
    const { row } = await play(form.protocol, ANSWERS[form.protocol]([zeros, undefined, {}], null))
    expect(row).toMatchObject({ estimated: 1, outcome: 'completed' })
    expect([row.input_tokens > 0, row.output_tokens > 0]).toEqual([true, true])
  }
})

test('the books balance after all of these calls', () => gateway.atRest())
