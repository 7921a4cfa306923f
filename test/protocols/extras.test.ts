// Extras of requests beyond tokens, compared with the types of the providers' own SDKs: none is unknown, or free by mistake.
import { describe, expect, test } from 'bun:test'
import type { BetaToolUnion, MessageCreateParams } from '@anthropic-ai/sdk/resources/beta/messages/messages'
import type { ServiceTier, Tool } from '@google/genai'
import fc from 'fast-check'
import type {
  ChatCompletionCreateParams,
  ChatCompletionTool,
} from 'openai/resources/chat/completions/completions'
import { BUILT_IN_PROTOCOLS, type BuiltInProtocol } from '../../src/protocols/registry.ts'
import type { Json, JsonObject } from '../../src/protocols/wire/json.ts'
import { reduce } from '../../src/protocols/wire/json-names.ts'

const extrasOf = (protocol: BuiltInProtocol) => {
  const { extras } = BUILT_IN_PROTOCOLS[protocol].text
  if (!extras) throw new Error(`${protocol} has no extras`)
  return extras
}
const extras = (protocol: BuiltInProtocol, body: JsonObject, headers = {}): string[] =>
  extrasOf(protocol)
    .find(body, headers)
    .map(({ name }) => name)

/** Complete by the SDK's types: `npx tsc --noEmit` reports a new one. */
const CLAUDE_TOOLS: Readonly<Record<Exclude<BetaToolUnion['type'], null | undefined>, string | undefined>> = {
  custom: undefined,
  bash_20241022: undefined,
  bash_20250124: undefined,
  browser_toolset_20260801: undefined,
  computer_20241022: undefined,
  computer_20250124: undefined,
  computer_20251124: undefined,
  computer_toolset_20260801: undefined,
  memory_20250818: undefined,
  text_editor_20241022: undefined,
  text_editor_20250124: undefined,
  text_editor_20250429: undefined,
  text_editor_20250728: undefined,
  tool_search_tool_bm25: undefined,
  tool_search_tool_bm25_20251119: undefined,
  tool_search_tool_regex: undefined,
  tool_search_tool_regex_20251119: undefined,
  advisor_20260301: 'advisor',
  code_execution_20250522: 'code_execution',
  code_execution_20250825: 'code_execution',
  code_execution_20260120: 'code_execution',
  code_execution_20260521: 'code_execution',
  mcp_toolset: 'mcp_servers',
  web_fetch_20250910: 'web_fetch',
  web_fetch_20260209: 'web_fetch',
  web_fetch_20260309: 'web_fetch',
  web_fetch_20260318: 'web_fetch',
  web_search_20250305: 'web_search',
  web_search_20260209: 'web_search',
  web_search_20260318: 'web_search',
}

const GEMINI_TOOLS: Readonly<Record<keyof Tool, string | undefined>> = {
  functionDeclarations: undefined,
  googleSearch: 'google_search',
  googleSearchRetrieval: 'google_search_retrieval',
  googleMaps: 'google_maps',
  urlContext: 'url_context',
  codeExecution: 'code_execution',
  computerUse: 'computer_use',
  fileSearch: 'file_search',
  enterpriseWebSearch: 'enterprise_web_search',
  retrieval: 'retrieval',
  mcpServers: 'mcp_servers',
  exaAiSearch: 'exa_ai_search',
  parallelAiSearch: 'parallel_ai_search',
}

const GPT_TOOLS: Readonly<Record<ChatCompletionTool['type'], undefined>> = {
  function: undefined,
  custom: undefined,
}

describe('every tool of the SDKs is billed by its name, or run by the caller', () => {
  test.each(Object.entries(CLAUDE_TOOLS))('anthropic: %s is %p', (type, name) => {
    expect(extras('anthropic', { tools: [{ type, name: 'x' }] })).toEqual(name === undefined ? [] : [name])
  })
  test.each(Object.entries(GEMINI_TOOLS))('gemini: %s is %p', (field, name) => {
    expect(extras('gemini', { tools: [{ [field]: {} }] })).toEqual(name === undefined ? [] : [name])
  })
  test.each(Object.entries(GPT_TOOLS))('openai: %s', (type) => {
    expect(extras('openai', { tools: [{ type }] })).toEqual([])
  })
})

type GptTier = Exclude<ChatCompletionCreateParams['service_tier'], null | undefined>
const GPT_TIERS: Readonly<Record<GptTier, boolean>> = {
  auto: false,
  default: false,
  flex: true,
  scale: true,
  priority: true,
  fast: true,
}
const GEMINI_TIERS: Readonly<Record<`${ServiceTier}`, boolean>> = {
  unspecified: false,
  standard: false,
  flex: true,
  priority: true,
}

describe('service tiers', () => {
  test.each(Object.entries(GPT_TIERS))('openai: %s is billed: %p', (service_tier, is_billed) => {
    expect(extras('openai', { service_tier })).toEqual(is_billed ? ['service_tier'] : [])
  })
  test.each(Object.entries(GEMINI_TIERS))('gemini: %s is billed: %p', (serviceTier, is_billed) => {
    expect(extras('gemini', { serviceTier })).toEqual(is_billed ? ['service_tier'] : [])
  })
  test.each([['SERVICE_TIER_PRIORITY'], ['on-demand'], [2], [{}], [[]], [true], ['auto ']])(
    '%p is not a standard tier',
    (tier) => {
      for (const protocol of ['openai', 'anthropic', 'gemini'] as const)
        expect(extras(protocol, { service_tier: tier as Json })).toEqual(['service_tier'])
    },
  )
})

describe('every top-level field of the SDKs is a known field', () => {
  /** Sent as a header. */
  type NotInBody = 'betas'
  const CLAUDE: Readonly<Record<Exclude<keyof MessageCreateParams, NotInBody>, true>> = {
    billing_policy: true,
    cache_control: true,
    compaction: true,
    container: true,
    context_management: true,
    diagnostics: true,
    fallback_credit_token: true,
    fallbacks: true,
    inference_geo: true,
    max_tokens: true,
    mcp_servers: true,
    messages: true,
    metadata: true,
    model: true,
    output_config: true,
    output_format: true,
    service_tier: true,
    speed: true,
    stop_sequences: true,
    stream: true,
    system: true,
    thinking: true,
    thread: true,
    tool_choice: true,
    tools: true,
    user_profile_id: true,
    workspace_id: true,
  }
  const GPT: Readonly<Record<keyof ChatCompletionCreateParams, true>> = {
    audio: true,
    frequency_penalty: true,
    function_call: true,
    functions: true,
    logit_bias: true,
    logprobs: true,
    max_completion_tokens: true,
    max_tokens: true,
    messages: true,
    metadata: true,
    modalities: true,
    model: true,
    moderation: true,
    n: true,
    parallel_tool_calls: true,
    prediction: true,
    presence_penalty: true,
    prompt_cache_key: true,
    prompt_cache_options: true,
    prompt_cache_retention: true,
    reasoning_effort: true,
    response_format: true,
    safety_identifier: true,
    seed: true,
    service_tier: true,
    stop: true,
    store: true,
    stream: true,
    stream_options: true,
    temperature: true,
    tool_choice: true,
    tools: true,
    top_logprobs: true,
    top_p: true,
    user: true,
    verbosity: true,
    web_search_options: true,
  }
  const GEMINI = [
    'contents',
    'systemInstruction',
    'system_instruction',
    'tools',
    'toolConfig',
    'tool_config',
    'generationConfig',
    'safetySettings',
    'cachedContent',
    'cached_content',
    'serviceTier',
    'labels',
    'store',
  ]
  test.each([
    ['anthropic', Object.keys(CLAUDE)],
    ['openai', Object.keys(GPT)],
    ['gemini', GEMINI],
  ] as const)('%s', (protocol, fields) => {
    expect(fields.filter((field) => !extrasOf(protocol).known_fields.has(field))).toEqual([])
  })
})

test.each([
  [
    'openai',
    {
      tools: [{ type: 'web_search' }],
      tool_choice: { type: 'allowed_tools', allowed_tools: { tools: [{ type: 'web_search' }] } },
    },
  ],
  ['anthropic', { tools: [{ type: 'mcp_toolset' }], mcp_servers: [{}] }],
] as const)('%s: an extra that is named twice is charged once', (protocol, body) => {
  const found = extrasOf(protocol).find(body as unknown as JsonObject, {})
  expect(found.map(({ is_charged }) => is_charged).toSorted()).toEqual([false, true])
})

describe('betas, in the header or in a body', () => {
  test.each([
    ['context-1m-2025-08-07', ['long_context']],
    ['CONTEXT-1M-2025-08-07', ['long_context']],
    ['a, context-1m-2030-12-31 ,b', ['long_context']],
    ['context-1m', ['long_context']],
    ['context-10m-2027-01-01', ['long_context']],
    ['context-management-2025-06-27', []],
    ['skills-2025-10-02,mcp-client-2026-09-15,fast-mode-2026-02-01', []],
    ['user-profiles-billing-2026-10-01', ['billing_policy']],
    ['claude-code-20250219,interleaved-thinking-2025-05-14,files-api-2025-04-14', []],
    ['', []],
    ['constructor', []],
  ])('%p: %p', (beta, names) => {
    expect(extras('anthropic', {}, { 'anthropic-beta': beta })).toEqual(names)
    expect(extras('anthropic', { anthropic_beta: beta.split(',') })).toEqual(names)
    expect(extras('anthropic', { betas: beta })).toEqual(names)
  })
})

describe('a field in another spelling is the same field', () => {
  /** Spellings that lenient readers accept for a name: Go folds case by Unicode, protocol buffers have two spellings. */
  const spelling = (name: string) =>
    fc
      .array(fc.integer({ min: 0, max: 3 }), { minLength: name.length, maxLength: name.length })
      .map((how) => [...name].map((letter, at) => spelled(letter, how[at] ?? 0)).join(''))
  const spelled = (letter: string, how: number): string => {
    if (how === 1) return letter.toUpperCase()
    if (how === 2 && letter === 's') return '\u017f'
    if (how === 2 && letter === 'k') return '\u212a'
    return how === 3 ? `_${letter}` : letter
  }
  const BILLED: readonly (readonly [BuiltInProtocol, string, Json])[] = [
    ['openai', 'service_tier', 'priority'],
    ['openai', 'web_search_options', {}],
    ['openai', 'models', ['x']],
    ['openai', 'tools', [{ type: 'web_search' }]],
    ['anthropic', 'speed', 'fast'],
    ['anthropic', 'fallbacks', 'default'],
    ['anthropic', 'mcp_servers', [{}]],
    ['anthropic', 'container', 'c'],
    ['anthropic', 'tools', [{ type: 'web_search_20250305' }]],
    ['gemini', 'serviceTier', 'priority'],
    ['gemini', 'tools', [{ googleSearch: {} }]],
    ['gemini', 'contents', [{ parts: [{ fileData: { fileUri: 'files/x' } }] }]],
  ]
  test.each(BILLED)('%s: %s', (protocol, name, value) => {
    const isNoticed = (written: string): boolean => {
      try {
        return extras(protocol, { [written]: value }).length > 0
      } catch {
        // A refusal counts as noticed, too.
        return true
      }
    }
    fc.assert(fc.property(spelling(name), isNoticed), { numRuns: 200, seed: 8 })
  })
  test.each([
    ['Service_Tier', 'servicetier'],
    ['\u017fpeed', 'speed'],
    ['to\u212aen', 'token'],
    ['service-tier', 'servicetier'],
    ['\uff53peed', 'speed'],
    ['t\u0131er', 'tier'],
    ['tools\u0000x', 'tools'],
  ])('%p is %p', (written, name) => {
    expect(reduce(written)).toBe(name)
  })
})

test('any request is read or refused, and never fails otherwise', () => {
  const names = [
    'tools',
    'messages',
    'contents',
    'content',
    'parts',
    'source',
    'file',
    'fileData',
    'edits',
    'type',
    'tool',
    'container',
    'betas',
    'generationConfig',
    'tool_choice',
    'allowed_tools',
    'diagnostics',
    'context_management',
    'toString',
    '__proto__',
  ]
  const json = fc.letrec<{ value: Json; object: JsonObject }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 6 },
      fc.constantFrom<Json>(null, true, 0, '', 'file', 'web_search', 'https://x'),
      fc.array(tie('value'), { maxLength: 3 }),
      tie('object'),
    ),
    object: fc.dictionary(fc.constantFrom(...names), tie('value'), { maxKeys: 4 }),
  }))
  const property = fc.property(json.object, (body) => {
    for (const protocol of ['gemini', 'anthropic', 'openai'] as const)
      for (const check of [() => extras(protocol, body), () => extrasOf(protocol).rejectRemembered(body)])
        try {
          check()
        } catch (thrown) {
          expect(thrown).toMatchObject({ kind: 'invalid_request', param: expect.any(String) })
        }
  })
  fc.assert(property, { numRuns: 2_000, seed: 8 })
})
