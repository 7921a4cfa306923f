// Providers of LiteLLM's deployments in the catalogue: server or address, key, headers; and deployments that no provider can serve.
import { describe, expect, test } from 'bun:test'
import { moveIn, oneModel, onlyModel, reasonsOf } from './opened.ts'

const PRICED = '{input_cost_per_token: 1.0e-06, output_cost_per_token: 2.0e-06}'

describe('a deployment is served by', () => {
  // litellm_params, the provider's fields, the provider's id of the model.
  test.each([
    ['model: openai/gpt-4o', { server: 'openai' }, 'gpt-4o'],
    ['model: gpt-4o', { server: 'openai' }, 'gpt-4o'],
    ['model: o3-mini', { server: 'openai' }, 'o3-mini'],
    ['model: gpt-4o, custom_llm_provider: openai', { server: 'openai' }, 'gpt-4o'],
    [
      'model: openai/org/model, api_base: "https://llm.example.com/v1/"',
      { protocol: 'openai', base_url: 'https://llm.example.com/v1' },
      'org/model',
    ],
    [
      'model: openai/gpt-4o, api_base: "https://eu.api.openai.com/v1"',
      { server: 'openai', base_url: 'https://eu.api.openai.com/v1' },
      'gpt-4o',
    ],
    ['model: claude-sonnet-4-5', { server: 'anthropic' }, 'claude-sonnet-4-5'],
    [
      'model: anthropic/claude-sonnet-4-5, api_base: "https://proxy.example.com/v1"',
      { server: 'anthropic', base_url: 'https://proxy.example.com' },
      'claude-sonnet-4-5',
    ],
    ['model: gemini/gemini-2.5-pro', { server: 'google' }, 'gemini-2.5-pro'],
    ['model: groq/llama-3.3-70b-versatile', { server: 'groq' }, 'llama-3.3-70b-versatile'],
    ['model: together_ai/meta-llama/Llama-3', { server: 'together' }, 'meta-llama/Llama-3'],
    [
      'model: fireworks_ai/accounts/fireworks/models/m',
      { server: 'fireworks' },
      'accounts/fireworks/models/m',
    ],
    [
      'model: openrouter/anthropic/claude-sonnet-4.5',
      { server: 'openrouter' },
      'anthropic/claude-sonnet-4.5',
    ],
    [
      'model: azure/ours, api_base: "https://acme-eu.openai.azure.com/", api_version: "2024-10-21"',
      { server: 'azure', resource: 'acme-eu', api_version: '2024-10-21' },
      'ours',
    ],
    [
      'model: azure/ours, api_base: "https://acme.openai.azure.com", api_version: preview',
      { server: 'azure', resource: 'acme' },
      'ours',
    ],
    [
      'model: azure/ours, api_base: "https://acme.openai.azure.com/openai/v1/"',
      { server: 'azure', resource: 'acme' },
      'ours',
    ],
    [
      'model: azure/ours, api_base: "https://azure.proxy.example.com", api_version: 2025-01-01-preview',
      {
        server: 'azure',
        base_url: 'https://azure.proxy.example.com/openai',
        api_version: '2025-01-01-preview',
      },
      'ours',
    ],
    [
      'model: azure_ai/claude-sonnet-4-5, api_base: "https://acme.services.ai.azure.com/anthropic"',
      { server: 'foundry', resource: 'acme' },
      'claude-sonnet-4-5',
    ],
    [
      'model: azure_ai/mistral-large, api_base: "https://acme.services.ai.azure.com/models"',
      { server: 'foundry', protocol: 'openai', resource: 'acme' },
      'mistral-large',
    ],
    [
      'model: bedrock/eu-west-1/anthropic.claude-3-haiku',
      { server: 'bedrock', region: 'eu-west-1' },
      'anthropic.claude-3-haiku',
    ],
    [
      'model: bedrock/converse/us.anthropic.claude-x, aws_region_name: us-east-1',
      { server: 'bedrock', region: 'us-east-1' },
      'us.anthropic.claude-x',
    ],
    [
      'model: bedrock/openai.gpt-oss-120b, aws_region_name: us-east-1',
      { server: 'bedrock', protocol: 'openai', region: 'us-east-1' },
      'openai.gpt-oss-120b',
    ],
    [
      'model: vertex_ai/gemini-2.5-pro, vertex_location: europe-west1',
      { server: 'vertex', region: 'europe-west1' },
      'gemini-2.5-pro',
    ],
    ['model: vertex_ai/claude-sonnet-4-5', { server: 'vertex', protocol: 'anthropic' }, 'claude-sonnet-4-5'],
    ['model: ollama/qwen3:8b', { server: 'ollama' }, 'qwen3:8b'],
    [
      'model: ollama_chat/qwen3, api_base: "http://10.0.0.5:11434/"',
      { server: 'ollama', base_url: 'http://10.0.0.5:11434/v1' },
      'qwen3',
    ],
    [
      'model: hosted_vllm/Qwen/Qwen3-8B, api_base: "http://gpu:8000/v1"',
      { server: 'vllm', base_url: 'http://gpu:8000/v1' },
      'Qwen/Qwen3-8B',
    ],
    [
      'model: perplexity/sonar-pro',
      { protocol: 'openai', base_url: 'https://api.perplexity.ai' },
      'sonar-pro',
    ],
    [
      'model: cohere/command-r',
      { protocol: 'openai', base_url: 'https://api.cohere.ai/compatibility/v1' },
      'command-r',
    ],
    [
      'model: cohere/rerank-v3.5',
      { protocol: 'openai', base_url: 'https://api.cohere.com/v2' },
      'rerank-v3.5',
    ],
  ])('%s', async (params, fields, model) => {
    const { provider, model: sold } = onlyModel(await moveIn(oneModel(params, PRICED)))
    expect({ ...provider.fields }).toEqual(fields)
    expect(sold.routes.map((route) => route.model)).toEqual([model])
  })
})

describe('the key of a provider is', () => {
  const OWN = [{ variable: 'OPENAI_API_KEY', value: 'sk-own-secret' }]
  // litellm_params, further sections, the environment, the provider's keys.
  test.each([
    ['model: gpt-4o, api_key: os.environ/MY_KEY', '', {}, [{ variable: 'MY_KEY', value: null }]],
    ['model: gpt-4o, api_key: sk-own-secret', '', {}, OWN],
    ['model: gpt-4o', '', {}, [{ variable: 'OPENAI_API_KEY', value: null }]],
    [
      'model: gemini/gemini-2.5-pro',
      '',
      { GOOGLE_API_KEY: 'x' },
      [{ variable: 'GOOGLE_API_KEY', value: null }],
    ],
    [
      'model: gpt-4o, api_key: os.environ/SET_BY_IT',
      'environment_variables: {SET_BY_IT: sk-in-file}',
      {},
      [{ variable: 'SET_BY_IT', value: 'sk-in-file' }],
    ],
    [
      'model: openai/gpt-4o, litellm_credential_name: main',
      'credential_list: [{credential_name: main, credential_values: {api_key: sk-own-secret}}]',
      {},
      OWN,
    ],
    ['model: ollama/qwen3', '', {}, []],
    ['model: openai/m, api_base: "http://10.0.0.5:9000/v1"', '', {}, []],
    [
      'model: openai/m, api_base: "https://llm.example.com/v1", api_key: none',
      '',
      {},
      [{ variable: 'LLM_EXAMPLE_COM_API_KEY', value: 'none' }],
    ],
    [
      'model: openai/m, api_base: "http://10.0.0.5/v1", api_key: none',
      '',
      {},
      [{ variable: 'PROVIDER_10_0_0_5_API_KEY', value: 'none' }],
    ],
    ['model: gpt-4o, api_key: os.environ/my-key', '', {}, [{ variable: 'my_key', value: null }]],
  ])('%s %s', async (params, rest, env, api_keys) => {
    const { provider } = onlyModel(await moveIn(oneModel(params, PRICED, rest), { env }))
    expect(provider.api_keys).toEqual(api_keys)
  })

  test('in no left-out row and in no field of the catalogue', async () => {
    const config = oneModel(
      'model: gpt-4o, api_key: sk-own-secret, extra_headers: {X-Auth: sk-own-secret}',
      PRICED,
      'general_settings: {master_key: sk-own-secret}\nlitellm_settings: {redis_password: sk-own-secret}\nenvironment_variables: {A: sk-own-secret}',
    )
    const { providers, models, left_out } = await moveIn(config)
    const fields = providers.map((provider) => provider.fields)
    expect(JSON.stringify({ fields, models, left_out })).not.toContain('sk-own-secret')
  })
})

test('a written key gets no name of a variable that the configuration reads', async () => {
  const { providers } = await moveIn(`
model_list:
  - {model_name: a, litellm_params: {model: gpt-4o, api_key: sk-written}}
  - {model_name: b, litellm_params: {model: gpt-4o, api_key: os.environ/OPENAI_API_KEY}}
  - {model_name: c, litellm_params: {model: gpt-4o, extra_headers: {X-Key: os.environ/OPENAI_API_KEY_2}}}
`)
  expect(providers.flatMap(({ api_keys }) => api_keys)).toEqual([
    { variable: 'OPENAI_API_KEY_3', value: 'sk-written' },
    { variable: 'OPENAI_API_KEY', value: null },
    { variable: 'OPENAI_API_KEY', value: null },
  ])
})

test('deployments share a provider if they have the same address, key and headers', async () => {
  const { providers, models } = await moveIn(`
model_list:
  - {model_name: a, litellm_params: {model: gpt-4o, api_key: os.environ/ONE}}
  - {model_name: b, litellm_params: {model: gpt-4o-mini, api_key: os.environ/ONE}}
  - {model_name: c, litellm_params: {model: gpt-4o, api_key: os.environ/TWO}}
  - {model_name: d, litellm_params: {model: gpt-4o, api_key: os.environ/ONE, extra_headers: {X-Team: os.environ/TEAM}, organization: org-1}}
`)
  expect(models.map(({ id, routes }) => [id, routes[0]?.provider])).toEqual([
    ['a', 'openai'],
    ['b', 'openai'],
    ['c', 'openai-2'],
    ['d', 'openai-3'],
  ])
  expect(providers.map(({ headers }) => headers)).toEqual([
    undefined,
    undefined,
    {
      'X-Team': { variable: 'TEAM', value: null },
      'OpenAI-Organization': { variable: 'OPENAI_3_OPENAI_ORGANIZATION', value: 'org-1' },
    },
  ])
})

describe('a deployment is left out', () => {
  // litellm_params and the reason.
  test.each([
    ['model: sagemaker/x', /does not support the provider "sagemaker"/],
    ['model: replicate/meta/x', /"replicate"/],
    ['model: some-model', /openai\/some-model/],
    ['model: "*"', /an entry for each provider and model/],
    ['api_base: https://x.example.com', /no litellm_params.model/],
    ['model: azure/ours', /no api_base/],
    ['model: azure/ours, api_base: os.environ/AZURE_API_BASE', /variable AZURE_API_BASE .* not set here/],
    [
      'model: azure/ours, api_base: "https://a.openai.azure.com", api_version: newest',
      /api_version is not a date/,
    ],
    ['model: openai/x, api_base: "https://me:secret@llm.example.com/v1"', /not an address/],
    ['model: openai/x, api_base: llm.example.com', /not an address/],
    ['model: databricks/x', /no api_base/],
    ['model: bedrock/anthropic.claude-3-haiku', /no aws_region_name/],
    ['model: vertex_ai/meta/llama-3', /Gemini and Claude/],
    ['model: openai/x, litellm_credential_name: missing', /"missing" is not in credential_list/],
  ])('%s', async (params, reason) => {
    const all = await moveIn(oneModel(params, PRICED))
    expect({ models: all.models, providers: all.providers }).toEqual({ models: [], providers: [] })
    expect(reasonsOf(all, 'deployments').join()).toMatch(reason)
  })
})

test.each([
  ['{blocked: true, input_cost_per_token: 1e-06}', /paused/],
  ['{team_id: t, team_public_model_name: x, input_cost_per_token: 1e-06}', /Only one team/],
])('a deployment with %s is left out', async (info, reason) => {
  const all = await moveIn(oneModel('model: gpt-4o', info))
  expect(all.models).toEqual([])
  expect(reasonsOf(all, 'deployments').join()).toMatch(reason)
})

test('an address may come from the environment of the import', async () => {
  const config = oneModel(
    'model: azure/ours, api_base: os.environ/BASE, api_version: os.environ/VERSION',
    PRICED,
  )
  const env = { BASE: 'https://acme.openai.azure.com', VERSION: '2024-10-21' }
  const { provider } = onlyModel(await moveIn(config, { env }))
  expect(provider.fields).toEqual({ server: 'azure', resource: 'acme', api_version: '2024-10-21' })
})

describe('the service account of Vertex AI', () => {
  const JSON_TEXT = '{"type": "service_account"}'
  // vertex_credentials, the environment, the provider's key, and whether it has to be set by hand.
  test.each([
    ['', {}, { variable: 'VERTEX_SERVICE_ACCOUNT', value: null }, true],
    ['vertex_credentials: /keys/vertex.json', {}, { variable: 'VERTEX_SERVICE_ACCOUNT', value: null }, true],
    ['vertex_credentials: os.environ/VERTEX', {}, { variable: 'VERTEX_SERVICE_ACCOUNT', value: null }, true],
    [
      'vertex_credentials: os.environ/VERTEX',
      { VERTEX: '/keys/v.json' },
      { variable: 'VERTEX_SERVICE_ACCOUNT', value: null },
      true,
    ],
    [
      'vertex_credentials: os.environ/VERTEX',
      { VERTEX: JSON_TEXT },
      { variable: 'VERTEX', value: null },
      false,
    ],
    [`vertex_credentials: '${JSON_TEXT}'`, {}, { variable: 'VERTEX_API_KEY', value: JSON_TEXT }, false],
    [
      'vertex_credentials: {type: service_account}',
      {},
      { variable: 'VERTEX_API_KEY', value: '{"type":"service_account"}' },
      false,
    ],
  ])('is read from %s %p', async (params, env, key, by_hand) => {
    const all = await moveIn(oneModel(`model: vertex_ai/gemini-2.5-pro, ${params}`, PRICED), { env })
    expect(onlyModel(all).provider.api_keys).toEqual([key])
    expect(reasonsOf(all, 'provider credentials')).toHaveLength(by_hand ? 1 : 0)
  })
})

test('signatures of AWS are reported, since Bedrock gets an API key', async () => {
  const config = oneModel(
    'model: bedrock/anthropic.claude-x, aws_region_name: us-east-1, aws_access_key_id: os.environ/ID, aws_secret_access_key: os.environ/SECRET',
    PRICED,
  )
  const all = await moveIn(config)
  expect(onlyModel(all).provider.api_keys).toEqual([{ variable: 'AWS_BEARER_TOKEN_BEDROCK', value: null }])
  expect(reasonsOf(all, 'provider credentials').join()).toMatch(
    /aws_access_key_id of provider "bedrock": .*API key/,
  )
})
