// Prompt caches in translation: the models that get a caller's marks and keys, and the marks that are added for Claude.
import { describe, expect, test } from 'bun:test'
import { responses } from '../../../src/protocols/openai/responses/index.ts'
import { BUILT_IN_PROTOCOLS } from '../../../src/protocols/registry.ts'
import type { JsonObject } from '../../../src/protocols/wire/json.ts'

const CALLERS = { ...BUILT_IN_PROTOCOLS, responses }
const MARK = { cache_control: { type: 'ephemeral' } }
const HOUR = { cache_control: { type: 'ephemeral', ttl: '1h' } }
const BREAKPOINT = { prompt_cache_breakpoint: { mode: 'explicit' } }

/** A caller's request as a provider's model gets it. */
function sent(
  from: keyof typeof CALLERS,
  body: JsonObject,
  model: string,
  automatic_caching = true,
): JsonObject {
  const to = model === 'claude-sonnet-5' ? 'anthropic' : model.startsWith('gemini') ? 'gemini' : 'openai'
  const request = CALLERS[from].text.decodeRequest(structuredClone(body), false)
  return BUILT_IN_PROTOCOLS[to].text.encodeRequest(request, {
    model,
    max_output_tokens: 64,
    automatic_caching,
  })
}

/** The places of all marks in a body, with the marks. */
function marksIn(value: unknown, at = ''): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return {}
  return Object.assign(
    {},
    ...Object.entries(value).map(([name, inner]) =>
      /^(?:cache_control|prompt_cache_breakpoint)$/.test(name)
        ? { [at.slice(1)]: { [name]: inner } }
        : marksIn(inner, `${at}.${name}`),
    ),
  )
}

const text = (words: string, more: JsonObject = {}): JsonObject => ({ type: 'text', text: words, ...more })
const user = (...content: JsonObject[]): JsonObject => ({ role: 'user', content })
const reply: JsonObject = { role: 'assistant', content: [text('Hello.')] }
const parameters = { type: 'object', properties: {} }
const MESSAGES: JsonObject = {
  model: 'm',
  max_tokens: 64,
  system: [text('Be brief.'), text('Be kind.', HOUR)],
  tools: [{ name: 'look', input_schema: parameters, ...MARK }],
  messages: [user(text('Hi.')), reply, user(text('Why?', MARK))],
}
const CHAT: JsonObject = {
  model: 'm',
  tools: [{ type: 'function', function: { name: 'look', parameters }, ...MARK }],
  messages: [
    { role: 'system', content: [text('Be brief.', MARK)] },
    { role: 'user', content: 'Look.' },
    {
      role: 'assistant',
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'look', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'c', content: 'Seen.', ...MARK },
    user(text('Why?', BREAKPOINT)),
  ],
}

describe("a caller's marks are carried", () => {
  test.each<[string, JsonObject, Record<string, unknown>]>([
    [
      'messages to Claude behind chat completions',
      sent('anthropic', MESSAGES, 'anthropic/claude-sonnet-5'),
      { 'messages.0.content.0': MARK, 'messages.3.content.0': MARK, 'tools.0': MARK },
    ],
    [
      'messages to GPT-5.6',
      sent('anthropic', MESSAGES, 'gpt-5.6'),
      { 'messages.0.content.0': BREAKPOINT, 'messages.3.content.0': BREAKPOINT },
    ],
    ['messages to GPT-5.1', sent('anthropic', MESSAGES, 'gpt-5.1'), {}],
    ['messages to a model of another provider', sent('anthropic', MESSAGES, 'deepseek-chat'), {}],
    ['messages to Gemini', sent('anthropic', MESSAGES, 'gemini-2.5-flash'), {}],
    [
      'chat completions to Claude',
      sent('openai', CHAT, 'claude-sonnet-5'),
      { 'system.0': MARK, 'tools.0': MARK, 'messages.2.content.0': MARK, 'messages.2.content.1': MARK },
    ],
    [
      'responses to Claude',
      sent(
        'responses',
        { model: 'm', input: [user({ type: 'input_text', text: 'Hi.', ...BREAKPOINT })] },
        'claude-sonnet-5',
      ),
      { 'messages.0.content.0': MARK },
    ],
  ])('%s', (_, body, marks) => {
    expect(marksIn(body)).toEqual(marks)
  })

  const look = { type: 'tool_use', id: 'c', name: 'look', input: {} }
  const seen = (content: JsonObject[], more: JsonObject = {}): JsonObject => ({
    ...MESSAGES,
    tools: [{ name: 'look', input_schema: parameters }],
    messages: [
      user(text('Look.')),
      { role: 'assistant', content: [look] },
      user({ type: 'tool_result', tool_use_id: 'c', content, ...more }),
    ],
  })
  const asResponses = (body: JsonObject, model: string): JsonObject =>
    responses.text.encodeRequest(CALLERS.anthropic.text.decodeRequest(body, false), {
      model,
      max_output_tokens: 64,
    })

  test.each<[string, JsonObject, Record<string, unknown>]>([
    [
      'on the system prompt, which becomes a message',
      asResponses(MESSAGES, 'gpt-5.6'),
      { 'input.0.content.0': BREAKPOINT, 'input.3.content.0': BREAKPOINT },
    ],
    [
      'on the result of a tool',
      asResponses(seen([text('A.'), text('B.')], MARK), 'gpt-5.6'),
      { 'input.0.content.0': BREAKPOINT, 'input.3.output.1': BREAKPOINT },
    ],
    [
      'inside the result of a tool',
      asResponses(seen([text('A.', MARK), text('B.')]), 'gpt-6-sol'),
      { 'input.0.content.0': BREAKPOINT, 'input.3.output.1': BREAKPOINT },
    ],
    ['not to older models', asResponses(seen([text('A.', MARK)], MARK), 'gpt-5.1'), {}],
  ])('to responses: %s', (_, body, marks) => {
    expect(marksIn(body)).toEqual(marks)
  })

  test('instructions without a mark stay instructions', () => {
    expect(asResponses({ ...MESSAGES, system: 'Be brief.' }, 'gpt-5.6').instructions).toBe('Be brief.')
    const marked = asResponses(MESSAGES, 'gpt-5.6')
    expect([marked.instructions, (marked.input as JsonObject[])[0]]).toEqual([
      undefined,
      {
        type: 'message',
        role: 'developer',
        content: [{ type: 'input_text', text: 'Be brief.\n\nBe kind.', ...BREAKPOINT }],
      },
    ])
    expect(asResponses(MESSAGES, 'gpt-5.1').instructions).toBe('Be brief.\n\nBe kind.')
  })

  test.each<[string, JsonObject, Record<string, unknown>]>([
    ['from messages', sent('anthropic', seen([text('A.', HOUR)]), 'anthropic/claude-sonnet-5'), HOUR],
    [
      'from responses',
      sent(
        'responses',
        {
          model: 'm',
          input: [
            { type: 'function_call', call_id: 'c', name: 'look', arguments: '{}' },
            {
              type: 'function_call_output',
              call_id: 'c',
              output: [{ type: 'input_text', text: 'A.', ...BREAKPOINT }],
            },
          ],
        },
        'claude-sonnet-5',
      ),
      MARK,
    ],
  ])('inside the result of a tool, %s', (_, body, mark) => {
    expect(Object.values(marksIn(body))).toContainEqual(mark)
  })

  test('a system prompt is split only after its marks', () => {
    const { messages } = sent('anthropic', MESSAGES, 'gpt-5.6') as { messages: JsonObject[] }
    expect(messages[0]).toEqual({ role: 'system', content: [text('Be brief.\n\nBe kind.', BREAKPOINT)] })
    const plain = sent('anthropic', MESSAGES, 'gpt-5.1') as { messages: JsonObject[] }
    expect(plain.messages[0]).toEqual({ role: 'system', content: 'Be brief.\n\nBe kind.' })
  })

  test('of more than four marks Claude gets the last four, its maximum', () => {
    const parts = Array.from({ length: 7 }, (_, n) => text(`Part ${n}.`, BREAKPOINT))
    const body = sent('openai', { model: 'm', messages: [user(...parts)] }, 'claude-sonnet-5')
    expect(Object.keys(marksIn(body))).toEqual([3, 4, 5, 6].map((n) => `messages.0.content.${n}`))
  })
})

test('a mark of an hour after one of five minutes becomes one of five minutes, as Claude requires', () => {
  const turns = [user(text('Hi.', MARK)), reply, user(text('Why?', HOUR))]
  const late = { role: 'system', content: [text('Be kind.', MARK)] }
  const marks = (...messages: JsonObject[]) =>
    Object.values(marksIn(sent('openai', { model: 'm', messages }, 'claude-sonnet-5')))
  expect(marks(...turns)).toEqual([MARK, MARK])
  expect(marks(user(text('Hi.', HOUR)), reply, user(text('Why?', MARK)))).toEqual([HOUR, MARK])
  // The system prompt comes first.
  expect(marks(user(text('Hi.', HOUR)), late)).toEqual([MARK, MARK])
})

describe('Claude gets marks from the gateway if the caller has set none', () => {
  const call = {
    role: 'assistant',
    tool_calls: [{ id: 'c', type: 'function', function: { name: 'look', arguments: '{}' } }],
  }
  const chat = (...messages: JsonObject[]): JsonObject => ({ model: 'm', messages })
  const system = { role: 'system', content: 'Be brief.' }
  const CONVERSATION = chat(system, user(text('Hi.')), reply, user(text('Why?')))

  test.each<[string, JsonObject, string[]]>([
    [
      'the system prompt and the last two messages of the user',
      CONVERSATION,
      ['system.0', 'messages.0.content.0', 'messages.2.content.0'],
    ],
    [
      'the last tool, without a system prompt',
      {
        ...chat(user(text('Hi.')), call, { role: 'tool', tool_call_id: 'c', content: 'Seen.' }),
        tools: ['look', 'see'].map((name) => ({ type: 'function', function: { name, parameters } })),
      },
      ['messages.0.content.0', 'messages.2.content.0', 'tools.1'],
    ],
    [
      'the last two of many messages',
      chat(...[1, 2, 3].flatMap((n) => [user(text(`Question ${n}.`)), reply]), user(text('Why?'))),
      ['messages.4.content.0', 'messages.6.content.0'],
    ],
    ['none in a first message', chat(system, user(text('Hi.'))), []],
  ])('%s', (_, body, places) => {
    expect(Object.keys(marksIn(sent('openai', body, 'claude-sonnet-5'))).sort()).toEqual(places.sort())
  })

  test.each<[string, JsonObject, unknown]>([
    ['five minutes', CONVERSATION, MARK],
    [
      'an hour, if the caller requests the retention of a day from OpenAI',
      { ...CONVERSATION, prompt_cache_retention: '24h' },
      HOUR,
    ],
  ])('for %s', (_, body, mark) => {
    expect(Object.values(marksIn(sent('openai', body, 'claude-sonnet-5')))).toEqual([mark, mark, mark])
  })

  test.each([
    ["the model's setting is off", 'claude-sonnet-5', false],
    ['the model is not a Claude', 'gpt-5.6', true],
    ['the model is not a Claude', 'llama-4', true],
  ])('no marks if %s: %s', (_, model, automatic) => {
    expect(marksIn(sent('openai', CONVERSATION, model, automatic))).toEqual({})
  })

  test('a mark keeps its place, so that the next call finds the cache of this one', () => {
    const before = sent('openai', CONVERSATION, 'claude-sonnet-5') as { messages: JsonObject[] }
    const longer = chat(system, user(text('Hi.')), reply, user(text('Why?')), reply, user(text('And?')))
    const after = sent('openai', longer, 'claude-sonnet-5') as { messages: JsonObject[] }
    expect(after.messages[2]).toEqual(before.messages[2] as JsonObject)
  })
})

describe('the key of the cache', () => {
  const KEY = {
    prompt_cache_key: 'k',
    prompt_cache_retention: '24h',
    prompt_cache_options: { mode: 'explicit' },
  }
  const user_id = JSON.stringify({ device_id: 'd', session_id: 'k' })
  const fields = ({ prompt_cache_key, prompt_cache_retention, prompt_cache_options }: JsonObject) =>
    JSON.parse(JSON.stringify({ prompt_cache_key, prompt_cache_retention, prompt_cache_options }))
  const input = { model: 'm', input: 'Hi.', ...KEY }

  test.each<[string, JsonObject, JsonObject]>([
    [
      'with its retention to GPT-5.1',
      sent('responses', input, 'gpt-5.1'),
      { prompt_cache_key: 'k', prompt_cache_retention: '24h' },
    ],
    [
      'with its options to GPT-5.6',
      sent('responses', input, 'gpt-5.6'),
      { prompt_cache_key: 'k', prompt_cache_options: { mode: 'explicit' } },
    ],
    ['not to a server that may refuse it', sent('responses', input, 'mistral-large'), {}],
    ['not to Claude', sent('responses', input, 'claude-sonnet-5'), {}],
    [
      "is Claude Code's session",
      sent('anthropic', { ...MESSAGES, metadata: { user_id } }, 'gpt-5.1'),
      { prompt_cache_key: 'k' },
    ],
    ['is not an end user', sent('anthropic', { ...MESSAGES, metadata: { user_id: 'anna' } }, 'gpt-5.1'), {}],
  ])('%s', (_, body, expected) => {
    expect(fields(body)).toEqual(expected)
  })
})

describe("Claude Code's changing billing line is left out", () => {
  const line = 'x-anthropic-billing-header: cc_version=2.1.177.01c; cc_entrypoint=cli; cch=36ee5;'

  test.each<[string, JsonObject['system']]>([
    ['as a block', [text(line), text('Be brief.')]],
    ['as the first line of a text', `${line}\nBe brief.`],
  ])('%s', (_, system) => {
    const body = { ...MESSAGES, system: system ?? null }
    expect(sent('anthropic', body, 'gemini-2.5-flash').systemInstruction).toEqual({
      parts: [{ text: 'Be brief.' }],
    })
  })

  test('but not a text that only mentions it', () => {
    const system = 'Say x-anthropic-billing-header: cch=1;'
    const sent_on = sent('anthropic', { ...MESSAGES, system }, 'gemini-2.5-flash')
    expect(sent_on.systemInstruction).toEqual({ parts: [{ text: system }] })
  })
})
