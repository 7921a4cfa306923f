// Generations of models, recognized by their names: a request has only the fields that its model takes.
import { describe, expect, test } from 'bun:test'
import type { Thinking } from '../../../src/protocols/canonical/fields.ts'
import type { ConversationRequest } from '../../../src/protocols/canonical/request.ts'
import { BUILT_IN_PROTOCOLS } from '../../../src/protocols/registry.ts'
import type { JsonObject } from '../../../src/protocols/wire/json.ts'

const REQUEST: ConversationRequest = {
  ...BUILT_IN_PROTOCOLS.openai.text.decodeRequest({ messages: [{ role: 'user', content: 'Hi' }] }, false),
  max_output_tokens: 40_000,
}

const budget = (budget_tokens: number): Thinking => ({ mode: 'budget', budget_tokens })
const OFF: Thinking = { mode: 'off' }
const AUTO: Thinking = { mode: 'auto' }
const HIGH: Thinking = { mode: 'effort', effort: 'high' }
const MINIMAL: Thinking = { mode: 'effort', effort: 'minimal' }
const MEDIUM: Thinking = { mode: 'effort', effort: 'medium' }
const XHIGH: Thinking = { mode: 'effort', effort: 'xhigh' }
const MAX: Thinking = { mode: 'effort', effort: 'max' }

describe('Gemini', () => {
  const cases: readonly (readonly [string, Thinking, JsonObject | undefined])[] = [
    ['gemini-2.0-flash', HIGH, undefined],
    ['gemini-1.5-pro', OFF, undefined],
    ['gemini-2.5-flash', OFF, { thinkingBudget: 0 }],
    ['gemini-2.5-flash', AUTO, { thinkingBudget: -1 }],
    ['gemini-2.5-flash', budget(5_000), { thinkingBudget: 5_000 }],
    ['gemini-2.5-flash', budget(99_000), { thinkingBudget: 24_576 }],
    ['gemini-2.5-flash', HIGH, { thinkingBudget: 24_576 }],
    ['gemini-2.5-pro', OFF, { thinkingBudget: 128 }],
    ['gemini-2.5-pro', MAX, { thinkingBudget: 32_768 }],
    ['gemini-3-pro-preview', OFF, { thinkingLevel: 'LOW' }],
    ['gemini-3-flash-preview', OFF, { thinkingLevel: 'MINIMAL' }],
    ['gemini-3-pro-preview', MAX, { thinkingLevel: 'HIGH' }],
    ['gemini-3.5-flash', budget(1_000), { thinkingLevel: 'LOW' }],
    ['gemini-3.5-flash', budget(9_000), { thinkingLevel: 'HIGH' }],
    ['gemini-3.5-flash', AUTO, undefined],
    ['gemini-3-pro-preview', MEDIUM, { thinkingLevel: 'HIGH' }],
    ['gemini-3.1-pro-preview', MEDIUM, { thinkingLevel: 'MEDIUM' }],
    ['gemini-3.7-flash', OFF, { thinkingLevel: 'LOW' }],
    ['gemini-3.1-flash-lite', OFF, { thinkingLevel: 'MINIMAL' }],
    ['gemini-3.1-flash-image', budget(1_000), { thinkingLevel: 'MINIMAL' }],
    ['gemini-2.5-flash-lite', budget(100), { thinkingBudget: 512 }],
    ['gemini-flash-latest', MINIMAL, { thinkingLevel: 'LOW' }],
    ['gemini-4-argon', OFF, { thinkingLevel: 'LOW' }],
  ]
  test.each(cases)('%s, with thinking %o', (model, thinking, expected) => {
    const body = BUILT_IN_PROTOCOLS.gemini.text.encodeRequest(
      { ...REQUEST, thinking },
      { model, max_output_tokens: 1 },
    )
    expect(body.generationConfig).toEqual({
      maxOutputTokens: 40_000,
      ...(expected ? { thinkingConfig: expected } : {}),
    })
  })
})

describe('Claude', () => {
  const cases: readonly (readonly [string, Thinking, JsonObject])[] = [
    ['claude-3-7-sonnet-20250219', HIGH, { thinking: { type: 'enabled', budget_tokens: 24_576 } }],
    ['claude-sonnet-4-20250514', AUTO, { thinking: { type: 'enabled', budget_tokens: 8_192 } }],
    ['claude-haiku-4-5-20251001', budget(50), { thinking: { type: 'enabled', budget_tokens: 1_024 } }],
    ['claude-haiku-4-5', OFF, { thinking: { type: 'disabled' } }],
    [
      'claude-opus-4-6',
      budget(2_000),
      { thinking: { type: 'adaptive' }, output_config: { effort: 'medium' } },
    ],
    ['claude-opus-4-6', AUTO, { thinking: { type: 'adaptive' } }],
    ['claude-opus-4-6', MAX, { thinking: { type: 'adaptive' }, output_config: { effort: 'max' } }],
    ['claude-sonnet-4-6', XHIGH, { thinking: { type: 'adaptive' }, output_config: { effort: 'high' } }],
    ['claude-sonnet-5', OFF, { thinking: { type: 'disabled' } }],
    ['claude-fable-5', OFF, { output_config: { effort: 'low' } }],
    [
      'claude-mythos-preview',
      XHIGH,
      { thinking: { type: 'adaptive', display: 'summarized' }, output_config: { effort: 'xhigh' } },
    ],
    ['claude-sonnet-6', OFF, { thinking: { type: 'between_tools' } }],
    ['claude-opus-4-7', OFF, {}],
    [
      'claude-opus-4-8',
      MAX,
      { thinking: { type: 'adaptive', display: 'summarized' }, output_config: { effort: 'max' } },
    ],
    ['claude-opus-5', OFF, { thinking: { type: 'disabled' } }],
    ['claude-opus-5-5', OFF, { output_config: { effort: 'low' } }],
    ['claude-sonnet-5-5', OFF, { thinking: { type: 'between_tools' } }],
    [
      'claude-haiku-5-5',
      MINIMAL,
      { thinking: { type: 'adaptive', display: 'summarized' }, output_config: { effort: 'low' } },
    ],
    ['deepseek-chat', HIGH, { thinking: { type: 'enabled', budget_tokens: 24_576 } }],
  ]
  test.each(cases)('%s, with thinking %o', (model, thinking, expected) => {
    const body = BUILT_IN_PROTOCOLS.anthropic.text.encodeRequest(
      { ...REQUEST, thinking },
      { model, max_output_tokens: 1 },
    )
    const { model: _model, messages: _messages, max_tokens: _max, ...rest } = body
    expect(rest).toEqual(expected)
  })

  const SAMPLED = { temperature: 0.5, top_p: 0.9, top_k: 40 }
  test.each([
    ['claude-3-5-sonnet-20241022', SAMPLED],
    ['claude-sonnet-4-20250514', SAMPLED],
    ['claude-opus-4-1-20250805', { temperature: 0.5, top_k: 40 }],
    ['claude-sonnet-4-6', { temperature: 0.5, top_k: 40 }],
    ['claude-opus-4-7', {}],
    ['claude-sonnet-5', {}],
    ['claude-fable-5-1', {}],
  ])('%s gets no sampling fields that it refuses', (model, expected) => {
    const body = BUILT_IN_PROTOCOLS.anthropic.text.encodeRequest(
      { ...REQUEST, ...SAMPLED },
      { model, max_output_tokens: 1 },
    )
    const { model: _model, messages: _messages, max_tokens: _max, ...rest } = body
    expect(rest).toEqual(expected)
  })

  test.each([
    ['claude-opus-4-8', true, { type: 'adaptive', display: 'summarized' }],
    ['claude-opus-4-8', false, { type: 'adaptive', display: 'omitted' }],
    ['claude-opus-4-8', undefined, { type: 'adaptive', display: 'summarized' }],
    ['claude-opus-4-6', true, { type: 'adaptive' }],
    ['claude-haiku-4-5', false, { type: 'enabled', budget_tokens: 24_576 }],
  ])('%s, with visible thinking: %p', (model, shows_thinking, expected) => {
    const request = { ...REQUEST, thinking: HIGH, shows_thinking }
    const body = BUILT_IN_PROTOCOLS.anthropic.text.encodeRequest(request, { model, max_output_tokens: 1 })
    expect(body.thinking).toEqual(expected)
  })

  test.each([
    ['a budget that leaves no room in the limit', { thinking: HIGH, max_output_tokens: 1_024 }],
    [
      'a tool that must be called',
      {
        thinking: HIGH,
        tool_choice: { mode: 'any' as const },
        tools: [{ name: 'f', description: undefined, parameters: undefined, strict: undefined, at: '' }],
      },
    ],
  ])('thinking is not requested with %s', (_name, change) => {
    const body = BUILT_IN_PROTOCOLS.anthropic.text.encodeRequest(
      { ...REQUEST, ...change },
      { model: 'claude-sonnet-4-5', max_output_tokens: 1 },
    )
    expect(body.thinking).toBeUndefined()
  })
})

describe('an effort leaves room for the answer within the limit', () => {
  const LOW: Thinking = { mode: 'effort', effort: 'low' }
  const MEDIUM: Thinking = { mode: 'effort', effort: 'medium' }
  /** The limit, the thinking, and the budgets of Claude and Gemini: undefined and 0 without room for thinking and answer. */
  const cases: readonly (readonly [number, Thinking, number | undefined, number])[] = [
    [64_000, HIGH, 24_576, 24_576],
    [20_000, HIGH, 16_000, 16_000],
    [10_000, MEDIUM, 5_000, 5_000],
    [10_000, LOW, 1_024, 1_024],
    [4_096, MAX, 3_072, 3_072],
    [4_096, LOW, 1_024, 1_024],
    [2_048, HIGH, 1_024, 1_024],
    [2_047, HIGH, undefined, 0],
    [1_025, LOW, undefined, 0],
    [16, MAX, undefined, 0],
    [10_000, AUTO, 5_000, -1],
    [2_000, AUTO, undefined, -1],
    [10_000, budget(9_900), 9_900, 9_900],
  ]
  test.each(cases)('of %d tokens, thinking %o: %p and %d', (max_output_tokens, thinking, claude, gemini) => {
    const request = { ...REQUEST, thinking, max_output_tokens }
    const { anthropic, gemini: native } = BUILT_IN_PROTOCOLS
    const limit = { max_output_tokens: 64_000 }
    const of_claude = anthropic.text.encodeRequest(request, { model: 'claude-sonnet-4-5', ...limit })
    const of_gemini = native.text.encodeRequest(request, { model: 'gemini-2.5-flash', ...limit })
    expect(of_claude.thinking).toEqual(
      claude === undefined ? undefined : { type: 'enabled', budget_tokens: claude },
    )
    expect(of_gemini.generationConfig).toMatchObject({ thinkingConfig: { thinkingBudget: gemini } })
  })
})

describe('models behind chat completions', () => {
  const cases: readonly (readonly [string, Thinking, JsonObject])[] = [
    ['o3-mini', OFF, { reasoning_effort: 'low' }],
    ['o3', MAX, { reasoning_effort: 'high' }],
    ['gpt-5', OFF, { reasoning_effort: 'minimal' }],
    ['gpt-5-mini', MAX, { reasoning_effort: 'high' }],
    ['openai/gpt-5.1', OFF, { reasoning_effort: 'none' }],
    ['gpt-5.2', MAX, { reasoning_effort: 'xhigh' }],
    ['gpt-5.1', MINIMAL, { reasoning_effort: 'low' }],
    ['gpt-4.1', HIGH, {}],
    ['gpt-4o', OFF, {}],
    ['gpt-oss:20b', MAX, { reasoning_effort: 'high' }],
    ['qwen3:8b', OFF, { reasoning_effort: 'none' }],
    ['qwen3:8b', AUTO, {}],
    ['qwen3:8b', budget(9_000), { reasoning_effort: 'high' }],
  ]
  test.each(cases)('%s, with thinking %o', (model, thinking, expected) => {
    const body = BUILT_IN_PROTOCOLS.openai.text.encodeRequest(
      { ...REQUEST, thinking },
      { model, max_output_tokens: 1 },
    )
    const { reasoning_effort } = body
    expect(reasoning_effort === undefined ? {} : { reasoning_effort }).toEqual(expected)
  })

  test.each([
    ['gpt-5', 'max_completion_tokens'],
    ['o4-mini', 'max_completion_tokens'],
    ['openai/o3', 'max_completion_tokens'],
    ['gpt-4o-2024-08-06', 'max_completion_tokens'],
    ['chatgpt-4o-latest', 'max_completion_tokens'],
    ['gpt-oss-120b', 'max_tokens'],
    ['llama3.3', 'max_tokens'],
    ['mistralai/mistral-large', 'max_tokens'],
  ])('%s takes its limit as %s', (model, field) => {
    const body = BUILT_IN_PROTOCOLS.openai.text.encodeRequest(REQUEST, { model, max_output_tokens: 1 })
    expect(body[field]).toBe(40_000)
  })
})
