// Thinking fields of chat completions: callers get the thinking that they request, in the fields of any gateway.
import { describe, expect, test } from 'bun:test'
import { translateRequest } from '../../../src/calls/kinds/text/writing.ts'
import { anthropic } from '../../../src/protocols/anthropic/index.ts'
import { gemini } from '../../../src/protocols/gemini/index.ts'
import { openai } from '../../../src/protocols/openai/index.ts'
import { responses } from '../../../src/protocols/openai/responses/index.ts'
import type { Protocol } from '../../../src/protocols/protocol.ts'
import type { JsonObject } from '../../../src/protocols/wire/json.ts'

const chat = (more: JsonObject): JsonObject => ({ messages: [{ role: 'user', content: 'Hi' }], ...more })

function sent(from: Protocol, to: Protocol, model: string, fields: JsonObject): JsonObject {
  const request = from.text.decodeRequest(fields, false)
  return translateRequest(fields, request, to, { model, max_output_tokens: 64_000, automatic_caching: false })
    .body
}

const SUMMARIZED = { type: 'adaptive', display: 'summarized' }
const OMITTED = { type: 'adaptive', display: 'omitted' }
const ON_WITH = (effort: string) => ({ thinking: SUMMARIZED, output_config: { effort } })

describe('of Claude Opus 4.8', () => {
  test.each<[JsonObject, JsonObject]>([
    [{ reasoning_effort: 'high' }, ON_WITH('high')],
    [{ reasoning: { effort: 'low' } }, ON_WITH('low')],
    [{ reasoning: { max_tokens: 8_000 } }, ON_WITH('medium')],
    [{ reasoning: { enabled: true } }, { thinking: SUMMARIZED }],
    [
      { reasoning: { effort: 'high', exclude: true } },
      { thinking: OMITTED, output_config: { effort: 'high' } },
    ],
    [
      { reasoning_effort: 'high', include_reasoning: false },
      { thinking: OMITTED, output_config: { effort: 'high' } },
    ],
    [{ reasoning_effort: 'high', include_reasoning: true }, ON_WITH('high')],
    [{ thinking: { type: 'enabled', budget_tokens: 2_000 } }, ON_WITH('medium')],
    [{ thinking: { type: 'adaptive' } }, { thinking: SUMMARIZED }],
    [{ enable_thinking: true }, { thinking: SUMMARIZED }],
    [{ enable_thinking: true, thinking_budget: 1_000 }, ON_WITH('low')],
    [{ chat_template_kwargs: { enable_thinking: true } }, { thinking: SUMMARIZED }],
    [{ reasoning_effort: 'low', reasoning: { effort: 'high' } }, ON_WITH('low')],
    [{}, {}],
    [{ reasoning_effort: null, reasoning: null, thinking: null, enable_thinking: null }, {}],
    [{ reasoning: {} }, {}],
    [{ reasoning_effort: 'none' }, {}],
    [{ reasoning: { enabled: false } }, {}],
    [{ reasoning: { max_tokens: 0 } }, {}],
    [{ thinking: { type: 'disabled' } }, {}],
    [{ enable_thinking: false }, {}],
    [{ chat_template_kwargs: { enable_thinking: false } }, {}],
  ])('%j', (fields, expected) => {
    const { thinking, output_config } = sent(openai, anthropic, 'claude-opus-4-8', chat(fields))
    expect(JSON.parse(JSON.stringify({ thinking, output_config }))).toEqual(expected)
  })

  test('callers of a protocol that hides thinking by default get none', () => {
    const body: JsonObject = { contents: [{ parts: [{ text: 'Hi' }] }] }
    const fields = (thinkingConfig: JsonObject) => ({ ...body, generationConfig: { thinkingConfig } })
    const display = (thinkingConfig: JsonObject) =>
      sent(gemini, anthropic, 'claude-opus-4-8', fields(thinkingConfig)).thinking
    expect(display({ thinkingBudget: 9_000 })).toEqual(OMITTED)
    expect(display({ thinkingBudget: 9_000, includeThoughts: true })).toEqual(SUMMARIZED)
    const withReasoning = (reasoning: JsonObject) =>
      sent(responses, anthropic, 'claude-opus-4-8', { input: 'Hi', reasoning }).thinking
    expect(withReasoning({ effort: 'high' })).toEqual(OMITTED)
    expect(withReasoning({ effort: 'high', summary: 'auto' })).toEqual(SUMMARIZED)
  })
})

describe('of other models', () => {
  test.each<[JsonObject, JsonObject]>([
    [{ reasoning: { max_tokens: 2_000 } }, { thinkingBudget: 2_000, includeThoughts: true }],
    [{ thinking: { type: 'disabled' } }, { thinkingBudget: 0 }],
    [
      { reasoning_effort: 'low', include_reasoning: false },
      { thinkingBudget: 1_024, includeThoughts: false },
    ],
  ])('Gemini 2.5: %j', (fields, thinkingConfig) => {
    const body = sent(openai, gemini, 'gemini-2.5-flash', chat(fields))
    expect(body.generationConfig).toMatchObject({ thinkingConfig })
  })

  test.each<[JsonObject, JsonObject]>([
    [{ reasoning: { effort: 'low' } }, { effort: 'low', summary: 'auto' }],
    [{ reasoning_effort: 'low' }, { effort: 'low' }],
    [{ enable_thinking: false }, { effort: 'none' }],
  ])('OpenAI, in the Responses API: %j', (fields, reasoning) => {
    expect(sent(openai, responses, 'gpt-5.2', chat(fields)).reasoning).toEqual(reasoning)
  })
})

describe('a request that passes through', () => {
  const fit = (server: string | undefined, fields: JsonObject) =>
    openai.text.fit?.(chat(fields), { server, model: 'gpt-5.2', is_translated: false }).body

  test.each<[JsonObject, JsonObject]>([
    [{ reasoning: { effort: 'high' } }, { reasoning_effort: 'high' }],
    [{ enable_thinking: false }, { reasoning_effort: 'none' }],
    [{ thinking: { type: 'enabled', budget_tokens: 9_000 } }, { reasoning_effort: 'high' }],
    [{ reasoning_effort: 'low', include_reasoning: true }, { reasoning_effort: 'low' }],
    [{ thinking: { type: 'adaptive' } }, {}],
  ])('has OpenAI’s own field: %j', (fields, expected) => {
    for (const server of ['openai', 'azure']) expect(fit(server, fields)).toEqual(chat(expected))
  })

  test.each(['openrouter', 'vllm', 'alibaba', undefined])('reaches %s unchanged', (server) => {
    const fields = chat({ reasoning: { effort: 'high' }, include_reasoning: true, enable_thinking: true })
    expect(openai.text.fit?.(fields, { server, model: 'qwen3', is_translated: false }).body).toBe(fields)
  })

  test('leaves an unknown value to the provider', () => {
    expect(openai.text.readRequest(chat({ thinking: { type: 'deep' } })).effort).toBeUndefined()
    expect(openai.text.readRequest(chat({ reasoning: { effort: 'low' } })).effort).toBe('low')
  })
})

test.each<[JsonObject, string]>([
  [{ reasoning: 'high' }, 'reasoning'],
  [{ reasoning: { effort: 'most' } }, 'reasoning.effort'],
  [{ reasoning: { max_tokens: -1 } }, 'reasoning.max_tokens'],
  [{ thinking: { type: 'deep' } }, 'thinking.type'],
  [{ thinking: { budget_tokens: 9_000 } }, 'thinking.type'],
  [{ thinking: true }, 'thinking'],
  [{ enable_thinking: 'yes' }, 'enable_thinking'],
  [{ thinking_budget: 0.5 }, 'thinking_budget'],
  [{ include_reasoning: 1 }, 'include_reasoning'],
  [{ chat_template_kwargs: { enable_thinking: 1 } }, 'chat_template_kwargs.enable_thinking'],
])('a malformed field is refused: %j', (fields, param) => {
  expect(() => openai.text.decodeRequest(chat(fields), false)).toThrow(expect.objectContaining({ param }))
})
