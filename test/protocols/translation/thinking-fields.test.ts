// The promise: callers of chat completions see the thinking that they ask for, in whichever gateway's fields they ask.
import { describe, expect, test } from 'bun:test'
import { translateRequest } from '../../../src/calls/kinds/text/writing.ts'
import { anthropic } from '../../../src/protocols/anthropic/index.ts'
import { gemini } from '../../../src/protocols/gemini/index.ts'
import { openai } from '../../../src/protocols/openai/index.ts'
import { responses } from '../../../src/protocols/openai/responses/index.ts'
import type { Protocol } from '../../../src/protocols/protocol.ts'
import type { JsonObject } from '../../../src/protocols/wire/json.ts'

const chat = (more: JsonObject): JsonObject => ({ messages: [{ role: 'user', content: 'Hi' }], ...more })

function sent(from: Protocol, to: Protocol, model: string, asked: JsonObject): JsonObject {
  const request = from.text.decodeRequest(asked, false)
  return translateRequest(asked, request, to, { model, max_output_tokens: 64_000, automatic_caching: false })
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
  ])('%j', (asked, expected) => {
    const { thinking, output_config } = sent(openai, anthropic, 'claude-opus-4-8', chat(asked))
    expect(JSON.parse(JSON.stringify({ thinking, output_config }))).toEqual(expected)
  })

  test('callers whose protocol shows nothing by default are shown nothing', () => {
    const body: JsonObject = { contents: [{ parts: [{ text: 'Hi' }] }] }
    const asked = (thinkingConfig: JsonObject) => ({ ...body, generationConfig: { thinkingConfig } })
    const display = (thinkingConfig: JsonObject) =>
      sent(gemini, anthropic, 'claude-opus-4-8', asked(thinkingConfig)).thinking
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
  ])('Gemini 2.5: %j', (asked, thinkingConfig) => {
    const body = sent(openai, gemini, 'gemini-2.5-flash', chat(asked))
    expect(body.generationConfig).toMatchObject({ thinkingConfig })
  })

  test.each<[JsonObject, JsonObject]>([
    [{ reasoning: { effort: 'low' } }, { effort: 'low', summary: 'auto' }],
    [{ reasoning_effort: 'low' }, { effort: 'low' }],
    [{ enable_thinking: false }, { effort: 'none' }],
  ])('OpenAI, in the Responses API: %j', (asked, reasoning) => {
    expect(sent(openai, responses, 'gpt-5.2', chat(asked)).reasoning).toEqual(reasoning)
  })
})

describe('what passes through', () => {
  const fit = (server: string | undefined, asked: JsonObject) =>
    openai.text.fit?.(chat(asked), { server, model: 'gpt-5.2', is_translated: false }).body

  test.each<[JsonObject, JsonObject]>([
    [{ reasoning: { effort: 'high' } }, { reasoning_effort: 'high' }],
    [{ enable_thinking: false }, { reasoning_effort: 'none' }],
    [{ thinking: { type: 'enabled', budget_tokens: 9_000 } }, { reasoning_effort: 'high' }],
    [{ reasoning_effort: 'low', include_reasoning: true }, { reasoning_effort: 'low' }],
    [{ thinking: { type: 'adaptive' } }, {}],
  ])('OpenAI is asked by its own field: %j', (asked, expected) => {
    for (const server of ['openai', 'azure']) expect(fit(server, asked)).toEqual(chat(expected))
  })

  test.each(['openrouter', 'vllm', 'alibaba', undefined])('to %s unchanged', (server) => {
    const asked = chat({ reasoning: { effort: 'high' }, include_reasoning: true, enable_thinking: true })
    expect(openai.text.fit?.(asked, { server, model: 'qwen3', is_translated: false }).body).toBe(asked)
  })

  test('a value that the gateway does not know is its provider’s to judge', () => {
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
])('refused, because it is malformed: %j', (asked, param) => {
  expect(() => openai.text.decodeRequest(chat(asked), false)).toThrow(expect.objectContaining({ param }))
})
