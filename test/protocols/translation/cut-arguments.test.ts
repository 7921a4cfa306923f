// Tool calls whose arguments were cut off: they may come back in the history without ending the conversation.
import { describe, expect, test } from 'bun:test'
import { translateRequest } from '../../../src/calls/kinds/text/writing.ts'
import { anthropic } from '../../../src/protocols/anthropic/index.ts'
import { gemini } from '../../../src/protocols/gemini/index.ts'
import { openai } from '../../../src/protocols/openai/index.ts'
import { responses } from '../../../src/protocols/openai/responses/index.ts'
import type { Protocol } from '../../../src/protocols/protocol.ts'
import type { Json, JsonObject } from '../../../src/protocols/wire/json.ts'

const TARGETS: Readonly<Record<string, readonly [Protocol, string]>> = {
  claude: [anthropic, 'claude-opus-5'],
  gemini: [gemini, 'gemini-3-pro-preview'],
  chat: [openai, 'gpt-5'],
  responses: [responses, 'gpt-5'],
}

function sent(from: Protocol, to: string, body: JsonObject) {
  const [protocol, model] = TARGETS[to] ?? [openai, 'gpt-5']
  const request = from.text.decodeRequest(body, false)
  const target = { model, max_output_tokens: 8_000, automatic_caching: false }
  return translateRequest(body, request, protocol, target)
}

const chat = (json: string, has_result: boolean): JsonObject => ({
  messages: [
    { role: 'user', content: 'Write it.' },
    {
      role: 'assistant',
      content: 'Now.',
      tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'write', arguments: json } }],
    },
    ...(has_result ? [{ role: 'tool', tool_call_id: 'call_1', content: 'Not JSON.' }] : []),
    { role: 'user', content: 'Again.' },
  ],
})
const items = (json: string, has_result: boolean): JsonObject => ({
  input: [
    { role: 'user', content: 'Write it.' },
    { type: 'function_call', call_id: 'call_1', name: 'write', arguments: json },
    ...(has_result ? [{ type: 'function_call_output', call_id: 'call_1', output: 'Not JSON.' }] : []),
    { role: 'user', content: 'Again.' },
  ],
})

const CALLERS = [
  ['chat', openai, chat],
  ['responses', responses, items],
] as const
const CUT = ['{"text":"Once upo', '{"text":"Once"', '{', '[1', '"Once"', '{"a":1}{"b":2}', 'Once']

describe.each(CALLERS)('arguments that are not a JSON object, from callers of %s', (_, from, historyOf) => {
  test.each(CUT)('reach Claude and Gemini as a text in an object, and are listed as dropped: %s', (json) => {
    const claude = sent(from, 'claude', historyOf(json, true))
    expect(JSON.stringify(claude.body)).toContain(JSON.stringify({ arguments: json }))
    const google = sent(from, 'gemini', historyOf(json, true))
    expect(JSON.stringify(google.body)).toContain(JSON.stringify({ arguments: json }))
    expect([claude.dropped, google.dropped]).toEqual([['arguments'], ['arguments']])
  })

  test.each(CUT)('of a call without a result become text, since providers refuse it: %s', (json) => {
    for (const to of ['claude', 'gemini', 'chat', 'responses']) {
      const { body } = sent(from, to, historyOf(json, false))
      expect(JSON.stringify(body)).toContain(JSON.stringify(`Incomplete call of write: ${json}`).slice(1, -1))
      expect(JSON.stringify(body)).not.toMatch(/tool_use|functionCall|tool_calls|"function_call"/)
    }
  })

  test.each([
    ['{"text":"Once"}', '{"text":"Once"}'],
    [' {} ', '{}'],
    ['', '{}'],
    ['null', '{}'],
  ])('a JSON object is carried as one, and an empty text as an empty object: %j', (json, input) => {
    const { body, dropped } = sent(from, 'claude', historyOf(json, true))
    expect(dropped).toEqual([])
    expect(JSON.stringify(body)).toContain(`"input":${input}`)
  })
})

test.each(CUT)('OpenAI gets the text unchanged, in both of its protocols: %s', (json) => {
  const { body, dropped } = sent(openai, 'responses', chat(json, true))
  expect(body.input).toContainEqual(expect.objectContaining({ type: 'function_call', arguments: json }))
  const other = sent(responses, 'chat', items(json, true))
  expect(JSON.stringify(other.body.messages)).toContain(JSON.stringify({ name: 'write', arguments: json }))
  expect([...dropped, ...other.dropped]).toEqual([])
})

test.each<Json>([7, true, [['{}']], null])('arguments of another type are refused: %j', (json) => {
  const call = { id: 'call_1', type: 'function', function: { name: 'write', arguments: json } }
  const body: JsonObject = { messages: [{ role: 'assistant', tool_calls: [call] }] }
  expect(() => openai.text.decodeRequest(body, false)).toThrow(/arguments/)
})
