// Price lists over all known servers: each gets its own prices, none those of another seller, and entries that differ only by a zero are one.
import { describe, expect, test } from 'bun:test'
import { readPriceList } from '../../plugins/prices/list/list.ts'
import { planImport } from '../../plugins/prices/list/plan.ts'
import { parseDecimal } from '../../src/catalogue/decimal.ts'
import type { TomlTable } from '../../src/catalogue/toml.ts'
import { protocolsOf } from '../../src/domain/servers/lookup.ts'
import { KNOWN_SERVERS } from '../../src/domain/servers/table.ts'

interface Route {
  provider: Record<string, string>
  model: string
  price?: object
  from?: string
}

/** The result of an import for one route: the entry, or the reason without one; and the new rates of its cost. */
function importRoute(list: object, { provider, model, price = { input: 1, output: 1 }, from }: Route) {
  const catalogue = {
    providers: [{ name: 'p', resource: 'acme', region: 'eu-west-1', ...provider }],
    models: [{ id: 'm', kind: 'text', price, routes: [{ provider: 'p', model }] }],
  }
  const { used, left, changes } = planImport(
    catalogue as unknown as TomlTable,
    readPriceList(JSON.stringify(list)),
    { isModel: () => true, provider: undefined, from, markup: parseDecimal('1') },
  )
  const rates = changes.flatMap(({ cost_of, rate, new_nanos }) =>
    cost_of ? [[rate, new_nanos / 1e9] as const] : [],
  )
  return {
    entry: used[0]?.entry ?? left[0]?.reason,
    rates: Object.fromEntries(rates),
    unused: used[0]?.unmapped,
  }
}

const chat = (litellm_provider: string, input: number, more: object = {}) => ({
  litellm_provider,
  mode: 'chat',
  input_cost_per_token: input,
  output_cost_per_token: 2 * input,
  ...more,
})

describe.each([...KNOWN_SERVERS])('the server %s', (server, row) => {
  const foreign = { 'a-stranger/m': chat('a-stranger', 9e-6) }
  test.each(row.price_names.flatMap((name) => protocolsOf(row).map((protocol) => [name, protocol] as const)))(
    'has the prices that the list calls %s, in %s',
    (name, protocol) => {
      const list = { ...foreign, [`${name}/m`]: chat(name, 1e-6) }
      const route = { provider: { server, protocol }, model: 'm' }
      expect(importRoute(list, route)).toMatchObject({ entry: `${name}/m`, rates: { input: 1, output: 2 } })
      expect(importRoute(list, { ...route, from: server }).entry).toBe(`${name}/m`)
    },
  )

  test('is not offered the prices of another seller', () => {
    expect(importRoute(foreign, { provider: { server }, model: 'm' }).entry).toBe('not listed')
  })
})

/** In the form of litellm 1.110.2 (PyPI), model_prices_and_context_window_backup.json; the figures are made up. */
const TWICE = {
  'deepseek-chat': chat('deepseek', 2e-7, { cache_read_input_token_cost: 2e-8 }),
  'deepseek/deepseek-chat': chat('deepseek', 2e-7, {
    cache_creation_input_token_cost: 0,
    cache_read_input_token_cost: 2e-8,
    input_cost_per_token_cache_hit: 2e-8,
  }),
  'gemini-x': chat('vertex_ai-language-models', 5e-7, { output_cost_per_reasoning_token: 1e-6 }),
  'vertex_ai/gemini-x': chat('vertex_ai', 5e-7),
  'gemini/exp': chat('gemini', 0),
  exp: chat('gemini', 3e-7),
  'bedrock/kimi': chat('bedrock', 6e-7),
  'bedrock_mantle/kimi': chat('bedrock_mantle', 6e-7, {
    input_cost_per_token_priority: 9e-7,
    output_cost_per_token_priority: 18e-7,
  }),
  'bedrock_mantle/gpt': chat('bedrock_mantle', 2.2e-6),
  gpt: chat('bedrock_converse', 2e-6),
  'groq/a': chat('groq', 1e-6, { cache_read_input_token_cost: 1e-7 }),
  a: chat('groq', 1e-6, { output_cost_per_reasoning_token: 3e-6 }),
}

describe('a model that the list has twice', () => {
  test.each<[string, Route, string, object]>([
    [
      'with a zero in one entry',
      { provider: { server: 'deepseek' }, model: 'deepseek-chat' },
      'deepseek-chat',
      { cache_read: 0.02 },
    ],
    [
      'without a rate in one entry',
      { provider: { server: 'vertex' }, model: 'gemini-x' },
      'gemini-x',
      { thinking: 1 },
    ],
    ['for free in one entry', { provider: { server: 'google' }, model: 'exp' }, 'exp', { input: 0.3 }],
    [
      'with a tier that its price does not name',
      { provider: { server: 'bedrock' }, model: 'kimi' },
      'bedrock/kimi',
      {},
    ],
    [
      'with a tier that its price names',
      {
        provider: { server: 'bedrock' },
        model: 'kimi',
        price: { input: 1, output: 1, service_tiers: { priority: { input: 2, output: 2 } } },
      },
      'bedrock_mantle/kimi',
      {},
    ],
    [
      'at two prices of which one is chosen',
      { provider: { server: 'bedrock' }, model: 'gpt', from: 'bedrock_mantle' },
      'bedrock_mantle/gpt',
      { input: 2.2 },
    ],
  ])('%s has one price', (_, route, entry, rates) => {
    expect(importRoute(TWICE, route)).toMatchObject({ entry, rates })
  })

  test.each<[string, Route]>([
    ['at two prices', { provider: { server: 'bedrock' }, model: 'gpt' }],
    ['with a rate missing in each entry', { provider: { server: 'groq' }, model: 'a' }],
  ])('%s is not guessed', (_, route) => {
    expect(importRoute(TWICE, route).entry).toBe('ambiguous')
  })
})

/** In the form of https://openrouter.ai/api/v1/models, by @openrouter/sdk `PublicPricing`; the figures are made up. */
const OPENROUTER = {
  data: [
    {
      id: 'acme/flash',
      architecture: { output_modalities: ['text'] },
      expiration_date: '2027-02-01',
      pricing: {
        prompt: '0.000001',
        completion: '0.000004',
        request: '0',
        image: '0.001',
        web_search: '0.005',
        input_cache_read: '0.0000001',
        input_cache_write: '0.00000125',
        input_cache_write_1h: '0.000002',
        internal_reasoning: '0.000005',
        overrides: [
          { min_prompt_tokens: 200000, prompt: '0.000002', completion: '0.000006' },
          { utc_start: 100, utc_end: 400, prompt: '0.0000005' },
        ],
      },
    },
    { id: 'acme/flash:free', pricing: { prompt: '0', completion: '0' } },
    { id: 'openrouter/auto', pricing: { prompt: '-1', completion: '-1' } },
    { id: 'acme/new' },
    'no model',
  ],
}

describe("OpenRouter's own list", () => {
  const provider = { server: 'openrouter' }

  test('prices its routes, tiers by the prompt included, and reports unused fields', () => {
    const { entry, rates, unused } = importRoute(OPENROUTER, {
      provider,
      model: 'acme/flash',
      from: 'openrouter',
    })
    expect(entry).toBe('openrouter/acme/flash')
    expect(rates).toMatchObject({
      input: 1,
      output: 4,
      cache_read: 0.1,
      cache_write_5m: 1.25,
      cache_write_1h: 2,
      thinking: 5,
      'input >200k': 2,
      'output >200k': 6,
    })
    expect(unused).toEqual([
      'pricing.image',
      'pricing.web_search',
      'pricing.overrides.utc_start',
      'pricing.overrides.utc_end',
      'pricing.overrides.prompt',
    ])
  })

  test.each([
    ['a free model has no price', 'acme/flash:free', 'no price'],
    ['a router has no price of its own', 'openrouter/auto', 'not listed'],
    ['a model without prices is left out', 'acme/new', 'not listed'],
  ])('%s', (_, model, reason) => {
    expect(importRoute(OPENROUTER, { provider, model }).entry).toBe(reason)
  })

  test('is refused without models', () => {
    expect(() => readPriceList('{"data":[]}')).toThrow('OpenRouter')
    expect(() => readPriceList('{"data":7}')).toThrow('is not a price list')
  })
})
