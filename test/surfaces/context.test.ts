// silent.md, Chat completions, models, embeddings: "A prompt that cannot fit the model's context is refused before the hold, in the vendor's
// own words and code."
import { beforeEach, describe, expect, test } from 'bun:test'
import type { BuiltInProtocol } from '../../src/protocols/registry.ts'
import type { JsonObject } from '../../src/protocols/wire/json.ts'
import { replay } from '../support/replay.ts'
import { fileScene } from '../support/scene.ts'
import { modelSection, providerSection } from '../support/sections.ts'
import { PROTOCOLS } from '../support/three-providers.ts'
import { REQUESTS } from './requests.ts'

const CONTEXT = 1_000
const catalogue = (url: string): string =>
  PROTOCOLS.flatMap((protocol) => [
    providerSection(protocol, protocol, `${url}/${protocol}`, 'cooldown_ms = 0', []),
    modelSection(
      protocol,
      { [protocol]: protocol },
      {
        price: `input = 1, output = 4, extras = ${EXTRAS[protocol]}, tiers = [{ above = 5000, input = 2, output = 8 }]`,
        more: `context = ${CONTEXT}\nmax_output_tokens = 500`,
      },
    ),
  ]).join('')
const EXTRAS: Readonly<Record<BuiltInProtocol, string>> = {
  gemini: '{}',
  anthropic: '{ compaction = 0 }',
  openai: '{ transforms = 0 }',
}

const { upstream, call, counts, expectCounts, lastCall } = await fileScene({ catalogue })
beforeEach(() => upstream.answer(replay('text')))

/** The prompt in each protocol, as plain text and in parts. */
const PROMPTS: Readonly<Record<BuiltInProtocol, (text: string) => readonly JsonObject[]>> = {
  gemini: (text) => [
    { contents: [{ role: 'user', parts: [{ text }] }] },
    { contents: [{ parts: { text } }] },
    { systemInstruction: { parts: [{ text }] } },
    { system_instruction: text },
  ],
  anthropic: (text) => [
    { messages: [{ role: 'user', content: text }] },
    { messages: [{ role: 'user', content: [{ type: 'text', text }] }] },
    {
      messages: [
        { role: 'user', content: 'x' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'x', name: 'f', input: {} }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'x', content: text }] },
      ],
    },
    { system: text },
    { system: [{ type: 'text', text }] },
  ],
  openai: (text) => [
    { messages: [{ role: 'user', content: text }] },
    { messages: [{ role: 'user', content: [{ type: 'text', text }] }] },
    {
      messages: [
        { role: 'system', content: text },
        { role: 'user', content: 'x' },
      ],
    },
  ],
}

const REFUSALS: Readonly<Record<BuiltInProtocol, (tokens: number) => object>> = {
  gemini: (tokens) => ({
    error: {
      code: 400,
      status: 'INVALID_ARGUMENT',
      message: `The input token count (${tokens}) exceeds the maximum number of tokens allowed (${CONTEXT}).`,
    },
  }),
  anthropic: (tokens) => ({
    type: 'error',
    error: {
      type: 'invalid_request_error',
      message: `prompt is too long: ${tokens} tokens > ${CONTEXT} maximum`,
    },
  }),
  openai: () => ({
    error: {
      type: 'invalid_request_error',
      code: 'context_length_exceeded',
      param: 'messages',
      message: expect.stringContaining(`maximum context length is ${CONTEXT} tokens`),
    },
  }),
}

function send(caller: BuiltInProtocol, body: JsonObject, to = caller, headers: Record<string, string> = {}) {
  const request = REQUESTS[caller](to, false, body)
  return call(request.path, request.body, { headers: { ...request.headers, ...headers } })
}

const words = (count: number, word = 'word') => Array.from({ length: count }, () => word).join(' ')

const EACH = PROTOCOLS.flatMap((caller) =>
  PROTOCOLS.flatMap((to) => PROMPTS[caller]('').map((_, form) => [caller, to, form] as const)),
)

describe('a prompt of more words than the context has tokens', () => {
  test.each(EACH)(
    'is 400: a caller of %s, a model of %s, form %i; nothing is held',
    async (caller, to, form) => {
      const before = counts()
      const response = await send(caller, PROMPTS[caller](words(4_000))[form] ?? {}, to)
      expect(response.status).toBe(400)
      const body = await response.json()
      const { message } = (body as { error: { message: string } }).error
      const tokens = Number(/\d{4,}/.exec(message.replace(String(CONTEXT), ''))?.[0])
      expect(body).toMatchObject(REFUSALS[caller](tokens))
      expect(tokens).toBeGreaterThanOrEqual(4_000)
      await expectCounts(before)
    },
  )

  test.each(PROTOCOLS)('of %s, which is parsed on a thread', async (caller) => {
    const before = counts()
    const response = await send(caller, PROMPTS[caller](words(400_000))[0] ?? {})
    expect([response.status, await response.json()]).toMatchObject([400, REFUSALS[caller](400_000)])
    await expectCounts(before)
  })
})

describe('a prompt that may fit is sent to the provider', () => {
  const MAY_FIT: [string, string][] = [
    ['words that just fit', words(CONTEXT - 20)],
    ['long words, estimated beyond the context', words(CONTEXT - 20, 'extraordinarily')],
    ['white space without end', `a${' \n'.repeat(20_000)}`],
    ['a row of signs', '='.repeat(20_000)],
  ]
  test.each(PROTOCOLS.flatMap((caller) => MAY_FIT.map((prompt) => [caller, ...prompt] as const)))(
    '%s: %s',
    async (caller, _, text) => {
      expect((await send(caller, PROMPTS[caller](text)[0] ?? {})).status).toBe(200)
      expect(await lastCall()).toMatchObject({ outcome: 'completed' })
    },
  )

  const TOO_MANY = words(4_000)
  const OTHERS: [string, BuiltInProtocol, JsonObject, Record<string, string>][] = [
    [
      'edits of the context',
      'anthropic',
      { context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] } },
      {},
    ],
    ['the beta of a longer context', 'anthropic', {}, { 'anthropic-beta': 'context-1m-2025-08-07' }],
    ['transforms', 'openai', { transforms: ['middle-out'] }, {}],
  ]
  test.each(OTHERS)(
    'a prompt that its provider may shorten or accept: %s',
    async (_, caller, more, headers) => {
      const body = { ...PROMPTS[caller](TOO_MANY)[0], ...more }
      expect((await send(caller, body, caller, headers)).status).toBe(200)
    },
  )

  test('images, thoughts, arguments and schemas do not count as words of the prompt', async () => {
    const body = {
      contents: [
        {
          role: 'user',
          parts: [
            { inlineData: { mimeType: 'image/png', data: 'AAAA' } },
            { text: TOO_MANY, thought: true },
            { functionCall: { name: 'f', args: { content: TOO_MANY } } },
          ],
        },
      ],
      tools: [{ functionDeclarations: [{ name: 'f', description: TOO_MANY }] }],
    }
    expect((await send('gemini', body)).status).toBe(200)
  })
})
