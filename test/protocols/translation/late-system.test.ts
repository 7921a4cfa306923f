// System messages that come after an answer: at their place for newer Claude models at Anthropic's own API, else in the system prompt.
import { describe, expect, test } from 'bun:test'
import { serverOf } from '../../../src/protocols/anthropic/target.ts'
import { responses } from '../../../src/protocols/openai/responses/index.ts'
import { BUILT_IN_PROTOCOLS } from '../../../src/protocols/registry.ts'
import { type Json, type JsonObject, objectsIn } from '../../../src/protocols/wire/json.ts'
import { generationOf } from '../../providers/anthropic/generations.ts'

const { anthropic, openai } = BUILT_IN_PROTOCOLS
const CLAUDE_API = serverOf({ protocol: 'anthropic', base_url: 'https://api.anthropic.com' })

/** A conversation from the roles and texts of its messages; `call` is a call of a tool, `result` its result. */
const chat = (script: string): JsonObject => ({
  model: 'm',
  tools: [{ type: 'function', function: { name: 'look', parameters: { type: 'object', properties: {} } } }],
  messages: script.split(', ').map((word): Json => {
    const [role = '', content = ''] = word.split(':')
    if (role === 'call')
      return {
        role: 'assistant',
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'look', arguments: '{}' } }],
      }
    return role === 'result' ? { role: 'tool', tool_call_id: 'c', content: 'Nine.' } : { role, content }
  }),
})

const wordsOf = (content: Json | undefined): string =>
  typeof content === 'string'
    ? content
    : objectsIn(content)
        .map((block) => String(block.text ?? block.type))
        .join('+')

/** The system prompt, and the messages, as Claude gets them. */
function sent(body: JsonObject, model: string, server: string | undefined, from = openai.text): string {
  const target = { model, server, max_output_tokens: 64 }
  const { system, messages } = anthropic.text.encodeRequest(from.decodeRequest(body, false), target)
  return [
    `system:${wordsOf(system)}`,
    ...objectsIn(messages).map(({ role, content }) => `${role}:${wordsOf(content)}`),
  ].join(', ')
}

describe('a newer model at Anthropic’s own API gets a late system message at its place', () => {
  test.each([
    ['system:S, user:a, assistant:b, user:c, system:T', 'system:S, user:a, assistant:b, user:c, system:T'],
    [
      'system:S, user:a, call, result, developer:T',
      'system:S, user:a, assistant:tool_use, user:tool_result, system:T',
    ],
    ['system:S, user:a, assistant:b, system:T, user:c', 'system:S, user:a, assistant:b, user:c, system:T'],
    [
      'system:S, user:a, assistant:b, user:c, system:T, user:d',
      'system:S, user:a, assistant:b, user:c+d, system:T',
    ],
    [
      'user:a, assistant:b, user:c, system:T, system:U, assistant:d, user:e',
      'system:, user:a, assistant:b, user:c, system:T+U, assistant:d, user:e',
    ],
    ['user:a, assistant:b, user: , system:T', 'system:, user:a, assistant:b, user:T'],
    ['system:S, user:a, system:T, assistant:b, user:c', 'system:S+T, user:a, assistant:b, user:c'],
    ['system:S, user:a, assistant:b, system:T', 'system:S+T, user:a, assistant:b'],
    ['system:S, user:a, assistant:b, user:c, system: ', 'system:S+ , user:a, assistant:b, user:c'],
  ])('%s', (script, expected) => {
    expect(sent(chat(script), 'claude-opus-5-5', CLAUDE_API)).toBe(expected)
  })

  test('from callers of responses, too, beside their instructions', () => {
    const message = (role: string, content: string) => ({ type: 'message', role, content })
    const input = [
      message('user', 'a'),
      message('assistant', 'b'),
      message('user', 'c'),
      message('developer', 'T'),
    ]
    expect(
      sent({ model: 'm', instructions: 'S', input }, 'claude-opus-5-5', CLAUDE_API, responses.text),
    ).toBe('system:S, user:a, assistant:b, user:c, system:T')
  })
})

const LATE = chat('system:S, user:a, assistant:b, user:c, system:T')

test.each([
  ['claude-opus-4-7', false],
  ['claude-haiku-4-5', false],
  ['claude-opus-4-8', true],
  ['claude-opus-5', true],
  ['claude-sonnet-5', true],
  ['claude-sonnet-5-5', true],
  ['claude-haiku-5-5', true],
  ['claude-fable-5-1', true],
])('%s takes a late system message: %p, as the simulated model does', (model, takes) => {
  expect(sent(LATE, model, CLAUDE_API).endsWith('system:T')).toBe(takes)
  expect(generationOf(model)?.takes_late_system).toBe(takes)
})

test.each([
  ['https://api.anthropic.com', true],
  ['https://eu.api.anthropic.com', true],
  ['simulator', true],
  ['https://bedrock-mantle.us-east-1.api.aws/anthropic', false],
  ['https://api.anthropic.com.evil.example', false],
  ['http://127.0.0.1:4000', false],
])('%s gets a late system message at its place: %p', (base_url, takes) => {
  expect(
    sent(LATE, 'claude-opus-5-5', serverOf({ protocol: 'anthropic', base_url })).startsWith('system:S,'),
  ).toBe(takes)
})

test.each([
  ['anthropic', true],
  ['foundry', false],
  ['vertex', false],
])('the catalogue names the server behind another address: %s', (server, takes) => {
  const named = serverOf({ protocol: 'anthropic', base_url: 'https://proxy.example', server })
  expect(sent(LATE, 'claude-opus-5-5', named).startsWith('system:S,')).toBe(takes)
})

test('the system prompt and its mark stay the same from turn to turn', () => {
  const target = {
    model: 'claude-opus-5-5',
    server: CLAUDE_API,
    max_output_tokens: 64,
    automatic_caching: true,
  }
  const systemOf = (script: string): Json | undefined =>
    anthropic.text.encodeRequest(openai.text.decodeRequest(chat(script), false), target).system
  const before = systemOf('system:S, user:a, assistant:b, user:c')
  expect(before).toEqual([{ type: 'text', text: 'S', cache_control: { type: 'ephemeral' } }])
  expect(systemOf('system:S, user:a, assistant:b, user:c, system:T, assistant:d, user:e')).toEqual(before)
})
