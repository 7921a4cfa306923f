// Models of LiteLLM's configuration in the catalogue: routes, weights, fallbacks, aliases, wildcards, sizes and prices.
import { describe, expect, test } from 'bun:test'
import { moveIn, oneModel, onlyModel, reasonsOf } from './opened.ts'

const entry = (name: string, params: string, info = '{}') =>
  `  - {model_name: "${name}", litellm_params: {${params}}, model_info: ${info}}\n`

const TWO = 'model: gpt-4o, api_key: os.environ/ONE'
const OTHER = 'model: gpt-4o, api_key: os.environ/TWO'

describe('deployments of one name are routes, shared by', () => {
  // Parameters of the first and the second, [order, weight] of their routes.
  test.each([
    ['', '', [0, 1], [0, 1]],
    ['weight: 0.75', 'weight: 0.25', [0, 3], [0, 1]],
    ['weight: 9', 'weight: 1', [0, 9], [0, 1]],
    ['rpm: 900', 'rpm: 600', [0, 3], [0, 2]],
    ['tpm: 100000', 'tpm: 300000', [0, 1], [0, 3]],
    ['weight: 1, rpm: 900', 'weight: 1, rpm: 1', [0, 1], [0, 1]],
    ['order: 1', 'order: 2', [0, 1], [1, 1]],
    ['order: 5', '', [0, 1], [1, 1]],
    // LiteLLM never picks a weight of 0: the route is tried if the other fails.
    ['weight: 1', 'weight: 0', [0, 1], [1, 1]],
  ])('%p and %p', async (one, other, first, second) => {
    const config = `model_list:\n${entry('m', `${TWO}, ${one}`)}${entry('m', `${OTHER}, ${other}`)}`
    const [model, ...more] = (await moveIn(config)).models
    expect(more).toEqual([])
    expect(model?.routes.map(({ order, weight }) => [order, weight])).toEqual([first, second])
  })
})

test('the same deployment twice is one route with both shares', async () => {
  const config = `model_list:\n${entry('m', TWO)}${entry('m', TWO)}${entry('m', OTHER)}`
  const [model] = (await moveIn(config)).models
  expect(model?.routes.map(({ provider, weight }) => [provider, weight])).toEqual([
    ['openai', 2],
    ['openai-2', 1],
  ])
})

describe('the price of', () => {
  // litellm_params, model_info, the price and the route's cost where it differs.
  test.each([
    ['model: gpt-4o', '{}', { input: '2.50', output: '10.00', cache_read: '1.25' }],
    [
      'model: azure/x, api_base: "https://a.openai.azure.com"',
      '{base_model: azure/gpt-4o}',
      { input: '2.75', output: '11.00' },
    ],
    ['model: openai/x', '{base_model: gpt-4o-mini}', { input: '0.15', output: '0.60' }],
    [
      'model: gpt-4o, input_cost_per_token: 1.0e-06',
      '{}',
      { input: '1.00', output: '10.00', cache_read: '1.25' },
    ],
    [
      'model: openai/x',
      '{input_cost_per_token: 0.000000075, output_cost_per_token: "3e-07"}',
      { input: '0.075', output: '0.30' },
    ],
    ['model: openai/x', '{input_cost_per_token: 1e-06}', { input: '1.00', output: '0.00' }],
    [
      'model: openai/x',
      '{input_cost_per_token: 0, output_cost_per_token: 0}',
      { input: '0.00', output: '0.00' },
    ],
    [
      'model: gpt-4o, input_cost_per_token: 0, output_cost_per_token: 0.0',
      '{}',
      { input: '0.00', output: '0.00' },
    ],
    [
      'model: gemini/gemini-2.5-pro',
      '{}',
      { input: '1.25', output: '10.00', tiers: [{ above: 200_000, input: '2.50', output: '15.00' }] },
    ],
    [
      'model: bedrock/us-east-1/anthropic.claude-3-5-sonnet-20240620-v1:0',
      '{}',
      { input: '3.00', output: '15.00' },
    ],
    ['model: text-embedding-3-small', '{}', { input: '0.02' }],
    ['model: whisper-1', '{}', { per_second: '0.0001' }],
    ['model: tts-1', '{}', { per_million_characters: '15.00' }],
    ['model: cohere/rerank-v3.5', '{}', { per_search: '0.002' }],
    ['model: openai/omni-moderation-latest', '{}', { input: '0.00' }],
    ['model: gpt-image-1', '{}', { input: '5.00', image_input: '10.00', image_output: '40.00' }],
    ['model: openai/drawing', '{mode: image_generation, output_cost_per_image: 0.04}', { per_image: '0.04' }],
  ])('%s %s', async (params, info, price) => {
    const all = await moveIn(oneModel(params, info))
    const { model } = onlyModel(all)
    expect(model.price).toEqual(price)
    expect(model.routes[0]?.cost).toEqual(price)
  })

  // Settings of LiteLLM, price, cost of gpt-4o-mini.
  test.each([
    [
      '{cost_margin_config: {global: 0.1}}',
      { input: '0.165', output: '0.66' },
      { input: '0.15', output: '0.60' },
    ],
    [
      '{cost_margin_config: {openai: 0.5, global: 0.1}}',
      { input: '0.225', output: '0.90' },
      { input: '0.15', output: '0.60' },
    ],
    [
      '{cost_margin_config: {anthropic: 0.5}}',
      { input: '0.15', output: '0.60' },
      { input: '0.15', output: '0.60' },
    ],
    [
      '{cost_discount_config: {openai: 0.05}}',
      { input: '0.1425', output: '0.57' },
      { input: '0.1425', output: '0.57' },
    ],
    [
      '{cost_margin_config: {openai: {percentage: 0.1, fixed_amount: 0.001}}}',
      { input: '0.165', output: '0.66', extras: { request: { per_request: '0.001' } } },
      { input: '0.15', output: '0.60' },
    ],
  ])('a model with %s', async (settings, price, cost) => {
    const { model } = onlyModel(
      await moveIn(oneModel('model: gpt-4o-mini', '{}', `litellm_settings: ${settings}`)),
    )
    expect({ price: model.price, cost: model.routes[0]?.cost }).toEqual({ price, cost })
  })

  test('deployments of different costs is that of the dearest, with a note', async () => {
    const config = `model_list:\n${entry('m', 'model: gpt-4o-mini')}${entry('m', 'model: gpt-4o')}`
    const [model] = (await moveIn(config)).models
    expect(model?.price).toEqual({ input: '2.50', output: '10.00', cache_read: '1.25' })
    expect(model?.notes.join()).toMatch(/the highest/)
  })
})

describe('a model is left out', () => {
  // litellm_params, model_info, the kind of its row and the reason.
  test.each([
    ['model: openai/unlisted', '{}', 'models', /no price. Write input_cost_per_token .* --prices/],
    [
      'model: openai/unlisted',
      '{input_cost_per_second: 0.0004}',
      'models',
      /no such price: input_cost_per_second/,
    ],
    [
      'model: openai/unlisted',
      '{input_cost_per_token: cheap}',
      'models',
      /input_cost_per_token is not an amount/,
    ],
    ['model: openai/unlisted', '{input_cost_per_token: -1.0e-06}', 'models', /not an amount/],
    ['model: sora-2, custom_llm_provider: openai', '{}', 'deployments', /mode "video_generation"/],
    ['model: gpt-4o', '{mode: realtime}', 'deployments', /mode "realtime"/],
  ])('%s %s', async (params, info, kind, reason) => {
    const all = await moveIn(oneModel(params, info))
    expect(all.models).toEqual([])
    expect(all.providers).toEqual([])
    expect(reasonsOf(all, kind).join()).toMatch(reason)
  })

  test('if a catalogue cannot have its name', async () => {
    const all = await moveIn(`model_list:\n${entry('mein Modell', TWO)}`)
    expect(all.models).toEqual([])
    expect(reasonsOf(all, 'models').join()).toMatch(/"mein Modell" has signs/)
  })

  test('without a deployment whose kind differs from the first of its name', async () => {
    const config = `model_list:\n${entry('m', 'model: gpt-4o')}${entry('m', 'model: text-embedding-3-small')}`
    const all = await moveIn(config)
    expect(all.models.map(({ fields, routes }) => [fields.kind, routes.length])).toEqual([['text', 1]])
    expect(reasonsOf(all, 'deployments').join()).toMatch(/Its kind is embedding/)
  })

  test('if there is neither a price list nor a price of its own', async () => {
    const config = `model_list:\n${entry('m', TWO)}${entry('own', OTHER, '{input_cost_per_token: 1e-06, output_cost_per_token: 2e-06}')}`
    const all = await moveIn(config, { prices: undefined })
    expect(all.models.map(({ id }) => id)).toEqual(['own'])
    expect(all.providers.map(({ name }) => name)).toEqual(['openai-2'])
  })
})

describe('sizes', () => {
  test.each([
    ['model: gpt-4o', '{}', { context: 128_000, max_output_tokens: 16_384 }],
    [
      'model: gpt-4o',
      '{max_input_tokens: 32000, max_output_tokens: 4096}',
      { context: 32_000, max_output_tokens: 4_096 },
    ],
    [
      'model: openai/x',
      '{input_cost_per_token: 0, max_input_tokens: 4096, max_tokens: 8192}',
      { context: 4_096, max_output_tokens: 4_096 },
    ],
    ['model: openai/x', '{input_cost_per_token: 0}', {}],
    // Below the catalogue's own limit of answers.
    [
      'model: openai/x',
      '{input_cost_per_token: 0, max_input_tokens: 2048}',
      { context: 2_048, max_output_tokens: 2_048 },
    ],
    ['model: openai/x', '{input_cost_per_token: 0, max_input_tokens: 32000}', { context: 32_000 }],
    ['model: text-embedding-3-small', '{max_input_tokens: 8192}', {}],
  ])('of %s %s', async (params, info, sizes) => {
    const { kind, ...fields } = onlyModel(await moveIn(oneModel(params, info))).model.fields
    expect(fields).toEqual(sizes)
  })
})

test('fallbacks are routes that are tried later, and fallbacks that are not imported are reported', async () => {
  const config = `
model_list:
${entry('big', 'model: gpt-4o')}${entry('small', 'model: gpt-4o-mini')}${entry('claude', 'model: claude-sonnet-4-5')}${entry('embed', 'model: text-embedding-3-small')}
litellm_settings:
  fallbacks: [{big: [claude, small, missing, embed]}]
  default_fallbacks: [small]
`
  const all = await moveIn(config)
  const routes = Object.fromEntries(
    all.models.map((model) => [model.id, model.routes.map(({ model, order }) => [model, order])]),
  )
  expect(routes).toEqual({
    big: [
      ['gpt-4o', 0],
      ['claude-sonnet-4-5', 1],
      ['gpt-4o-mini', 2],
    ],
    small: [['gpt-4o-mini', 0]],
    claude: [
      ['claude-sonnet-4-5', 0],
      ['gpt-4o-mini', 1],
    ],
    embed: [['text-embedding-3-small', 0]],
  })
  expect(all.models[0]?.notes.join()).toMatch(/fall back to claude, small/)
  expect(reasonsOf(all, 'fallbacks')).toEqual([
    '"missing" of "big": It is not among the imported models.',
    '"embed" of "big": It is a model of another kind.',
    '"small" of "embed": It is a model of another kind.',
  ])
})

test('an alias is a model of its own with the routes, the price and the fallbacks of its target', async () => {
  const config = `
model_list:
${entry('big', 'model: gpt-4o')}${entry('claude', 'model: claude-sonnet-4-5')}
router_settings:
  model_group_alias: {gpt-4: big, hidden: {model: big, hidden: true}, lost: nothing, "mein alias": big, claude: big}
  fallbacks: [{big: [claude]}]
`
  const all = await moveIn(config)
  expect(all.models.map(({ id }) => id)).toEqual(['big', 'claude', 'gpt-4', 'hidden'])
  const [big, claude, alias] = all.models
  expect(alias).toEqual({ ...big, id: 'gpt-4' } as typeof alias)
  expect(claude?.routes.map(({ model }) => model)).toEqual(['claude-sonnet-4-5'])
  expect(reasonsOf(all, 'aliases').join('\n')).toMatch(
    /"lost" of "nothing": .*\n"mein alias" of "big": .*signs/,
  )
})

test('a wildcard entry is imported with the models that another entry names', async () => {
  const config = `
model_list:
${entry('openai/*', 'model: "openai/*", api_key: os.environ/ONE')}${entry('openai/gpt-4o-*', 'model: "openai/gpt-4o-*", api_key: os.environ/TWO')}${entry('own', 'model: gpt-4o')}${entry('groq/*', 'model: "groq/*"')}
litellm_settings:
  fallbacks: [{own: ["openai/gpt-4o-mini", "openai/gpt-4o"]}]
`
  const all = await moveIn(config)
  expect(all.models.map(({ id, routes }) => [id, routes[0]?.model, routes[0]?.provider])).toEqual([
    ['own', 'gpt-4o', 'openai'],
    // The longer pattern is the closer one.
    ['openai/gpt-4o-mini', 'gpt-4o-mini', 'openai-2'],
    ['openai/gpt-4o', 'gpt-4o', 'openai-3'],
  ])
  expect(reasonsOf(all, 'wildcard entries')).toEqual([
    expect.stringMatching(/"openai\/\*": Of it, these come in.*: openai\/gpt-4o\. /),
    expect.stringMatching(/"openai\/gpt-4o-\*": Of it.*openai\/gpt-4o-mini/),
    expect.stringMatching(/"groq\/\*": .* no key names one/),
  ])
})
