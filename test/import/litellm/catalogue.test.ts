// Catalogues from configurations of LiteLLM: without mistakes, whatever provider a configuration names.
import { describe, expect, test } from 'bun:test'
import { PREFIXES } from '../../../plugins/import/litellm/prefixes.ts'
import type { MoveIn } from '../../../plugins/import/move-in.ts'
import { planCatalogue, withBlocks } from '../../../plugins/import/plan/catalogue.ts'
import { readCatalogue } from '../../../src/catalogue/load.ts'
import { BUILT_IN_REGISTRY } from '../../../src/protocols/registry.ts'
import { moveIn } from './opened.ts'

/** Reads the text that the import writes into an empty file. */
function catalogueOf(incoming: MoveIn) {
  const variables = incoming.providers.flatMap(({ api_keys, headers = {} }) => [
    ...api_keys,
    ...Object.values(headers),
  ])
  const env = Object.fromEntries(variables.map(({ variable }) => [variable, 'secret']))
  const text = withBlocks(
    '',
    planCatalogue({}, incoming, [], (variable) => variable),
    'Imported',
  )
  const read = readCatalogue(text, { env, protocols: BUILT_IN_REGISTRY })
  if (!read.ok) throw new Error(read.mistakes.map(({ path, message }) => `${path}: ${message}`).join('\n'))
  return { catalogue: read.catalogue, text }
}

const PRICES = '{input_cost_per_token: 1.0e-06, output_cost_per_token: 2.0e-06}'
/** Fields that some providers require. */
const MORE = 'aws_region_name: us-east-1, api_version: "2024-10-21"'
const ADDRESS = 'api_base: "https://llm.example.com/v1"'

/** Some providers serve models in several protocols. */
const modelsOf = (prefix: string): readonly string[] =>
  /bedrock|azure_ai|vertex/.test(prefix) ? ['claude-x', 'gemini-x', 'other-x'] : ['some-x']

describe('a deployment at each provider', () => {
  test.each([...PREFIXES.keys()])('%s becomes a valid catalogue', async (prefix) => {
    for (const model of modelsOf(prefix)) {
      const params = `model: ${prefix}/${model}, ${MORE}`
      const entry = (own: string) =>
        `model_list: [{model_name: m, litellm_params: {${own}}, model_info: ${PRICES}}]`
      const all = [await moveIn(entry(params)), await moveIn(entry(`${params}, ${ADDRESS}`))]
      for (const incoming of all) {
        const reasons = incoming.left_out
          .filter(({ kind }) => kind === 'deployments')
          .map(({ reason }) => reason)
        if (reasons.length > 0) expect(reasons.join()).toMatch(/no api_base|Gemini and Claude/)
        else expect([...catalogueOf(incoming).catalogue.models.keys()]).toEqual(['m'])
      }
      // Tollgate serves only Gemini and Claude from Vertex AI.
      const is_served = model !== 'other-x' || !prefix.startsWith('vertex')
      expect(all.some(({ models }) => models.length > 0)).toBe(is_served)
    }
  })
})

test('a team’s configuration with a model of each kind becomes a catalogue', async () => {
  const incoming = await moveIn(`
model_list:
  - model_name: gpt-4o
    litellm_params: {model: azure/eu, api_base: "https://acme.openai.azure.com/", api_key: os.environ/EU, api_version: "2024-10-21", rpm: 900}
    model_info: {base_model: azure/gpt-4o}
  - {model_name: gpt-4o, litellm_params: {model: gpt-4o, api_key: sk-plain, rpm: 600, organization: org-1}}
  - {model_name: claude, litellm_params: {model: claude-sonnet-4-5}}
  - {model_name: gemini, litellm_params: {model: gemini/gemini-2.5-pro}}
  - {model_name: local, litellm_params: {model: ollama/qwen3}, model_info: {input_cost_per_token: 0, output_cost_per_token: 0, max_input_tokens: 4096}}
  - {model_name: embed, litellm_params: {model: text-embedding-3-small}}
  - {model_name: hear, litellm_params: {model: whisper-1}}
  - {model_name: speak, litellm_params: {model: tts-1}}
  - {model_name: draw, litellm_params: {model: gpt-image-1}}
  - {model_name: drawn, litellm_params: {model: openai/x}, model_info: {mode: image_generation, output_cost_per_image: 0.04}}
  - {model_name: check, litellm_params: {model: openai/omni-moderation-latest}}
  - {model_name: order, litellm_params: {model: cohere/rerank-v3.5}}
litellm_settings:
  fallbacks: [{gpt-4o: [claude]}]
  cost_margin_config: {global: 0.2, anthropic: {percentage: 0.5, fixed_amount: 0.01}}
router_settings: {model_group_alias: {gpt-4: gpt-4o}}
`)
  expect(incoming.left_out).toEqual([])
  const { catalogue, text } = catalogueOf(incoming)
  expect([...catalogue.models.keys()].toSorted()).toEqual(
    [
      'gpt-4o',
      'claude',
      'gemini',
      'local',
      'embed',
      'hear',
      'speak',
      'draw',
      'drawn',
      'check',
      'order',
      'gpt-4',
    ].toSorted(),
  )
  expect(text).not.toContain('sk-plain')
  expect(
    catalogue.models
      .get('gpt-4o')
      ?.routes.map(({ provider, model, order, weight }) => [provider, model, order, weight]),
  ).toEqual([
    ['azure', 'eu', 0, 3],
    ['openai', 'gpt-4o', 0, 2],
    ['anthropic', 'claude-sonnet-4-5', 1, 1],
  ])
})
