// Every current model from every client: no Claude or Gemini model, in its strict simulated form, refuses a translated request.

import { afterAll, describe, expect, test } from 'bun:test'
import type { JsonObject } from '../../src/protocols/wire/json.ts'
import { createSimulator } from '../providers/index.ts'
import { IS_LONG, sample } from '../support/long.ts'
import { fileScene } from '../support/scene.ts'
import { modelSection, providerSection } from '../support/sections.ts'
import { ask, config, JSON_WANTED, STRICT_TOOL, TIDES, WISHES, type Wish } from './wishes.ts'
import {
  ALL_SURFACES,
  type AnySurface,
  DECLARED,
  requestOf,
  TOOL_NAME,
  type Turn,
} from './written-conversation.ts'

const CLAUDE = [
  'claude-3-haiku-20240307',
  'claude-3-7-sonnet-20250219',
  'claude-sonnet-4-20250514',
  'claude-opus-4-1-20250805',
  'claude-haiku-4-5',
  'claude-opus-4-5',
  'claude-sonnet-4-6',
  'claude-opus-4-7',
  'claude-opus-4-8',
  'claude-sonnet-5',
  'claude-opus-5',
  'claude-fable-5',
  'claude-fable-5-1',
  'claude-opus-5-5',
  'claude-sonnet-5-5',
  'claude-haiku-5-5',
  'claude-sonnet-6',
]
const GEMINI = [
  'gemini-2.0-flash',
  'gemini-2.5-flash-lite',
  'gemini-2.5-flash',
  'gemini-2.5-pro',
  'gemini-3-pro-preview',
  'gemini-3-flash-preview',
  'gemini-3.1-pro-preview',
  'gemini-3.5-flash',
  'gemini-3.7-flash',
  'gemini-4-argon',
]

let received: JsonObject = {}
const simulator = createSimulator({
  sleep: async () => {},
  onEvent: (event) => {
    if (event.kind === 'request') received = (event.body ?? {}) as JsonObject
  },
})
const provider = Bun.serve({ port: 0, fetch: simulator.fetch })
afterAll(() => provider.stop(true))

const { call, counts, expectCounts } = await fileScene({
  catalogue: () =>
    [
      '[server]\nlog_level = "error"\n',
      providerSection('anthropic', 'anthropic', provider.url.origin, 'cooldown_ms = 0'),
      providerSection('gemini', 'gemini', provider.url.origin, 'cooldown_ms = 0'),
      ...CLAUDE.map((id) => modelSection(id, { anthropic: id }, { more: 'max_output_tokens = 16384' })),
      ...GEMINI.map((id) => modelSection(id, { gemini: id }, { more: 'max_output_tokens = 16384' })),
    ].join('\n'),
})

const TARGETS = [
  ...CLAUDE.map((model) => ['messages', model] as const),
  ...GEMINI.map((model) => ['native', model] as const),
]
/** The last item of a case is its row: six models in sequence have all wishes of a surface. */
const CASES = TARGETS.flatMap(([own, model], nth) =>
  ALL_SURFACES.filter((surface) => surface !== own).map(
    (surface, column) => [surface, model, nth + column] as const,
  ),
)

/** A model's answer to a wish: the text of its refusal, if it refuses, and the fields that were dropped. */
async function answerTo(
  surface: AnySurface,
  model: string,
  streams: boolean,
  { turns = TIDES, more }: Pick<Wish, 'turns' | 'more'>,
): Promise<{ refusal: string | undefined; dropped: string[] }> {
  const fields = more[surface] ?? {}
  const { path, headers, body } = requestOf(surface, { model, streams, turns, more: fields })
  const response = await call(path, body, { headers })
  const text = await response.text()
  const is_answer = response.status === 200 && !/"error": ?\{/.test(text)
  const dropped = response.headers.get('x-tollgate-dropped')?.split(', ').sort() ?? []
  return { refusal: is_answer ? undefined : text, dropped }
}

/** The wishes of a case: in a long run all; otherwise whole answers to a sixth of them, streamed ones to a twelfth. */
const wishesOf = (streams: boolean, row: number): readonly Wish[] => {
  const parts = streams ? 4 : 2
  const wishes = sample(WISHES, streams ? row + 1 : row)
  return IS_LONG ? wishes : wishes.filter((_, nth) => nth % parts === row % parts)
}

describe.each([false, true])('no translated request is refused, streamed: %p', (streams) => {
  test.each(CASES)('%s to %s', async (surface, model, row) => {
    const wishes = wishesOf(streams, row).filter(({ more }) => more[surface])
    const answers = await Promise.all(wishes.map((wish) => answerTo(surface, model, streams, wish)))
    const refused = answers.flatMap(({ refusal }, nth) => (refusal ? `${wishes[nth]?.name}: ${refusal}` : []))
    expect(refused).toEqual([])
  })
})

const say = (...turns: Turn[]) => ({ turns, more: {} })
const only = (surface: AnySurface, more: JsonObject) => ({ more: { [surface]: more } })
const at = (path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], received)

const WRITTEN: readonly (readonly [
  name: string,
  AnySurface,
  model: string,
  Pick<Wish, 'turns' | 'more'>,
  dropped: string[],
  written: Record<string, unknown>,
])[] = [
  [
    'a forced tool, where the model takes it',
    'chat',
    'claude-haiku-5-5',
    only('chat', { ...DECLARED.chat, tool_choice: 'required' }),
    [],
    { tool_choice: { type: 'any' }, system: undefined },
  ],
  [
    'a forced tool in words, where the model does not',
    'chat',
    'claude-opus-5-5',
    only('chat', { ...DECLARED.chat, tool_choice: 'required', parallel_tool_calls: false }),
    ['tool_choice'],
    {
      tool_choice: { type: 'auto', disable_parallel_tool_use: true },
      system: 'Answer by calling a tool.',
      'tools.0.name': TOOL_NAME,
    },
  ],
  [
    'a forced tool in words, with thinking',
    'responses',
    'claude-sonnet-5-5',
    only('responses', {
      ...DECLARED.responses,
      tool_choice: { type: 'function', name: TOOL_NAME },
      reasoning: { effort: 'xhigh' },
      instructions: 'Be brief.',
    }),
    ['tool_choice'],
    {
      'thinking.type': 'adaptive',
      'output_config.effort': 'xhigh',
      'system.0.text': 'Be brief.',
      'system.1.text': 'Answer by calling a tool.',
    },
  ],
  [
    'a schema, where the model has no field for it',
    'chat',
    'claude-sonnet-4-20250514',
    only('chat', { ...(JSON_WANTED.chat as JsonObject), reasoning_effort: 'none' }),
    ['response_format'],
    { output_config: undefined, thinking: { type: 'disabled' }, system: expect.stringContaining('"city"') },
  ],
  [
    'a schema beside functions',
    'messages',
    'gemini-2.5-flash',
    only('messages', { ...JSON_WANTED.messages, ...DECLARED.messages }),
    ['output_config.format'],
    {
      generationConfig: { maxOutputTokens: 4_096 },
      'systemInstruction.parts.0.text': expect.stringContaining('"city"'),
    },
  ],
  [
    'JSON beside functions',
    'chat',
    'gemini-2.5-pro',
    only('chat', { ...DECLARED.chat, response_format: { type: 'json_object' } }),
    [],
    {
      'generationConfig.responseMimeType': undefined,
      'systemInstruction.parts.0.text': expect.stringContaining('valid JSON object'),
    },
  ],
  [
    'JSON beside functions, where the model takes both',
    'chat',
    'gemini-3-flash-preview',
    only('chat', { ...DECLARED.chat, response_format: { type: 'json_object' } }),
    [],
    { 'generationConfig.responseMimeType': 'application/json', systemInstruction: undefined },
  ],
  [
    'penalties',
    'chat',
    'gemini-3.7-flash',
    only('chat', { frequency_penalty: 0.5, presence_penalty: 0, seed: 7 }),
    ['frequency_penalty'],
    { generationConfig: { seed: 7 } },
  ],
  [
    'penalties, where the model takes them',
    'chat',
    'gemini-2.0-flash',
    only('chat', { frequency_penalty: 0.5, presence_penalty: 0 }),
    [],
    { generationConfig: { frequencyPenalty: 0.5, presencePenalty: 0 } },
  ],
  [
    'a strict tool',
    'chat',
    'claude-3-7-sonnet-20250219',
    only('chat', STRICT_TOOL.chat ?? {}),
    ['strict'],
    { 'tools.0.strict': undefined, 'tools.0.name': TOOL_NAME },
  ],
  [
    'a tool whose arguments are a choice',
    'chat',
    'claude-sonnet-5-5',
    only('chat', {
      tools: [
        {
          type: 'function',
          function: {
            name: TOOL_NAME,
            parameters: {
              required: ['id'],
              properties: { id: { type: 'string' } },
              anyOf: [{ $ref: '#/$defs/a' }, { properties: { b: { type: 'string' } }, required: ['b', 'c'] }],
              $defs: { a: { properties: { a: { type: 'string' } }, required: ['a', 'c'] } },
            },
          },
        },
      ],
    }),
    [],
    {
      'tools.0.input_schema': {
        type: 'object',
        properties: { id: { type: 'string' }, a: { type: 'string' }, b: { type: 'string' } },
        required: ['id', 'c'],
        $defs: { a: { properties: { a: { type: 'string' } }, required: ['a', 'c'] } },
      },
    },
  ],
  [
    'sampling, of 4.5 and older',
    'chat',
    'claude-haiku-4-5',
    only('chat', { temperature: 0.5, top_p: 0.9 }),
    ['top_p'],
    { temperature: 0.5, top_p: undefined },
  ],
  [
    'sampling, of 4.7 and newer',
    'native',
    'claude-fable-5-1',
    only('native', config({ temperature: 0.5, topP: 0.9, topK: 4 })),
    ['generationConfig.temperature', 'generationConfig.topK', 'generationConfig.topP'],
    { temperature: undefined, top_p: undefined, top_k: undefined },
  ],
  [
    'an answer to continue',
    'chat',
    'claude-haiku-4-5',
    say(ask, { by: 'assistant', text: 'Well, ' }),
    [],
    { 'messages.1.content': [{ type: 'text', text: 'Well,' }], 'messages.2': undefined },
  ],
  [
    'an answer to continue, in words, where the model does not take it',
    'chat',
    'claude-sonnet-5',
    say(ask, { by: 'assistant', text: 'Well, ' }),
    [],
    {
      'messages.1.content': [{ type: 'text', text: 'Well, ' }],
      'messages.2': {
        role: 'user',
        content: [{ type: 'text', text: 'Continue exactly where your message ends.' }],
      },
    },
  ],
  [
    'an answer to continue, in words, for Gemini',
    'messages',
    'gemini-3.7-flash',
    say(ask, { by: 'assistant', text: 'Well,' }),
    [],
    {
      'contents.1': { role: 'model', parts: [{ text: 'Well,' }] },
      'contents.2': { role: 'user', parts: [{ text: 'Continue exactly where your message ends.' }] },
    },
  ],
  [
    'an answer to continue, where Gemini takes it',
    'responses',
    'gemini-3.5-flash',
    say(ask, { by: 'assistant', text: 'Well,' }),
    [],
    { 'contents.1': { role: 'model', parts: [{ text: 'Well,' }] }, 'contents.2': undefined },
  ],
  [
    'a conversation that begins with a call',
    'chat',
    'gemini-2.5-flash',
    say({ by: 'call', id: 'a' }, { by: 'result', id: 'a', text: 'nine' }),
    [],
    { 'contents.0': { role: 'user', parts: [{ text: 'Begin.' }] }, 'contents.1.role': 'model' },
  ],
  [
    'a budget, for a model that only knows efforts',
    'native',
    'claude-opus-5',
    only('native', config({ thinkingConfig: { thinkingBudget: 20_000 } })),
    [],
    { thinking: { type: 'adaptive', display: 'omitted' }, 'output_config.effort': 'high' },
  ],
  [
    'an effort, for a model that only knows budgets',
    'chat',
    'claude-haiku-4-5',
    only('chat', { reasoning_effort: 'xhigh', max_completion_tokens: 2_500 }),
    [],
    { thinking: { type: 'enabled', budget_tokens: 1_476 }, output_config: undefined },
  ],
  [
    'no thinking, for a model that always thinks',
    'chat',
    'gemini-2.5-pro',
    only('chat', { reasoning_effort: 'none' }),
    [],
    { 'generationConfig.thinkingConfig': { thinkingBudget: 128 } },
  ],
]

describe('the fields of the request, and the dropped ones, which are named', () => {
  test.each(WRITTEN)('%s: %s to %s', async (_, surface, model, wish, dropped, written) => {
    for (const streams of [false, true]) {
      expect(await answerTo(surface, model, streams, wish)).toEqual({ refusal: undefined, dropped })
      expect(Object.fromEntries(Object.keys(written).map((path) => [path, at(path)]))).toEqual(written)
    }
  })

  test.each(['get_time:0', 'functions.get_time:0', 'x'.repeat(65), 'ü'])(
    'the call %s and its result keep one id, which differs from others',
    async (id) => {
      const turns: Turn[] = [ask, { by: 'call', id }, { by: 'result', id, text: 'nine' }]
      const others: Turn[] = [
        { by: 'call', id: `${id}.` },
        { by: 'result', id: `${id}.`, text: 'ten' },
      ]
      expect(
        (await answerTo('chat', 'claude-opus-5-5', false, say(...turns, ...others))).refusal,
      ).toBeUndefined()
      const ids = [1, 3].map((nth) => at(`messages.${nth}.content.0.id`))
      expect([2, 4].map((nth) => at(`messages.${nth}.content.0.tool_use_id`))).toEqual(ids)
      expect(new Set(ids).size).toBe(2)
      for (const sent of ids) expect(sent).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
    },
  )
})

describe('a request that passes through stays the caller’s own', () => {
  test.each([
    ['messages', 'claude-opus-5-5', { tool_choice: { type: 'any' }, ...DECLARED.messages }, 'tool_choice'],
    ['messages', 'claude-sonnet-5', { temperature: 0.5 }, 'temperature'],
    ['native', 'gemini-2.5-pro', config({ thinkingConfig: { thinkingBudget: 0 } }), 'Budget 0'],
    ['native', 'gemini-3-pro-preview', config({ frequencyPenalty: 1 }), 'Penalty'],
  ] as const)('%s to %s', async (surface, model, more, words) => {
    const { refusal, dropped } = await answerTo(surface, model, false, only(surface, more as JsonObject))
    expect(refusal).toContain(words)
    expect(dropped).toEqual([])
    expect(received).toMatchObject(more as Record<string, unknown>)
  })
})

test('a field that no Claude model supports is refused before the hold', async () => {
  const before = counts()
  const { refusal } = await answerTo('chat', 'claude-opus-5-5', false, only('chat', { n: 2 }))
  expect(refusal).toContain('n is not supported by a Claude model')
  await expectCounts(before)
})
