// OpenAI's endpoint for a call: chosen by the route's setting, the model's generation and the request.
import { describe, expect, test } from 'bun:test'
import type { Endpoint, Provider } from '../../../src/domain/catalogue.ts'
import type { RequestFacts } from '../../../src/protocols/facts.ts'
import { endpointFor, endpointsOf } from '../../../src/protocols/openai/endpoint.ts'
import { PROTOCOLS } from '../translation/recordings.ts'

const PROVIDER: Provider = {
  name: 'p',
  protocol: 'openai',
  responses: true,
  key_header: 'authorization',
  base_url: 'https://api.openai.com/v1',
  api_keys: ['k'],
  headers: {},
  first_byte_timeout_ms: 1,
  idle_timeout_ms: 1,
  call_timeout_ms: 1,
  cooldown_ms: 0,
}
const FACTS: RequestFacts = {
  input_tokens: 1,
  input_bound_tokens: 1,
  max_output_tokens: undefined,
  candidates: 1,
}
const endpointOf = (
  caller: string,
  model: string,
  facts: Partial<RequestFacts> = {},
  { endpoint, ...provider }: Partial<Provider> & { endpoint?: Endpoint } = {},
): Endpoint =>
  endpointFor({
    provider: { ...PROVIDER, ...provider },
    model,
    endpoint,
    caller,
    facts: { ...FACTS, ...facts },
  })

const CHAT = 'chat_completions'
const RESPONSES = 'responses'
const TOOLS = { offers_tools: true }

describe('a call of chat completions is sent to responses only if chat completions would refuse it', () => {
  test.each<[string, Partial<RequestFacts>, Endpoint]>([
    ['gpt-4.1', { ...TOOLS, effort: 'high' }, CHAT],
    ['gpt-5', { ...TOOLS, effort: 'high' }, CHAT],
    ['gpt-5-mini', TOOLS, CHAT],
    ['gpt-5.1', { ...TOOLS, effort: 'high' }, CHAT],
    ['o3', TOOLS, CHAT],
    ['gpt-5.2', TOOLS, CHAT],
    ['gpt-5.2', { ...TOOLS, effort: 'none' }, CHAT],
    ['gpt-5.2', { ...TOOLS, effort: 'low' }, RESPONSES],
    ['gpt-5.4-mini', { ...TOOLS, effort: 'xhigh' }, RESPONSES],
    ['gpt-5.4', { effort: 'xhigh' }, CHAT],
    ['gpt-5.5', TOOLS, RESPONSES],
    ['gpt-5.6-terra', TOOLS, RESPONSES],
    ['gpt-5.6-terra', { ...TOOLS, effort: 'none' }, CHAT],
    ['gpt-5.6', { ...TOOLS, candidates: 2 }, CHAT],
    ['gpt-5.6', { ...TOOLS, max_output_tokens: 15 }, CHAT],
    ['gpt-5.6', { ...TOOLS, max_output_tokens: 16 }, RESPONSES],
    ['gpt-6-sol', TOOLS, RESPONSES],
    ['gpt-6-sol', {}, CHAT],
    ['gpt-5-codex', {}, RESPONSES],
    ['gpt-5.3-codex', { candidates: 2 }, RESPONSES],
    ['codex-mini-latest', {}, RESPONSES],
    ['gpt-5-pro', {}, RESPONSES],
    ['gpt-5.4-pro', {}, RESPONSES],
    ['o3-pro-2025-06-10', {}, RESPONSES],
    ['o4-mini-deep-research', {}, RESPONSES],
    ['gpt-5-chat-latest', TOOLS, CHAT],
    ['gpt-5.2-chat-latest', { ...TOOLS, effort: 'medium' }, CHAT],
    ['openai/gpt-5.6', TOOLS, RESPONSES],
    ['llama-4', TOOLS, CHAT],
  ])('%s, %o: %s', (model, facts, expected) => {
    expect(endpointOf('openai', model, facts)).toBe(expected)
  })
})

describe('a call of another protocol is sent to responses if the model reasons', () => {
  const callers = [...PROTOCOLS.filter((name) => name !== 'openai'), 'completions']
  test.each<[string, Partial<RequestFacts>, Endpoint]>([
    ['gpt-4.1', TOOLS, CHAT],
    ['gpt-5-chat-latest', TOOLS, CHAT],
    ['gpt-5', {}, RESPONSES],
    ['o4-mini', TOOLS, RESPONSES],
    ['gpt-5.1', {}, RESPONSES],
    ['gpt-6-luna', TOOLS, RESPONSES],
    ['gpt-5', { candidates: 2 }, CHAT],
    ['gpt-5', { max_output_tokens: 1 }, CHAT],
    ['gpt-5', { stops: true }, CHAT],
    ['gpt-5', { stops: true, ...TOOLS }, RESPONSES],
    ['gpt-5-codex', { stops: true }, RESPONSES],
  ])('%s, %o: %s', (model, facts, expected) => {
    for (const caller of callers) expect(endpointOf(caller, model, facts)).toBe(expected)
  })
})

test('a provider without responses gets chat completions, even if the route says responses', () => {
  for (const caller of ['openai', 'anthropic', 'responses'])
    expect(endpointOf(caller, 'gpt-5-codex', TOOLS, { responses: false, endpoint: RESPONSES })).toBe(CHAT)
})

test('a call of responses is sent to responses for any model, unless the route says otherwise', () => {
  expect(endpointOf('responses', 'gpt-4.1')).toBe(RESPONSES)
  expect(endpointOf('responses', 'gpt-6-sol', TOOLS, { endpoint: CHAT })).toBe(CHAT)
})

test('the endpoint of the route overrides generation and request', () => {
  for (const caller of ['openai', 'anthropic', 'gemini', 'completions']) {
    expect(endpointOf(caller, 'gpt-6-sol', TOOLS, { endpoint: CHAT })).toBe(CHAT)
    expect(endpointOf(caller, 'llama-4', { candidates: 2 }, { endpoint: RESPONSES })).toBe(RESPONSES)
  }
})

test("OpenRouter's chat completions reason with tools: only a call of responses is sent to responses", () => {
  for (const openrouter of [{ base_url: 'https://openrouter.ai/api/v1' }, { server: 'openrouter' }]) {
    expect(endpointOf('openai', 'openai/gpt-6-sol', TOOLS, openrouter)).toBe(CHAT)
    expect(endpointOf('anthropic', 'openai/gpt-5-codex', TOOLS, openrouter)).toBe(CHAT)
    expect(endpointOf('responses', 'openai/gpt-6-sol', TOOLS, openrouter)).toBe(RESPONSES)
  }
})

test.each<[string, Partial<Provider> & { endpoint?: Endpoint }, Endpoint[]]>([
  ['gpt-6-sol', {}, [CHAT, RESPONSES]],
  ['llama-4', {}, [CHAT, RESPONSES]],
  ['gpt-5-codex', {}, [RESPONSES]],
  ['gpt-6-sol', { endpoint: CHAT }, [CHAT]],
  ['llama-4', { endpoint: RESPONSES }, [RESPONSES]],
  ['gpt-5-codex', { responses: false }, [CHAT]],
])('calls of %s, %o, may be sent to %o', (model, { endpoint, ...provider }, expected) => {
  expect(endpointsOf({ provider: { ...PROVIDER, ...provider }, model, endpoint })).toEqual(expected)
})

describe('Bedrock has the Responses API for some models only', () => {
  const bedrock = { server: 'bedrock', base_url: 'https://bedrock-runtime.us-east-2.amazonaws.com/openai/v1' }
  test.each<[caller: string, model: string, facts: Partial<RequestFacts>, endpoint: Endpoint]>([
    ['responses', 'openai.gpt-5.6-sol', {}, RESPONSES],
    ['responses', 'us.openai.gpt-5.6-sol', {}, RESPONSES],
    ['openai', 'openai.gpt-5.6-sol', { ...TOOLS, effort: 'high' }, RESPONSES],
    ['responses', 'openai.gpt-oss-120b-1:0', {}, CHAT],
    ['responses', 'qwen.qwen3-32b-v1:0', {}, CHAT],
    ['anthropic', 'openai.gpt-oss-120b-1:0', TOOLS, CHAT],
  ])('a call of %s to %s, %j: %s', (caller, model, facts, endpoint) => {
    expect(endpointOf(caller, model, facts, bedrock)).toBe(endpoint)
    expect(endpointsOf({ provider: { ...PROVIDER, ...bedrock }, model })).toContain(endpoint)
  })

  test('the endpoint of a route holds', () => {
    expect(endpointOf('openai', 'openai.gpt-oss-120b-1:0', {}, { ...bedrock, endpoint: RESPONSES })).toBe(
      RESPONSES,
    )
  })
})
