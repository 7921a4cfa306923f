// Price lists: LiteLLM's format, read exactly; the rate of each field; the entry of each route; refusals.
import { describe, expect, test } from 'bun:test'
import type { ListEntry } from '../../plugins/prices/list/entry.ts'
import { readPriceList } from '../../plugins/prices/list/list.ts'
import { listedNames, matcherOf, modelOf } from '../../plugins/prices/list/matches.ts'
import { mergePrice } from '../../plugins/prices/list/merge.ts'
import { planImport } from '../../plugins/prices/list/plan.ts'
import { type Kind, ratesOf } from '../../plugins/prices/list/rates.ts'
import { nanosOf, parseDecimal, timesRoundingUp } from '../../src/catalogue/decimal.ts'
import { priceListOf } from '../fixtures/price-list.ts'

const listOf = (entries: Record<string, object>) => readPriceList(JSON.stringify(entries))

/** One entry, from the text of its fields. */
function entryOf(fields: string, mode = 'chat'): ListEntry {
  const { entries } = readPriceList(
    `{"m":{"litellm_provider":"openai","mode":"${mode}"${fields && `,${fields}`}}}`,
  )
  const [entry] = entries
  if (!entry) throw new Error('the list has no entry')
  return entry
}

describe('a price per token is nano-dollars per million, exactly', () => {
  test.each([
    ['2.5e-07', 250_000_000, false],
    ['0.00000025', 250_000_000, false],
    ['2.5E-7', 250_000_000, false],
    ['1e-06', 1_000_000_000, false],
    ['0.1e-5', 1_000_000_000, false],
    ['1e-15', 1, false],
    // Finer than a nano-dollar: rounded up, and reported.
    ['1e-16', 1, true],
    ['1.55555555555e-07', 155_555_556, true],
    ['3.0000000000000004e-07', 300_000_001, true],
    ['0', 0, false],
    ['0.0', 0, false],
    ['0e-99', 0, false],
    ['1', 1_000_000_000_000_000, false],
  ])('%s', (text, nanos, rounded) => {
    expect(nanosOf(parseDecimal(text), 1_000_000)).toEqual({ nanos, rounded })
  })

  test.each([
    '',
    '-1',
    '-0.5e-7',
    'NaN',
    'Infinity',
    '1e400',
    '1e-100',
    '0x10',
    '1,5',
    ' 1',
    '.5',
    '5.',
    '1e',
    'true',
  ])('%j is not a number', (text) => expect(() => parseDecimal(text)).toThrow(RangeError))

  test('more than a safe integer is refused, not rounded', () => {
    expect(() => nanosOf(parseDecimal('10'), 1_000_000)).toThrow(RangeError)
    expect(() => timesRoundingUp(9_000_000_000_000_000, parseDecimal('1.2'))).toThrow(RangeError)
  })

  test.each([
    [1, '1.2', 2],
    [10, '1.2', 12],
    [155_555_556, '1.1', 171_111_112],
    [300_000_000, '1', 300_000_000],
    [3, '0.5', 2],
  ])('%d times %s is %d', (nanos, factor, product) => {
    expect(timesRoundingUp(nanos, parseDecimal(factor))).toBe(product)
  })
})

describe('a field of the list is a rate of ours', () => {
  const text = '"input_cost_per_token":1e-6,"output_cost_per_token":4e-6'
  const USD = 1_000_000_000
  const both = { input: USD, output: 4 * USD }
  const cases: [kind: Kind, mode: string, fields: string, price: object, rates: Record<string, number>][] = [
    ['text', 'chat', text, {}, both],
    ['text', 'responses', text, {}, both],
    ['text', 'completion', text, {}, both],
    ['text', 'chat', `${text},"cache_read_input_token_cost":"1e-7"`, {}, { ...both, cache_read: USD / 10 }],
    ['text', 'chat', `${text},"input_cost_per_token_cache_hit":2e-7`, {}, { ...both, cache_read: USD / 5 }],
    [
      'text',
      'chat',
      `${text},"cache_creation_input_token_cost":1.25e-6`,
      {},
      { ...both, cache_write_5m: 1.25 * USD },
    ],
    [
      'text',
      'chat',
      `${text},"cache_creation_input_token_cost_above_1hr":2e-6`,
      {},
      { ...both, cache_write_1h: 2 * USD },
    ],
    ['text', 'chat', `${text},"output_cost_per_reasoning_token":5e-6`, {}, { ...both, thinking: 5 * USD }],
    ['text', 'chat', `${text},"input_cost_per_audio_token":3e-6`, {}, { ...both, audio: 3 * USD }],
    [
      'text',
      'image_generation',
      `${text},"output_cost_per_image_token":3e-5`,
      {},
      { ...both, image_output: 30 * USD },
    ],
    // An input of 0 is free; for other rates 0 means that they are unknown, or not billed separately.
    [
      'text',
      'chat',
      '"input_cost_per_token":0,"output_cost_per_token":4e-6',
      {},
      { input: 0, output: 4 * USD },
    ],
    [
      'text',
      'chat',
      `${text},"cache_creation_input_token_cost":0.0,"output_cost_per_reasoning_token":0`,
      {},
      both,
    ],
    [
      'embedding',
      'embedding',
      '"input_cost_per_token":2e-8,"output_cost_per_token":0',
      {},
      { input: USD / 50 },
    ],
    ['image', 'image_generation', '"output_cost_per_image":0.04', {}, { per_image: USD / 25 }],
    ['image', 'image_generation', '"input_cost_per_image":0.04', {}, { per_image: USD / 25 }],
    ['image', 'chat', '"output_cost_per_image":0.039', {}, { per_image: 39_000_000 }],
    [
      'speech',
      'audio_speech',
      '"input_cost_per_character":1.5e-5',
      { per_million_characters: 1 },
      { per_million_characters: 15 * USD },
    ],
    [
      'transcription',
      'audio_transcription',
      '"input_cost_per_second":1e-4',
      { per_minute: 1 },
      { per_second: 100_000 },
    ],
    [
      'transcription',
      'audio_transcription',
      '"input_cost_per_second":0,"output_cost_per_second":1e-4',
      { per_second: 1 },
      { per_second: 100_000 },
    ],
    [
      'transcription',
      'audio_transcription',
      `${text},"input_cost_per_audio_token":6e-6`,
      { input: 1 },
      { ...both, audio: 6 * USD },
    ],
    ['moderation', 'moderation', '"input_cost_per_token":1e-7', { input: 0 }, { input: USD / 10 }],
    [
      'rerank',
      'rerank',
      '"input_cost_per_query":0.002,"input_cost_per_token":0',
      { per_thousand_searches: 2 },
      { per_search: 2_000_000 },
    ],
    // The same speech by the second and by the token: only as the model is billed, or it would be charged twice.
    [
      'speech',
      'audio_speech',
      `${text},"output_cost_per_second":0.00025`,
      { per_minute: 1 },
      { per_second: 250_000 },
    ],
    [
      'speech',
      'audio_speech',
      `"input_cost_per_token":1e-6,"output_cost_per_audio_token":1.2e-5,"output_cost_per_second":0.00025`,
      { input: 1, output: 2 },
      { input: USD, output: 12 * USD },
    ],
  ]
  test.each(cases)('%s, mode %s: %s', (kind, mode, fields, price, rates) => {
    const read = ratesOf(entryOf(fields, mode), kind, price)
    expect(read && Object.fromEntries(read.base)).toEqual(rates)
  })

  test.each<[kind: Kind, fields: string, price: object]>([
    ['text', '', {}],
    ['text', '"input_cost_per_token":1e-6', {}],
    ['text', '"input_cost_per_token":0.0,"output_cost_per_token":0.0', {}],
    ['text', '"tiered_pricing":[{"range":[0,32000],"input_cost_per_token":1e-6}]', {}],
    ['image', text, {}],
    ['image', '"output_cost_per_image":0', {}],
    ['transcription', '"input_cost_per_second":1e-4', { input: 1 }],
    ['rerank', '"input_cost_per_token":2e-8', { per_search: 1 }],
  ])('%s of %s has no price', (kind, fields, price) => {
    expect(ratesOf(entryOf(fields), kind, price)).toBeUndefined()
  })

  test('prices above a number of tokens are a tier, with all of its rates', () => {
    const fields = `${text},"input_cost_per_audio_token":3e-6,"cache_read_input_token_cost":1e-7,
      "input_cost_per_token_above_200k_tokens":2e-6,"cache_read_input_token_cost_above_200k_tokens":2e-7,
      "cache_creation_input_token_cost_above_1hr_above_200k_tokens":5e-6,
      "input_cost_per_token_above_128k_tokens":1.5e-6,"output_cost_per_token_above_128k_tokens":6e-6`
    const read = ratesOf(entryOf(fields), 'text', {})
    const tiers = read?.tiers.map(({ above, rates }) => ({ above, rates: Object.fromEntries(rates) }))
    expect(tiers).toEqual([
      { above: 128_000, rates: { input: 1.5 * USD, output: 6 * USD, audio: 3 * USD } },
      // A rate that the list lacks for large prompts is that of small ones.
      {
        above: 200_000,
        rates: {
          input: 2 * USD,
          output: 4 * USD,
          cache_read: USD / 5,
          cache_write_1h: 5 * USD,
          audio: 3 * USD,
        },
      },
    ])
  })

  describe('service tiers that the price names', () => {
    const tiered = `${text},"cache_read_input_token_cost":1e-7,"input_cost_per_token_above_272k_tokens":2e-6,
      "input_cost_per_token_priority":2e-6,"output_cost_per_token_priority":8e-6,"cache_read_input_token_cost_priority":3e-7,
      "input_cost_per_token_above_272k_tokens_priority":4e-6,"output_cost_per_image_priority":1,
      "input_cost_per_token_flex":5e-7,"output_cost_per_token_flex":2e-6,"output_cost_per_token_batches":1e-6`
    const plain = (price: object) => {
      const read = ratesOf(entryOf(tiered), 'text', price)
      return [...(read?.service_tiers ?? [])].map(([name, { base, tiers }]) => [
        name,
        Object.fromEntries(base),
        tiers.map(({ above, rates }) => ({ above, ...Object.fromEntries(rates) })),
      ])
    }
    const PRIORITY = { input: 2 * USD, output: 8 * USD, cache_read: (3 * USD) / 10 }
    const LARGE = { above: 272_000, input: 4 * USD, output: 8 * USD }
    test.each([
      ['no tier', {}, []],
      ['a tier that the list does not have', { service_tiers: { scale: 2 } }, []],
      ['priority', { service_tiers: { priority: 2 } }, [['priority', PRIORITY, [LARGE]]]],
      [
        'flex, without a cached rate of its own',
        { service_tiers: { flex: { input: 1, output: 1 } } },
        [['flex', { input: USD / 2, output: 2 * USD, cache_read: USD / 10 }, []]],
      ],
    ])('%s', (_, price, expected) => {
      expect(plain(price) as unknown).toEqual(expected)
    })
    test('fields of other tiers are reported as unmapped', () => {
      expect(ratesOf(entryOf(tiered), 'text', { service_tiers: { priority: 2 } })?.unmapped).toEqual([
        'output_cost_per_image_priority',
        'input_cost_per_token_flex',
        'output_cost_per_token_flex',
        'output_cost_per_token_batches',
      ])
    })

    const wanted = (price: object) => {
      const { base, tiers, service_tiers } = ratesOf(entryOf(tiered), 'text', price) ?? {}
      if (!base || !tiers || !service_tiers) throw new Error('no rates')
      return { base, tiers, service_tiers, lines: [] }
    }
    const own = { input: '1', output: '4', cache_read: '0.1' }
    test('own rates of a tier follow the list, and a multiplier stays, since its base changes', () => {
      const price = { ...own, service_tiers: { priority: { input: '9', output: '8' }, flex: 0.5, scale: 3 } }
      const { value, changes, kept } = mergePrice(price, wanted(price), 'text')
      expect(value.service_tiers).toEqual({
        priority: {
          input: '2.00',
          output: '8',
          cache_read: '0.30',
          tiers: [expect.objectContaining({ above: 272_000, input: '4.00' })],
        },
        flex: 0.5,
        scale: 3,
      } as never)
      expect(changes).toContainEqual({ rate: 'priority input', old_nanos: 9 * USD, new_nanos: 2 * USD })
      expect(kept).toEqual(['service tier flex', 'service tier scale'])
    })
    test('a cost without tiers gets those of the price', () => {
      const { value } = mergePrice(undefined, wanted({ service_tiers: { flex: 0.5 } }), 'text')
      expect(Object.keys(value.service_tiers ?? {})).toEqual(['flex'])
    })
    test('no tiers are added to a price without tiers', () => {
      expect(mergePrice(own, wanted(own), 'text').value).not.toHaveProperty('service_tiers')
    })
  })

  test('every field with money that is not a rate is reported, and no other', () => {
    const fields = `${text},"input_cost_per_token_batches":1e-7,"input_cost_per_token_priority":1e-5,"output_cost_per_token_flex":1e-6,
      "input_cost_per_image":0.001,"input_cost_per_video_per_second":0.1,"search_context_cost_per_query":{"a":1},"cache_read_input_audio_token_cost":1e-7,
      "provider_specific_entry":{"fast":6.0},"regional_processing_uplift_multiplier_eu":1.1,"max_tokens":100,"supports_vision":true,
      "output_cost_per_reasoning_token":0,"cache_read_input_token_cost":null,"source":"https://example.com"`
    expect(ratesOf(entryOf(fields), 'text', {})?.unmapped).toEqual([
      'input_cost_per_token_batches',
      'input_cost_per_token_priority',
      'output_cost_per_token_flex',
      'input_cost_per_image',
      'input_cost_per_video_per_second',
      'search_context_cost_per_query',
      'cache_read_input_audio_token_cost',
      'provider_specific_entry',
      'regional_processing_uplift_multiplier_eu',
      'output_cost_per_reasoning_token',
    ])
  })

  test.each([
    ['-1e-6', 'is not a decimal number'],
    ['"-1"', 'is not a decimal number'],
    ['"NaN"', 'is not a decimal number'],
    ['"free"', 'is not a decimal number'],
    ['1e400', 'is not a decimal number'],
    ['true', 'is not a decimal number'],
    ['{}', 'is not a decimal number'],
    ['[1e-6]', 'is not a decimal number'],
    ['2', 'is more than the catalogue takes'],
    ['1e50', 'more USD than can be counted'],
  ])('a price of %s is refused with its field', (value, message) => {
    const entry = entryOf(`"input_cost_per_token":${value},"output_cost_per_token":1e-6`)
    expect(() => ratesOf(entry, 'text', {})).toThrow(message)
    expect(() => ratesOf(entry, 'text', {})).toThrow('"m" in the list: input_cost_per_token')
  })
})

describe('a file that is not a list', () => {
  test.each([
    ['', 'not JSON'],
    ['model,input', 'not JSON'],
    ['{"a":NaN}', 'not JSON'],
    ['{"a":{"mode":"chat","litellm_provider":"openai","input_cost_per_token":.5}}', 'not JSON'],
    ['[]', 'not an object'],
    ['null', 'not an object'],
    ['"text"', 'not an object'],
    ['{}', 'no models'],
    ['{"sample_spec":{"mode":"chat","litellm_provider":"openai"}}', 'no models'],
    ['{"a":1,"b":null,"c":[],"d":{"mode":"chat"}}', 'no models'],
    ['['.repeat(200_000) + ']'.repeat(200_000), 'nested too deep'],
  ])('is refused: %.40s', (text, message) => {
    expect(() => readPriceList(text)).toThrow(message)
    expect(() => readPriceList(text)).toThrow('model_prices_and_context_window.json')
  })
})

test('a list of hundreds of models is read, and other entries are skipped', () => {
  const { entries, skipped } = readPriceList(priceListOf(400, 7, { broken: { mode: 'chat' } }))
  expect(skipped).toEqual(['sample_spec', 'broken'])
  expect(entries.length).toBeGreaterThan(400)
  for (const entry of entries.filter(({ mode }) => mode === 'chat'))
    expect(ratesOf(entry, 'text', {})?.base.size).toBeGreaterThanOrEqual(3)
})

describe('an entry is the route of a provider', () => {
  const chat = (litellm_provider: string, price = 1e-6) => ({
    litellm_provider,
    mode: 'chat',
    input_cost_per_token: price,
    output_cost_per_token: price,
  })
  const list = listOf({
    'gpt-x': chat('openai'),
    'azure/gpt-x': chat('azure', 2e-6),
    'gemini/flash': chat('gemini'),
    flash: chat('vertex_ai-language-models', 3e-6),
    'openrouter/acme/flash': chat('openrouter'),
    'claude-y': chat('anthropic'),
    'twice/claude-z': chat('twice'),
    'claude-z': chat('twice', 2e-6),
    'same/one': chat('same'),
    one: chat('same'),
    'only-groq': chat('groq'),
    'a-voice': { litellm_provider: 'openai', mode: 'audio_speech', input_cost_per_token: 1 },
  })
  const found = (base_url: string, model: string, { name = 'p', protocol = 'openai', from = '' } = {}) => {
    const match = matcherOf(list, from || undefined).match({ name, protocol, base_url }, model, 'text')
    return 'entry' in match ? match.entry.id : match
  }

  test.each([
    ['https://api.openai.com/v1', 'gpt-x', {}, 'gpt-x'],
    ['https://acme.openai.azure.com', 'gpt-x', {}, 'azure/gpt-x'],
    ['https://generativelanguage.googleapis.com', 'flash', { protocol: 'gemini' }, 'gemini/flash'],
    ['https://europe-west1-aiplatform.googleapis.com', 'flash', { protocol: 'gemini' }, 'flash'],
    ['https://openrouter.ai/api/v1', 'acme/flash', {}, 'openrouter/acme/flash'],
    ['https://api.anthropic.com', 'claude-y', { protocol: 'anthropic' }, 'claude-y'],
    // At an unknown address: by the provider's name, else by its protocol.
    ['https://llm.example', 'only-groq', { name: 'groq' }, 'only-groq'],
    ['https://llm.example', 'gpt-x', {}, 'gpt-x'],
    ['https://llm.example', 'flash', { protocol: 'gemini' }, 'gemini/flash'],
    ['https://llm.example', 'gpt-x', { from: 'azure' }, 'azure/gpt-x'],
    // Two equal entries are one.
    ['https://llm.example', 'one', { name: 'same' }, 'same/one'],
  ])('%s, %s, %j: %s', (base_url, model, options, id) => {
    expect(found(base_url, model, options)).toBe(id)
  })

  test.each([
    ['https://api.openai.com/v1', 'gpt-9', {}, 'not listed', []],
    ['https://api.openai.com/v1', 'a-voice', {}, 'not listed', []],
    // A known server does not sell at the prices of others.
    ['https://api.openai.com/v1', 'only-groq', {}, 'not listed', []],
    ['https://llm.example', 'flash', {}, 'ambiguous', ['gemini/flash', 'flash']],
    ['https://llm.example', 'claude-z', { name: 'twice' }, 'ambiguous', ['twice/claude-z', 'claude-z']],
    // An address that only looks like a known provider's.
    [
      'https://api.openai.com.evil.example',
      'flash',
      { protocol: 'acme' },
      'ambiguous',
      ['gemini/flash', 'flash'],
    ],
  ])('%s, %s, %j is not guessed: %s', (base_url, model, options, reason, entries) => {
    expect(found(base_url, model, options)).toEqual({ reason, entries } as never)
  })

  test.each([
    ['gemini/flash', 'gemini', 'flash'],
    ['vertex_ai/claude', 'vertex_ai-anthropic_models', 'claude'],
    ['bedrock/eu/claude', 'bedrock', 'eu/claude'],
    ['openai/gpt', 'groq', 'openai/gpt'],
    ['gemini/', 'gemini', ''],
    ['gpt', 'openai', 'gpt'],
  ])('%s of %s is %s', (id, provider, model) => {
    expect(modelOf({ id, provider, mode: 'chat', fields: new Map() })).toBe(model)
  })
})

describe('a known server is found by its names in the list, at any address and under any name', () => {
  const NAMES = [
    'azure',
    'azure_ai',
    'bedrock',
    'bedrock_converse',
    'mistral',
    'fireworks_ai',
    'together_ai',
    'openai',
    // The list's names of Gemini and Claude at Vertex AI.
    'vertex_ai-language-models',
    'vertex_ai-anthropic_models',
  ]
  const list = listOf(
    Object.fromEntries(
      NAMES.map((name, at) => [
        name === 'vertex_ai-language-models' ? 'flash' : `${name.replace(/-anthropic_models$/, '')}/m`,
        {
          litellm_provider: name,
          mode: 'chat',
          input_cost_per_token: (at + 1) / 1e6,
          output_cost_per_token: 1e-6,
        },
      ]),
    ),
  )
  test.each([
    [{ server: 'azure' }, ['azure/m']],
    [{ server: 'foundry' }, ['azure_ai/m']],
    [{ server: 'bedrock' }, ['bedrock/m', 'bedrock_converse/m']],
    [{ server: 'mistral' }, ['mistral/m']],
    [{ server: 'mistral', base_url: 'https://proxy.example/v1' }, ['mistral/m']],
    [{ server: 'fireworks' }, ['fireworks_ai/m']],
    [{ server: 'together' }, ['together_ai/m']],
    [{ server: 'vertex', protocol: 'anthropic' }, ['vertex_ai/m']],
    [{ server: 'vertex' }, ['flash']],
    [{ protocol: 'openai', base_url: 'https://acme.openai.azure.com/openai/v1' }, ['azure/m']],
  ])('%j: %j', (provider, ids) => {
    const model = ids.includes('flash') ? 'flash' : 'm'
    const match = matcherOf(list, undefined).match({ name: 'openai', ...provider }, model, 'text')
    expect('entry' in match ? [match.entry.id] : match.entries).toEqual(ids)
  })
})

describe('a route with a generation is found by that, too', () => {
  const AZURE = { name: 'p', server: 'azure' }
  test.each([
    [AZURE, { model: 'ours' }, ['ours']],
    [AZURE, { model: 'gpt-x', generation: 'gpt-y' }, ['gpt-y', 'gpt-x']],
    [{ name: 'p', server: 'foundry' }, { model: 'ours', generation: 'claude-y' }, ['claude-y', 'ours']],
    [{ name: 'p', server: 'groq' }, { model: 'acme/x', generation: 'x' }, ['acme/x', 'x']],
    [{ name: 'p', protocol: 'openai' }, { model: 'ours', generation: 'x' }, ['ours', 'x']],
    [{ name: 'p', server: 'openai' }, { model: 'ft:gpt-x:acme', generation: 'gpt-x' }, ['ft:gpt-x:acme']],
  ])('%j, %j: %j', (provider, route, names) => {
    expect(listedNames(provider, route)).toEqual(names)
  })

  const list = listOf({
    'azure/gpt-x': {
      litellm_provider: 'azure',
      mode: 'chat',
      input_cost_per_token: 1e-6,
      output_cost_per_token: 2e-6,
    },
    'azure/gpt-y': {
      litellm_provider: 'azure',
      mode: 'chat',
      input_cost_per_token: 3e-6,
      output_cost_per_token: 4e-6,
    },
  })
  test.each([
    [{ model: 'ours', generation: 'gpt-y' }, ['azure/gpt-y'], []],
    [{ model: 'gpt-x', generation: 'gpt-y' }, ['azure/gpt-y'], []],
    [{ model: 'gpt-x', generation: 'gpt-unlisted' }, ['azure/gpt-x'], []],
    [{ model: 'ours', generation: 'gpt-unlisted' }, [], ['not listed']],
    [{ model: 'ours' }, [], ['not listed']],
  ])('at Azure %j is %j', (route, used, left) => {
    const models = [
      { id: 'm', kind: 'text', price: { input: 1, output: 1 }, routes: [{ provider: 'p', ...route }] },
    ]
    const choice = { isModel: () => true, provider: undefined, from: undefined, markup: parseDecimal('1') }
    const plan = planImport({ providers: [AZURE], models }, list, choice)
    expect(plan.used.map(({ entry }) => entry)).toEqual(used)
    expect(plan.left.map(({ reason }) => reason)).toEqual(left as never)
  })

  const pictures = listOf({
    'azure/low/1024-x-1024/gpt-image-x': {
      litellm_provider: 'azure',
      mode: 'image_generation',
      input_cost_per_pixel: 1e-8,
    },
  })
  test.each([
    [{ model: 'ours', generation: 'gpt-image-x' }, ['lines of gpt-image-x']],
    [{ model: 'gpt-image-x' }, ['lines of gpt-image-x']],
    [{ model: 'ours' }, []],
  ])('at Azure, prices by image of %j are %j', (route, used) => {
    const models = [
      { id: 'm', kind: 'image', price: { per_image: 1 }, routes: [{ provider: 'p', ...route }] },
    ]
    const choice = { isModel: () => true, provider: undefined, from: undefined, markup: parseDecimal('1') }
    const plan = planImport({ providers: [AZURE], models }, pictures, choice)
    expect(plan.used.map(({ entry }) => entry)).toEqual(used)
  })
})
