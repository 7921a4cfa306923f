// Wishes of callers on each surface, as far as models differ in them: thinking, choices of tools, sampling, formats, odd conversations.
import type { JsonObject } from '../../src/protocols/wire/json.ts'
import { ALL_SURFACES, type AnySurface, DECLARED, TOOL_NAME, type Turn } from './written-conversation.ts'

export const TIDES: readonly Turn[] = [{ by: 'user', text: 'Why do tides rise?' }]
const SCHEMA: JsonObject = {
  type: 'object',
  properties: { city: { type: 'string', minLength: 1 }, day: { type: ['integer', 'null'] } },
  required: ['city'],
}

export interface Wish {
  readonly name: string
  readonly turns?: readonly Turn[]
  /** Further fields on each surface that can wish for it. */
  readonly more: Partial<Readonly<Record<AnySurface, JsonObject>>>
}

const on = (fields: (surface: AnySurface) => JsonObject): Wish['more'] =>
  Object.fromEntries(ALL_SURFACES.map((surface) => [surface, fields(surface)]))
const NOTHING_MORE = on(() => ({}))
export const config = (fields: JsonObject): JsonObject => ({ generationConfig: fields })

const EFFORTS: readonly Wish[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'].map(
  (effort) => ({
    name: `effort ${effort}`,
    more: {
      chat: { reasoning_effort: effort },
      responses: { reasoning: { effort, summary: 'auto' } },
      ...(['none', 'minimal'].includes(effort)
        ? {}
        : { messages: { thinking: { type: 'adaptive' }, output_config: { effort } } }),
      ...(['minimal', 'low', 'medium', 'high'].includes(effort)
        ? {
            native: config({
              thinkingConfig: { thinkingLevel: effort.toUpperCase(), includeThoughts: true },
            }),
          }
        : {}),
    },
  }),
)

const BUDGETS: readonly Wish[] = [0, 1, 600, 4_000, 100_000].map((budget) => ({
  name: `a budget of ${budget}`,
  more: {
    native: config({ maxOutputTokens: 3_000, thinkingConfig: { thinkingBudget: budget } }),
    ...(budget < 1_024 ? {} : { messages: { thinking: { type: 'enabled', budget_tokens: budget } } }),
  },
}))

const LIMITS: readonly Wish[] = [1, 16, 1_024, 1_025, 2_048].map((limit) => ({
  name: `thinking within ${limit} tokens`,
  more: {
    native: config({ maxOutputTokens: limit, thinkingConfig: { thinkingBudget: 2_000 } }),
    messages: { max_tokens: limit, thinking: { type: 'adaptive' }, output_config: { effort: 'high' } },
    chat: { max_completion_tokens: limit, reasoning_effort: 'high' },
    responses: { max_output_tokens: limit, reasoning: { effort: 'high' } },
  },
}))

const THINKING: Readonly<Record<AnySurface, JsonObject>> = {
  native: config({ thinkingConfig: { thinkingBudget: 2_000 } }),
  messages: { thinking: { type: 'enabled', budget_tokens: 2_000 } },
  chat: { reasoning_effort: 'high' },
  responses: { reasoning: { effort: 'high' } },
}

const CHOSEN: Readonly<Record<AnySurface, readonly JsonObject[]>> = {
  native: ['ANY', 'NONE', 'VALIDATED'].map((mode) => ({ toolConfig: { functionCallingConfig: { mode } } })),
  messages: [{ type: 'any' }, { type: 'none' }, { type: 'tool', name: TOOL_NAME }].map((tool_choice) => ({
    tool_choice,
  })),
  chat: ['required', 'none', { type: 'function', function: { name: TOOL_NAME } }].map((tool_choice) => ({
    tool_choice,
  })),
  responses: ['required', 'none', { type: 'function', name: TOOL_NAME }].map((tool_choice) => ({
    tool_choice,
  })),
}
const CHOICES: readonly Wish[] = [0, 1, 2].flatMap((at) => {
  const chosen = on((surface) => ({ ...DECLARED[surface], ...CHOSEN[surface][at] }))
  const thinks = on((surface) => ({ ...chosen[surface], ...THINKING[surface] }))
  return [
    { name: `choice ${at} of a tool`, more: chosen },
    { name: `choice ${at} of a tool with thinking`, more: thinks },
  ]
})

const SAMPLED: Readonly<Record<AnySurface, JsonObject>> = {
  native: config({ temperature: 1.5, topP: 0.9, topK: 40, frequencyPenalty: 0.5, presencePenalty: -0.5 }),
  messages: { temperature: 0.5, top_p: 0.9, top_k: 40 },
  chat: { temperature: 1.5, top_p: 0.9, frequency_penalty: 0.5, presence_penalty: -0.5 },
  responses: { temperature: 1.5, top_p: 0.9 },
}
const together = (surface: AnySurface, one: JsonObject, other: JsonObject): JsonObject => ({
  ...one,
  ...other,
  ...(surface === 'native'
    ? config({ ...(one.generationConfig as JsonObject), ...(other.generationConfig as JsonObject) })
    : {}),
})
const SAMPLING: readonly Wish[] = [
  { name: 'sampling', more: SAMPLED },
  {
    name: 'sampling with thinking',
    more: on((surface) => together(surface, SAMPLED[surface], THINKING[surface])),
  },
]

export const JSON_WANTED: Readonly<Record<AnySurface, JsonObject>> = {
  native: config({ responseMimeType: 'application/json', responseJsonSchema: SCHEMA }),
  messages: { output_config: { format: { type: 'json_schema', schema: SCHEMA } } },
  chat: {
    response_format: { type: 'json_schema', json_schema: { name: 'a', schema: SCHEMA, strict: true } },
  },
  responses: { text: { format: { type: 'json_schema', name: 'a', schema: SCHEMA, strict: true } } },
}
export const STRICT_TOOL: Partial<Record<AnySurface, JsonObject>> = {
  messages: { tools: [{ name: TOOL_NAME, input_schema: SCHEMA, strict: true }] },
  chat: { tools: [{ type: 'function', function: { name: TOOL_NAME, parameters: SCHEMA, strict: true } }] },
  responses: { tools: [{ type: 'function', name: TOOL_NAME, parameters: SCHEMA, strict: true }] },
}
const OUTPUTS: readonly Wish[] = [
  { name: 'a schema', more: JSON_WANTED },
  {
    name: 'a schema beside tools',
    more: on((surface) => together(surface, JSON_WANTED[surface], DECLARED[surface])),
  },
  { name: 'a strict tool', more: STRICT_TOOL },
  {
    name: 'JSON beside tools',
    more: {
      native: { ...config({ responseMimeType: 'application/json' }), ...DECLARED.native },
      chat: { response_format: { type: 'json_object' }, ...DECLARED.chat },
      responses: { text: { format: { type: 'json_object' } }, ...DECLARED.responses },
    },
  },
]

const conversation = (name: string, ...turns: Turn[]): Wish => ({ name, turns, more: DECLARED })
export const [ask] = TIDES as [Turn]
const toolLoop = (id: string): Turn[] => [ask, { by: 'call', id }, { by: 'result', id, text: 'nine' }]
const CONVERSATIONS: readonly Wish[] = [
  conversation('an answer to continue', ask, { by: 'assistant', text: 'Well, ' }),
  {
    name: 'an answer to continue with thinking',
    turns: [ask, { by: 'assistant', text: 'Well,' }],
    more: THINKING,
  },
  {
    name: 'an answer to continue with a schema',
    turns: [ask, { by: 'assistant', text: '{' }],
    more: JSON_WANTED,
  },
  conversation('an answer of blanks to continue', ask, { by: 'assistant', text: ' \n' }),
  conversation('an answer first', { by: 'assistant', text: 'Hello.' }, ask),
  conversation('a call first', { by: 'call', id: 'a' }, { by: 'result', id: 'a', text: 'nine' }),
  conversation('blanks', { by: 'user', text: '\n' }, { by: 'assistant', text: 'Yes?' }, ask),
  conversation('nothing but blanks', { by: 'user', text: ' ' }),
  {
    ...conversation('nothing but a system prompt', { by: 'system', text: 'Greet.' }),
    // The other two refuse it themselves.
    more: { chat: {}, responses: {} },
  },
  ...['get_time:0', 'functions.get_time:0', 'a|b', 'ü', 'x'.repeat(65)].map((id) =>
    conversation(`a call with the id ${id}`, ...toolLoop(id)),
  ),
  {
    name: 'a call with thinking',
    turns: toolLoop('get_time:0'),
    more: on((surface) => ({ ...DECLARED[surface], ...THINKING[surface] })),
  },
]

export const WISHES = [
  { name: 'a question', more: NOTHING_MORE },
  ...EFFORTS,
  ...BUDGETS,
  ...LIMITS,
  ...CHOICES,
  ...SAMPLING,
  ...OUTPUTS,
  ...CONVERSATIONS,
]
