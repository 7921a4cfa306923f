// spec.md, Token billing (native generation): the cost of each usage field, to the nano-dollar, whole and streamed.
import { beforeEach, describe, expect, test } from 'bun:test'
import type { Account, Call, Entry } from '../../src/store/schema.ts'
import { lines } from '../protocols/gemini/recordings.ts'
import { catalogueOf, MODEL, PROVIDER, THINKING, TIERED } from '../support/catalogue.ts'
import { answer, arrayPath, ask, piece, streamPath, usage, wholePath } from '../support/native.ts'
import { fileScene } from '../support/scene.ts'
import { modelSection, providerSection } from '../support/sections.ts'
import { events, heldBack, refusal, whole } from '../support/upstream.ts'

const { gateway, upstream, call, lastCall, recatalogue } = await fileScene()
beforeEach(() => recatalogue())

/** The payer: the scene's caller. */
function account() {
  const found = gateway.db.query<Account, []>('SELECT * FROM accounts ORDER BY id LIMIT 1').get()
  if (!found) throw new Error('there is no account')
  return found
}
const entriesAfter = (id: number) =>
  gateway.db.query<Entry, [number]>('SELECT * FROM entries WHERE id > ? ORDER BY id').all(id)
const lastEntry = () =>
  gateway.db.query<{ id: number | null }, []>('SELECT max(id) AS id FROM entries').get()?.id ?? 0
const balance = () => account().balance_nanos

/** Makes a call; asserts that the balance, the entry and the record agree on its cost, and that nothing is held. */
async function charged(path: string): Promise<Call> {
  const before = balance()
  const last_entry = lastEntry()
  const response = await call(path, ask())
  expect(response.status).toBe(200)
  await response.text()
  const paid = await lastCall()
  const written = entriesAfter(last_entry)
  expect(written.map(({ kind, amount_nanos, call_id }) => [kind, amount_nanos, call_id])).toEqual(
    written.length === 0 ? [] : [['charge', -paid.cost_nanos || 0, paid.id]],
  )
  expect(before - balance()).toBe(paid.cost_nanos)
  expect(paid.unpaid_nanos).toBe(0)
  return paid
}

test('a free model holds nothing, and serves a caller without balance', async () => {
  const free = modelSection('free', { [PROVIDER]: 'upstream-free' }, { price: 'input = 0, output = 0' })
  await recatalogue({ more: free })
  upstream.answer(whole(answer()))
  const response = await call(wholePath('free'), ask(), { key: await gateway.caller('0') })
  expect(response.status).toBe(200)
  expect(await lastCall()).toMatchObject({ hold_nanos: 0, cost_nanos: 0, input_tokens: 10 })
})

test("a hold for another protocol's provider covers the cache writes that it may charge", async () => {
  const price = { price: 'input = 8, cache_write_5m = 10, cache_write_1h = 16, output = 0' }
  const claude = providerSection('claude', 'anthropic', upstream.url)
  const own = modelSection('own', { [PROVIDER]: 'gemini' }, price)
  const translated = modelSection('translated', { claude: 'claude-sonnet-5' }, price)
  await recatalogue({ more: claude + own + translated })
  upstream.answer(refusal(400))
  const held = async (model: string) => {
    await call(wholePath(model), ask('Hello. '.repeat(1_000)))
    return (await lastCall()).hold_nanos
  }
  const own_nanos = await held('own')
  expect(own_nanos).toBeGreaterThan(0)
  expect(await held('translated')).toBe((own_nanos / 8) * 10)
})

test.each([
  [200, 0],
  [201, 1],
])('of two candidates of 100 tokens at most, %i together are estimated: %i', async (tokens, estimated) => {
  upstream.answer(whole(answer('Hello.', usage(10, tokens))))
  const generationConfig = { candidateCount: 2, maxOutputTokens: 100 }
  expect((await call(wholePath(), ask('Say hello.', { generationConfig }))).status).toBe(200)
  expect((await lastCall()).estimated).toBe(estimated)
})

const details = (modality: string, tokenCount: number) => [{ modality, tokenCount }]

/** The provider's report, and its cost in nano-dollars. */
type Bill = readonly [name: string, report: object, cost_nanos: number]
const bills = (model: string, rows: readonly Bill[]) => rows.map((row) => [model, ...row] as const)
const BILLS: readonly (readonly [model: string, ...Bill])[] = [
  ...bills(MODEL, [
    ['promptTokenCount | model input price', usage(1_234, 0), 1_234 * 1_000],
    ['candidatesTokenCount | model output price (visible output)', usage(0, 77), 77 * 4_000],
    ['both', usage(1_234, 77), 1_234 * 1_000 + 77 * 4_000],
    [
      'thoughtsTokenCount | model output price (reasoning counts as output)',
      usage(10, 5, { thoughtsTokenCount: 300 }),
      10 * 1_000 + 305 * 4_000,
    ],
    [
      'thinking only: "reasoning can exhaust maxOutputTokens"',
      { promptTokenCount: 10, thoughtsTokenCount: 300, totalTokenCount: 310 },
      10 * 1_000 + 300 * 4_000,
    ],
    [
      'cachedContentTokenCount | cache-read price',
      usage(1_000, 5, { cachedContentTokenCount: 900 }),
      100 * 1_000 + 900 * 100 + 5 * 4_000,
    ],
    ['all of the prompt cached', usage(1_000, 0, { cachedContentTokenCount: 1_000 }), 1_000 * 100],
    [
      'promptTokensDetails with modality IMAGE | input price (same as text)',
      usage(1_290, 5, { promptTokensDetails: [...details('TEXT', 1_032), ...details('IMAGE', 258)] }),
      1_290 * 1_000 + 5 * 4_000,
    ],
    [
      'candidatesTokensDetails with modality IMAGE at the image rate',
      usage(10, 1_300, { candidatesTokensDetails: [...details('TEXT', 10), ...details('IMAGE', 1_290)] }),
      10 * 1_000 + 10 * 4_000 + 1_290 * 30_000,
    ],
    [
      'toolUsePromptTokenCount, on top of the prompt, at the input price',
      usage(10, 5, { toolUsePromptTokenCount: 40 }),
      50 * 1_000 + 5 * 4_000,
    ],
    [
      'all of it at once',
      usage(2_000, 100, {
        cachedContentTokenCount: 500,
        thoughtsTokenCount: 30,
        toolUsePromptTokenCount: 7,
        candidatesTokensDetails: details('IMAGE', 60),
      }),
      1_507 * 1_000 + 500 * 100 + 70 * 4_000 + 60 * 30_000,
    ],
    ['counts written as strings, as int64 is', { promptTokenCount: '10', candidatesTokenCount: '5' }, 30_000],
    ['a total that is not the sum decides nothing', { ...usage(10, 5), totalTokenCount: 999_999 }, 30_000],
  ]),
  ...bills(THINKING, [
    [
      'thoughtsTokenCount at a rate of its own, where the price has one',
      usage(10, 5, { thoughtsTokenCount: 300 }),
      10 * 1_000 + 5 * 4_000 + 300 * 3_000,
    ],
    [
      'cached tokens at a tenth of input, where the price has no rate for them',
      usage(1_000, 0, { cachedContentTokenCount: 1_000 }),
      1_000 * 100,
    ],
    [
      'promptTokensDetails with modality AUDIO at a rate of its own',
      usage(150, 0, { promptTokensDetails: [...details('TEXT', 50), ...details('AUDIO', 100)] }),
      50 * 1_000 + 100 * 5_000,
    ],
  ]),
  ...bills(TIERED, [
    ['a prompt at the limit of a tier pays the tier below', usage(1_000, 10), 1_000 * 1_000 + 10 * 4_000],
    [
      'one token more pays the dearer tier, for all input and output',
      usage(1_001, 10),
      1_001 * 2_000 + 10 * 8_000,
    ],
    [
      'cached tokens count for the tier',
      usage(1_001, 10, { cachedContentTokenCount: 1_000 }),
      1 * 2_000 + 1_000 * 200 + 10 * 8_000,
    ],
    ['output does not count for the tier', usage(10, 5_000), 10 * 1_000 + 5_000 * 4_000],
  ]),
]

const HOW: [string, (model: string) => string, (report: object) => void][] = [
  ['whole', wholePath, (report) => upstream.answer(whole(answer('x', report)))],
  ['streamed', streamPath, (report) => upstream.answer(events([answer('x', report)]))],
  ['streamed as an array', arrayPath, (report) => upstream.answer(events([answer('x', report)]))],
]

describe('"usageMetadata field | Billing rate"', () => {
  test.each(BILLS.flatMap((bill) => HOW.map((how) => [bill[1], how[0], bill, how] as const)))(
    '%s (%s)',
    async (_, __, [model, , report, cost_nanos], [, path, script]) => {
      script(report)
      const paid = { cost_nanos, estimated: 0, outcome: 'completed', status: 200, model }
      expect(await charged(path(model))).toMatchObject(paid)
    },
  )

  test('the usage is recorded, each token in one column', async () => {
    const report = usage(2_000, 100, { cachedContentTokenCount: 500, thoughtsTokenCount: 30 })
    upstream.answer(whole(answer('x', report)))
    expect(await charged(wholePath())).toMatchObject({
      input_tokens: 1_500,
      cache_read_tokens: 500,
      output_tokens: 100,
      thinking_tokens: 30,
      cache_write_5m_tokens: 0,
      input_audio_tokens: 0,
      output_image_tokens: 0,
      images: 0,
      surface: 'native',
      provider: PROVIDER,
    })
  })
})

describe('recorded answers of the provider', () => {
  const RECORDED: [string, string, number][] = [
    ['stream-text', MODEL, 9 * 1_000 + 24 * 4_000],
    ['stream-thinking', MODEL, 13 * 1_000 + (11 + 192) * 4_000],
    ['stream-thinking-exhausted', MODEL, 13 * 1_000 + 63 * 4_000],
    ['stream-function-call', MODEL, 84 * 1_000 + (16 + 58) * 4_000],
    ['stream-cached', MODEL, 29 * 1_000 + 10_183 * 100 + 6 * 4_000],
    ['stream-image', MODEL, 198 * 1_000 + 18 * 4_000 + 1_290 * 30_000],
    ['stream-prompt-blocked', MODEL, 23 * 1_000],
    ['stream-safety-finish', MODEL, 18 * 1_000 + 3 * 4_000],
    ['stream-usage-at-end', MODEL, 399 * 1_000 + 17 * 4_000],
    // Of the 1,280 audio tokens 400 came from the cache, of the 32 text tokens 2; tool use adds 90.
    ['stream-audio-input', THINKING, 880 * 5_000 + (30 + 90) * 1_000 + 402 * 100 + 6 * 4_000 + 41 * 3_000],
  ]
  test.each(RECORDED)('%s', async (name, model, cost_nanos) => {
    upstream.answer(events(lines(name)))
    expect(await charged(streamPath(model))).toMatchObject({ cost_nanos, estimated: 0, outcome: 'completed' })
  })

  test('whole-text', async () => {
    upstream.answer(whole(lines('whole-text')[0] ?? ''))
    expect(await charged(wholePath())).toMatchObject({ cost_nanos: 8 * 1_000 + 3 * 4_000, estimated: 0 })
  })
})

describe('a fraction of a nano-dollar', () => {
  const priced = (input: string) =>
    recatalogue({
      more: modelSection('odd', { [PROVIDER]: 'x' }, { price: `input = ${input}, output = 0` }),
    })
  test.each([
    ['0.0000001', 1, 1],
    ['0.0000001', 10_000, 1],
    ['0.0000001', 10_001, 2],
    ['0.123456789', 1, 124],
    ['0.123456789', 1_000_000, 123_456_789],
    ['0', 1_000_000, 0],
  ])(
    'is rounded up once a call: at %s USD a million, %i tokens cost %i nano-dollars',
    async (input, tokens, cost) => {
      await priced(input)
      upstream.answer(whole(answer('x', usage(tokens, 1_000))))
      expect(await charged(wholePath('odd'))).toMatchObject({ cost_nanos: cost })
    },
  )
})

describe('"the last usageMetadata of a stream wins"', () => {
  test.each([
    ['counts that grow', [usage(10, 1), usage(10, 3), usage(10, 5)], 30_000],
    ['counts that shrink', [usage(10, 500), usage(10, 5)], 30_000],
    ['a report in an event without text', [undefined, undefined, usage(10, 5)], 30_000],
    ['only a first report', [usage(10, 5), undefined, undefined], 30_000],
    ['null is no report', [usage(10, 5), null], 30_000],
  ])('%s', async (_, reports, cost_nanos) => {
    const parts = reports.map((usageMetadata, index) => ({
      ...(index === reports.length - 1 ? answer('x', undefined) : piece('x')),
      ...(usageMetadata === undefined ? {} : { usageMetadata }),
    }))
    upstream.answer(events(parts.map(({ ...part }) => part)))
    expect(await charged(streamPath())).toMatchObject({ cost_nanos, estimated: 0, streamed: 1 })
  })

  test('a report after the finish reason counts', async () => {
    upstream.answer(events([answer('x', undefined), { candidates: [], usageMetadata: usage(10, 5) }]))
    expect(await charged(streamPath())).toMatchObject({ cost_nanos: 30_000, estimated: 0 })
  })
})

describe('"Usage absent is not usage zero: absent is estimated, zero is zero"', () => {
  const text = 'A plain sentence of some length, so that there is something to estimate.'
  const without = { candidates: answer(text).candidates }

  test.each([
    ['whole', wholePath(), () => whole(without)],
    ['streamed', streamPath(), () => events([without])],
  ])(
    'absent, %s: prompt and delivered output are estimated, and marked as estimated',
    async (_, path, script) => {
      upstream.answer(script())
      const call = await charged(path)
      expect(call).toMatchObject({ estimated: 1, outcome: 'completed', thinking_tokens: 0 })
      expect(call.input_tokens).toBeGreaterThan(0)
      expect(call.output_tokens).toBeWithin(text.length / 8, text.length)
      expect(call.cost_nanos).toBe(call.input_tokens * 1_000 + call.output_tokens * 4_000)
    },
  )

  test.each([
    ['whole', wholePath(), (report: object) => whole(answer(text, report))],
    ['streamed', streamPath(), (report: object) => events([answer(text, report)])],
  ])('zero, %s: costs nothing, however much was delivered', async (_, path, script) => {
    upstream.answer(script(usage(0, 0)))
    expect(await charged(path)).toMatchObject({ estimated: 0, cost_nanos: 0, outcome: 'completed' })
  })
})

describe('the price that was applied is stored with the call', () => {
  test('and stays the same when the catalogue changes', async () => {
    upstream.answer(whole(answer()))
    const before = await charged(wholePath())
    expect(JSON.parse(before.price)).toEqual({
      unit: 'token',
      above_tokens: 0,
      nanos_per_million_tokens: {
        input_tokens: 1_000_000_000,
        input_audio_tokens: 1_000_000_000,
        cache_read_tokens: 100_000_000,
        cache_write_5m_tokens: 1_250_000_000,
        cache_write_1h_tokens: 2_000_000_000,
        output_tokens: 4_000_000_000,
        thinking_tokens: 4_000_000_000,
        output_image_tokens: 30_000_000_000,
      },
    })
    const dearer = catalogueOf({ upstream_url: upstream.url }).replace(
      'input = 1, output = 4,',
      'input = 7, output = 9,',
    )
    await gateway.recatalogue(dearer)
    const after = await charged(wholePath())
    expect(after.cost_nanos).toBe(10 * 7_000 + 5 * 9_000)
    expect(gateway.rows().calls.find(({ id }) => id === before.id)).toEqual(before)
  })

  test('with its tier', async () => {
    upstream.answer(whole(answer('x', usage(1_001, 1))))
    const { price } = await charged(wholePath(TIERED))
    expect(JSON.parse(price)).toMatchObject({
      above_tokens: 1_000,
      nanos_per_million_tokens: { input_tokens: 2_000_000_000 },
    })
  })

  test('a call under way pays the price that it started with', async () => {
    const { script, received, release } = heldBack(whole(answer()))
    upstream.answer(script)
    const call = charged(wholePath())
    await received
    await gateway.recatalogue(
      catalogueOf({ upstream_url: upstream.url }).replaceAll('input = 1,', 'input = 500,'),
    )
    release()
    expect((await call).cost_nanos).toBe(30_000)
  })
})

test('"Billing is the same" for every key of an account: they share its balance', async () => {
  upstream.answer(whole(answer()))
  const before = balance()
  const other = await gateway.key(account().name)
  await (await call(wholePath(), ask(), { key: other })).text()
  expect(before - balance()).toBe(30_000)
  const spent = gateway.rows().keys.find(({ prefix }) => prefix === other.slice(0, 10))?.spent_nanos
  expect(spent).toBe(30_000)
})
