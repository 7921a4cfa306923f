// State on the provider's side: each field that names some follows its rule on every path, and the README says the same.

import { beforeEach, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import Anthropic from '@anthropic-ai/sdk'
import type { BuiltInProtocol } from '../../src/protocols/registry.ts'
import type { JsonObject } from '../../src/protocols/wire/json.ts'
import { replay } from '../support/replay.ts'
import { MODELS, PROTOCOLS, threeProviders } from '../support/three-providers.ts'
import { whole } from '../support/upstream.ts'
import { ERROR_OF, expectFieldRefused, REQUESTS } from './requests.ts'

const { gateway, upstream, call, key, upstreamBody, counts, expectCounts } = await threeProviders()
beforeEach(() => upstream.answer(replay('text')))

/**
 * `refused`: some account's request made it, and any other could name it. `priced`: only the operator can have made it, and the
 * provider bills it: it passes to models with a price for it. `passes`: only the operator can have made it. `own`: it
 * reaches nothing that the request does not bring itself. `not kept`: it is sent so that the provider keeps nothing.
 */
type Fate = 'refused' | 'priced' | 'passes' | 'own' | 'not kept'

/** The thing that the field names; a request that names it; the refusal's name of the field, where that differs. */
type Example = readonly [fate: Fate, what: string, request: JsonObject, named?: string]

const userPart = (part: JsonObject): JsonObject => ({ messages: [{ role: 'user', content: [part] }] })

/** The fields of each protocol that name something only its provider keeps, with `[]` for each item of a list. */
const FIELDS: Readonly<Record<BuiltInProtocol, Readonly<Record<string, Example>>>> = {
  gemini: {
    continuationToken: ['refused', 'an earlier answer', { continuationToken: 'x' }],
    previousInteractionId: ['refused', 'an earlier interaction', { previousInteractionId: 'x' }],
    'contents[].parts[].fileData.fileUri': [
      'refused',
      'a stored file, or a bucket of the operator',
      {
        contents: [
          { role: 'user', parts: [{ fileData: { fileUri: 'gs://bucket/x', mimeType: 'image/png' } }] },
        ],
      },
      'contents[0].parts[0].fileData.fileUri',
    ],
    'tools[].fileSearch.fileSearchStoreNames': [
      'priced',
      'file search stores',
      { tools: [{ fileSearch: { fileSearchStoreNames: ['fileSearchStores/x'] } }] },
      'tools[0].fileSearch',
    ],
    cachedContent: [
      'passes',
      "cached content, held for at all of the model's context",
      { cachedContent: 'cachedContents/x' },
    ],
  },
  anthropic: {
    thread: [
      'refused',
      'a conversation that the provider continues',
      { thread: { type: 'continue', previous_message_id: 'msg_x' } },
    ],
    'diagnostics.previous_message_id': [
      'refused',
      'an earlier answer',
      { diagnostics: { previous_message_id: 'msg_x' } },
    ],
    'container.id': [
      'refused',
      'a container of an earlier call',
      { container: { id: 'container_x' } },
      'container',
    ],
    'messages[].content[].source.file_id': [
      'refused',
      'a stored file',
      userPart({ type: 'document', source: { type: 'file', file_id: 'file_x' } }),
      'messages[0].content[0].source.file_id',
    ],
    'messages[].content[].file_id': [
      'refused',
      'a stored file',
      userPart({ type: 'container_upload', file_id: 'file_x' }),
      'messages[0].content[0].file_id',
    ],
    'container.skills': [
      'priced',
      'skills',
      { container: { skills: [{ type: 'custom', skill_id: 'x' }] } },
      'container',
    ],
    cache_control: [
      'own',
      'the prompt cache, which only an equal prompt reads',
      { cache_control: { type: 'ephemeral' } },
    ],
  },
  openai: {
    previous_response_id: ['refused', 'a stored response', { previous_response_id: 'resp_x' }],
    conversation: ['refused', 'a stored conversation', { conversation: 'conv_x' }],
    thread_id: ['refused', 'a stored conversation', { thread_id: 'thread_x' }],
    container: ['refused', 'a container of an earlier call', { container: 'cntr_x' }],
    'prompt.id': ['refused', 'a stored prompt', { prompt: { id: 'pmpt_x' } }, 'prompt'],
    'messages[].content[].file.file_id': [
      'refused',
      'a stored file',
      userPart({ type: 'file', file: { file_id: 'file-x' } }),
      'messages[0].content[0].file.file_id',
    ],
    'messages[].audio.id': [
      'refused',
      'an earlier spoken answer',
      {
        messages: [
          { role: 'assistant', audio: { id: 'audio_x' } },
          { role: 'user', content: 'x' },
        ],
      },
      'messages[0].audio.id',
    ],
    'tools[].container': [
      'refused',
      'a container of an earlier call, or stored files in a new one',
      { tools: [{ type: 'code_interpreter', container: { type: 'auto', file_ids: ['file-x'] } }] },
      'tools[0].container',
    ],
    'tools[].vector_store_ids': [
      'priced',
      'vector stores',
      { tools: [{ type: 'file_search', vector_store_ids: ['vs_x'] }] },
      'tools[0].type',
    ],
    store: ['not kept', 'the storing of the answer', { store: true }],
    prompt_cache_key: [
      'own',
      'the prompt cache, which only an equal prompt reads',
      { prompt_cache_key: 'x' },
    ],
  },
}

const rows = PROTOCOLS.flatMap((protocol) =>
  Object.entries(FIELDS[protocol]).map(([field, [fate, what, request, named = field]]) => ({
    protocol,
    field,
    fate,
    what,
    request,
    named,
  })),
)

const send = (surface: BuiltInProtocol, fields: JsonObject, to = surface, streams = false) => {
  const { path, headers, body } = REQUESTS[surface](MODELS[to], streams, fields)
  return call(path, body, { headers })
}

const IS_SENT: Readonly<Record<Fate, boolean>> = {
  refused: false,
  priced: false,
  passes: true,
  own: true,
  'not kept': true,
}

describe.each(rows)('$protocol: $field is $fate', ({ protocol, field, fate, request, named }) => {
  test.each([false, true])('to a provider that speaks it, streamed: %p', async (streams) => {
    const before = counts()
    const response = await send(protocol, request, protocol, streams)
    if (IS_SENT[fate]) {
      await response.text()
      expect(response.status).toBe(200)
      expect(upstreamBody()).toMatchObject(fate === 'not kept' ? { [field]: false } : request)
      return
    }
    await expectFieldRefused(protocol, response, named)
    await expectCounts(before)
  })

  const others = PROTOCOLS.filter((to) => to !== protocol)
  if (!IS_SENT[fate] || fate === 'passes')
    test.each(others)('it does not reach a provider of %s either', async (to) => {
      const before = counts()
      const response = await send(protocol, request, to)
      const { status } = response
      await response.text()
      if (status !== 200) await expectCounts(before)
      else expect(JSON.stringify(upstreamBody())).not.toContain(JSON.stringify(request).slice(1, -1))
    })
})

describe('container ids of a tool, alone or for a new container', () => {
  test.each([
    ['refused', { container: 'cntr_x' }, 'tools[0].container'],
    ['refused', { container: { type: 'auto', file_ids: ['file-x'] } }, 'tools[0].container'],
    ['priced', { container: { type: 'auto', file_ids: [] } }, 'tools[0].type'],
    ['priced', {}, 'tools[0].type'],
  ])('%s: %p', async (_, more, field) => {
    const response = await send('openai', { tools: [{ type: 'code_interpreter', ...more }] })
    expect(ERROR_OF.openai((await response.json()) as JsonObject)).toMatchObject({ param: field })
  })
})

describe('thread', () => {
  const THREADS: JsonObject[] = [
    { thread: { type: 'create' } },
    { thread: { type: 'continue', previous_message_id: 'msg_x' }, messages: [] },
    { thread: 'msg_x' },
    { thread: {}, messages: 'x'.repeat(1_200_000) },
  ]
  const PATHS = ['/v1/messages', '/v1/messages/count_tokens']
  test.each(
    PATHS.flatMap((path) =>
      PROTOCOLS.flatMap((to) =>
        THREADS.map((fields) => [path, to, JSON.stringify(fields).slice(0, 80), fields] as const),
      ),
    ),
  )('%s, a model of %s: %s', async (path, to, _, fields) => {
    const before = counts()
    const { headers, body } = REQUESTS.anthropic(MODELS[to], false, fields)
    const response = await call(path, body, { headers })
    expect([response.status, await response.json()]).toEqual([
      400,
      {
        type: 'error',
        error: {
          type: 'invalid_request_error',
          message: expect.stringContaining('thread'),
          details: { error_code: 'thread_unsupported_request', unsupported: ['thread'] },
        },
        request_id: expect.any(String),
      },
    ])
    await expectCounts(before)
  })

  test('a thread of null is not refused', async () => {
    expect((await send('anthropic', { thread: null })).status).toBe(200)
  })

  test('Anthropic’s tool runner goes on without threads, by whole conversations', async () => {
    const bodies: JsonObject[] = []
    let tools_run = 0
    upstream.answer(({ body }) => {
      bodies.push(JSON.parse(body.toString()))
      const content =
        bodies.length === 1
          ? [{ type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: { city: 'Oslo' } }]
          : [{ type: 'text', text: 'Rain.' }]
      return whole({
        id: `msg_${bodies.length}`,
        type: 'message',
        role: 'assistant',
        model: MODELS.anthropic,
        content,
        stop_reason: bodies.length === 1 ? 'tool_use' : 'end_turn',
        stop_sequence: null,
        usage: { input_tokens: 5, output_tokens: 5 },
      })
    })
    const sent: unknown[] = []
    const client = new Anthropic({
      apiKey: key,
      baseURL: gateway.url.origin,
      maxRetries: 0,
      fetch: (url, init) => {
        sent.push(JSON.parse(String(init?.body)).thread)
        return fetch(url, init)
      },
    })
    const answer = await client.beta.messages.toolRunner({
      model: MODELS.anthropic,
      max_tokens: 100,
      messages: [{ role: 'user', content: 'The weather?' }],
      tools: [
        {
          name: 'get_weather',
          description: 'The weather of a city.',
          input_schema: { type: 'object', properties: { city: { type: 'string' } } },
          run: () => {
            tools_run++
            return 'rain'
          },
          parse: (input: unknown) => input,
        },
      ],
    })
    expect(sent).toEqual([{ type: 'create' }, undefined, undefined])
    expect([tools_run, answer.content]).toMatchObject([1, [{ type: 'text', text: 'Rain.' }]])
    expect(bodies.map(({ messages }) => (messages as unknown[]).length)).toEqual([1, 3])
    for (const body of bodies) expect(body).not.toHaveProperty('thread')
  })
})

test('plugins/extras.md has the same table', () => {
  const SURFACE: Readonly<Record<BuiltInProtocol, string>> = {
    gemini: 'native  ',
    anthropic: 'messages',
    openai: 'chat    ',
  }
  const table = rows.map(
    ({ protocol, field, fate, what }) => `| ${SURFACE[protocol]} | \`${field}\` | ${what} | ${fate} |`,
  )
  const readme = readFileSync(join(import.meta.dir, '../../plugins/extras.md'), 'utf8')
  expect(readme).toContain(`${table.join('\n')}\n`)
})
