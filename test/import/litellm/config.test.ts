// The text of LiteLLM's config.yaml: YAML in all its forms, included files, settings that are not imported, texts that are not a configuration.
import { describe, expect, test } from 'bun:test'
import { NO_VOUCHERS } from '../../../plugins/import/move-in.ts'
import { moveIn, oneModel, reasonsOf } from './opened.ts'

test('anchors, merges, comments, flow style and quoted values are read', async () => {
  const { models } = await moveIn(`
# Shared by all.
x-shared: &shared
  api_key: os.environ/SHARED   # one key
model_list:
  - model_name: "one"
    litellm_params:
      <<: *shared
      model: 'gpt-4o'
  - {model_name: two, litellm_params: {<<: *shared, model: gpt-4o-mini}}
`)
  expect(models.map(({ id, routes }) => [id, routes[0]?.provider])).toEqual([
    ['one', 'openai'],
    ['two', 'openai'],
  ])
})

const FILES: Readonly<Record<string, string>> = {
  'models.yaml':
    'model_list: [{model_name: included, litellm_params: {model: gpt-4o}}]\ninclude: [more.yaml]',
  'more.yaml':
    'model_list: [{model_name: deeper, litellm_params: {model: gpt-4o-mini}}]\ninclude: [models.yaml]',
  'broken.yaml': 'model_list: [',
  'other.yaml': 'services: {}',
}
const readIncluded = async (path: string) => {
  const text = FILES[path]
  if (text === undefined) throw new Error(`${path}: not found`)
  return text
}

test('included files add to the lists, and files that include each other do so once', async () => {
  const config = oneModel('model: gpt-4o', '{}', 'include: [models.yaml]')
  const { models } = await moveIn(config, { readIncluded })
  expect(models.map(({ id }) => id)).toEqual(['sold', 'included', 'deeper'])
})

describe('a text is refused', () => {
  test.each([
    ['model_list: [', /not YAML: .*Correct it/],
    ['\tmodel_list: []', /not YAML/],
    ['a: *nothing', /not YAML/],
    ['just a sentence', /none of its sections/],
    ['- model_name: x', /none of its sections/],
    ['services: {tollgate: {image: x}}', /none of its sections/],
    ['include: [other.yaml]', /"other.yaml" is not a configuration/],
    ['include: [broken.yaml]', /"broken.yaml" is not YAML/],
    ['include: [absent.yaml]', /absent.yaml: not found/],
  ])('%p', async (text, message) => {
    expect(moveIn(text, { readIncluded })).rejects.toThrow(message)
  })

  test.each([
    ['{}', /no models/],
    ['not json', /not JSON/],
  ])('a price list %p', async (prices, message) => {
    expect(moveIn('', { prices })).rejects.toThrow(message)
  })
})

test.each(['', '# nothing', '{}', 'model_list:', 'model_list: []', 'model_list: {a: 1}'])(
  'nothing is imported from %p',
  async (text) => {
    expect(await moveIn(text)).toEqual({
      source: 'litellm',
      accounts: [],
      providers: [],
      models: [],
      vouchers: NO_VOUCHERS,
      left_out: [],
    })
  },
)

describe('a setting that is not imported', () => {
  test.each([
    ['general_settings: {master_key: sk-1234}', 'general_settings.master_key', /administrator/],
    ['litellm_settings: {callbacks: [langfuse]}', 'litellm_settings.callbacks', /metrics/],
    ['litellm_settings: {guardrails: [{a: 1}]}', 'litellm_settings.guardrails', /custom plugin/],
    ['guardrails: [{guardrail_name: x}]', 'guardrails', /custom plugin/],
    ['litellm_settings: {cache: true}', 'litellm_settings.cache', /cache/],
    [
      'router_settings: {routing_strategy: latency-based-routing}',
      'router_settings.routing_strategy',
      /weights/,
    ],
    [
      'router_settings: {provider_budget_config: {openai: {}}}',
      'router_settings.provider_budget_config',
      /what a provider costs/,
    ],
    [
      'litellm_settings: {context_window_fallbacks: [{a: [b]}]}',
      'litellm_settings.context_window_fallbacks',
      /reason of a refusal/,
    ],
    [
      'general_settings: {pass_through_endpoints: [{path: /x}]}',
      'general_settings.pass_through_endpoints',
      /known endpoints/,
    ],
    ['mcp_servers: {a: {}}', 'mcp_servers', /tools/],
    [
      'general_settings: {litellm_key_header_name: X-Own}',
      'general_settings.litellm_key_header_name',
      /x-litellm-api-key/,
    ],
    ['general_settings: {something_new: 5}', 'general_settings.something_new', /no such setting/],
  ])('is reported with the reason: %s', async (text, row, reason) => {
    const { left_out } = await moveIn(text)
    expect(left_out).toEqual([{ kind: 'settings', row, reason: expect.stringMatching(reason) }])
  })

  test.each([
    'litellm_settings: {drop_params: true, set_verbose: false}',
    'general_settings: {database_url: "postgresql://u:secret@h/d", store_model_in_db: true}',
    'litellm_settings: {callbacks: [], cache: false, guardrails: null}',
  ])('is not reported if it has no effect: %s', async (text) => {
    expect((await moveIn(text)).left_out).toEqual([])
  })

  test('is one line for a field of all deployments', async () => {
    const entry = '{model_name: m, litellm_params: {model: gpt-4o, temperature: 0.1, timeout: 30}}'
    const all = await moveIn(`model_list: [${entry}, ${entry}]`)
    expect(reasonsOf(all, 'settings')).toEqual([
      expect.stringMatching(/^litellm_params.temperature of 2 deployments: Callers set it/),
      expect.stringMatching(/^litellm_params.timeout of 2 deployments: .*call_timeout_ms/),
    ])
  })
})
