// Dropped fields of a translation, which are listed; and JSON without a schema from Claude: requested by the system prompt, and bare.
import { describe, expect, test } from 'bun:test'
import { translateRequest } from '../../../src/calls/kinds/text/writing.ts'
import { withBareJson } from '../../../src/protocols/fitting.ts'
import { BUILT_IN_PROTOCOLS, type BuiltInProtocol } from '../../../src/protocols/registry.ts'
import type { JsonObject } from '../../../src/protocols/wire/json.ts'

const MODELS: Readonly<Record<BuiltInProtocol, string>> = {
  gemini: 'gemini-3-pro-preview',
  anthropic: 'claude-opus-5',
  openai: 'gpt-5',
}

function sent(from: BuiltInProtocol, to: BuiltInProtocol, original: JsonObject) {
  const request = BUILT_IN_PROTOCOLS[from].text.decodeRequest(original, false)
  return translateRequest(original, request, BUILT_IN_PROTOCOLS[to], {
    model: MODELS[to],
    max_output_tokens: 8_000,
    automatic_caching: false,
  })
}

const message = (...content: JsonObject[]): JsonObject => ({
  max_tokens: 100,
  messages: [{ role: 'user', content: content.length > 0 ? content : 'Hi' }],
})
const document = (more: JsonObject) => ({
  type: 'document',
  source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' },
  ...more,
})
const FAILED: JsonObject = {
  max_tokens: 100,
  messages: [
    { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f', input: {} }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', is_error: true, content: 'No.' }] },
  ],
}
const MARK = { cache_control: { type: 'ephemeral' } }
const BREAKPOINT = { prompt_cache_breakpoint: { mode: 'explicit' } }
const marked = (mark: JsonObject = MARK): JsonObject => ({ type: 'text', text: 'a', ...mark })
const chat = (more: JsonObject): JsonObject => ({ messages: [{ role: 'user', content: 'Hi' }], ...more })

const LOST: readonly (readonly [BuiltInProtocol, BuiltInProtocol, JsonObject, string[]])[] = [
  ['anthropic', 'openai', message(), []],
  ['anthropic', 'openai', { ...message(), top_k: 4 }, ['top_k']],
  ['anthropic', 'openai', { ...message(), temperature: 0.5 }, ['temperature']],
  ['anthropic', 'openai', message(document({ title: 'A' })), []],
  ['anthropic', 'openai', message(document({ context: 'From 2020.' })), ['context']],
  ['anthropic', 'openai', message(document({ citations: { enabled: true } })), ['citations']],
  ['anthropic', 'openai', message(document({ citations: { enabled: false } })), []],
  ['anthropic', 'openai', FAILED, ['is_error']],
  ['anthropic', 'gemini', FAILED, []],
  ['anthropic', 'gemini', { ...message(), metadata: { user_id: 'me' } }, ['metadata.user_id']],
  ['openai', 'anthropic', chat({ seed: 7, frequency_penalty: 1 }), ['frequency_penalty', 'seed']],
  ['openai', 'anthropic', chat({ temperature: 0.5, verbosity: 'low' }), ['temperature', 'verbosity']],
  ['openai', 'gemini', chat({ parallel_tool_calls: false }), ['parallel_tool_calls']],
  ['openai', 'gemini', chat({ user: 'me', metadata: { a: 'b' } }), ['metadata', 'safety_identifier']],
  ['openai', 'anthropic', chat({ response_format: { type: 'json_object' } }), []],
  ['anthropic', 'gemini', message(marked()), ['cache_control']],
  ['anthropic', 'openai', message(marked()), ['cache_control']],
  ['anthropic', 'gemini', { ...message(), system: [marked()] }, ['cache_control']],
  [
    'anthropic',
    'gemini',
    { ...message(), tools: [{ name: 'f', input_schema: {}, ...MARK }] },
    ['cache_control'],
  ],
  [
    'anthropic',
    'gemini',
    {
      max_tokens: 100,
      messages: [
        { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f', input: {} }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: [marked()] }] },
      ],
    },
    ['cache_control'],
  ],
  ['openai', 'anthropic', chat({ messages: [{ role: 'user', content: [marked(BREAKPOINT)] }] }), []],
  [
    'openai',
    'anthropic',
    chat({ messages: [{ role: 'user', content: Array(5).fill(marked()) }] }),
    ['cache_control'],
  ],
  [
    'openai',
    'gemini',
    chat({ messages: [{ role: 'user', content: [marked(BREAKPOINT)] }] }),
    ['prompt_cache_breakpoint'],
  ],
]

describe('a dropped field is listed by the caller’s name for it', () => {
  test.each(LOST)('%s to %s: %j', (from, to, original, expected) => {
    expect([...sent(from, to, original).dropped].sort()).toEqual(expected)
  })
})

test('a text document keeps its title and context', () => {
  const text = { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'Body.' } }
  const { body } = sent('anthropic', 'openai', message({ ...text, title: 'Title', context: 'Context' }))
  expect(JSON.stringify(body.messages)).toContain('Title\\nContext\\nBody.')
})

describe('JSON without a schema, from Claude', () => {
  test.each([
    ['openai', chat({ response_format: { type: 'json_object' } })],
    [
      'gemini',
      { contents: [{ parts: [{ text: 'Hi' }] }], generationConfig: { responseMimeType: 'application/json' } },
    ],
  ] as const)('is requested by the system prompt for callers of %s', (from, original) => {
    const { body, wants_json } = sent(from, 'anthropic', original as JsonObject)
    expect(wants_json).toBe(true)
    expect(body.system).toContain('JSON object')
    expect(body.output_config).toBeUndefined()
  })

  test('is a field if the provider has one', () => {
    expect(sent('openai', 'gemini', chat({ response_format: { type: 'json_object' } })).wants_json).toBe(
      false,
    )
  })

  test.each([
    ['{"a":1}', '{"a":1}'],
    ['```json\n{"a":1}\n```', '{"a":1}'],
    ['Here it is:\n\n{"a":{"b":"}"}}\n\nDone.', '{"a":{"b":"}"}}'],
    ['No JSON.', 'No JSON.'],
    ['{"a":', '{"a":'],
    ['{"a":1} and {"b":2}', '{"a":1} and {"b":2}'],
    ['', ''],
  ])('%j reaches the caller as %j', (text, expected) => {
    const answer = BUILT_IN_PROTOCOLS.anthropic.text.decodeAnswer(
      { content: [{ type: 'text', text }], stop_reason: 'end_turn' },
      'id',
    )
    const [{ parts }] = withBareJson(answer).candidates
    expect(parts.flatMap((part) => (part.kind === 'text' ? part.text : [])).join('')).toBe(expected)
  })
})

describe("Claude's tools that the caller runs become functions", () => {
  const tools = (...types: string[]): JsonObject => ({
    ...message(),
    tools: types.map((type) => ({ type, name: type.replace(/_\d+$/, '') })),
  })

  test.each(['gemini', 'openai'] as const)('for a model of %s', (to) => {
    const written = JSON.stringify(
      sent('anthropic', to, tools('bash_20250124', 'text_editor_20250728')).body.tools,
    )
    for (const word of ['"bash"', '"text_editor"', '"restart"', '"insert_line"'])
      expect(written).toContain(word)
  })

  test.each(['computer_20250124', 'web_search_20250305', 'code_execution_20250825', 'bash', 'bash_x'])(
    '%s does not',
    (type) => {
      expect(() => sent('anthropic', 'openai', tools(type))).toThrow('tools[0].type')
    },
  )
})
