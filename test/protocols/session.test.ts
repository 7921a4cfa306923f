// The session of a request: from its headers, its body or the start of its conversation.
import { describe, expect, test } from 'bun:test'
import { recalledFields } from '../../src/protocols/openai/responses/recalled.ts'
import { sessionInBody, sessionInHeaders } from '../../src/protocols/session.ts'
import type { JsonObject } from '../../src/protocols/wire/json.ts'

const UUID = '54c1eb09-bc4c-4d2f-98eb-6d2ab2d5e2fe'
const user = (content: JsonObject['content']) => ({ role: 'user', content: content ?? null })
const reply = { role: 'assistant', content: 'Hello.' }

describe('the session is the id in a header', () => {
  test.each([
    ['Claude Code', 'X-Claude-Code-Session-Id'],
    ['Codex', 'session-id'],
    ['older versions of Codex', 'session_id'],
    ['opencode', 'x-session-affinity'],
    ['opencode, for proxies', 'X-Session-Id'],
    ["opencode, for its own gateway's providers", 'x-opencode-session'],
  ])('of %s: %s', (_, name) => {
    expect(sessionInHeaders(new Headers({ [name]: UUID }))).toBe(UUID)
  })

  test.each([['x-request-id'], ['x-client-request-id'], ['traceparent'], ['user-agent']])(
    'not %s',
    (name) => {
      expect(sessionInHeaders(new Headers({ [name]: UUID }))).toBeUndefined()
    },
  )

  test('not an empty one', () => {
    expect(sessionInHeaders(new Headers({ 'session-id': '' }))).toBeUndefined()
  })
})

describe('the session is the id in a field', () => {
  test.each<[string, JsonObject]>([
    ['prompt_cache_key', { prompt_cache_key: UUID }],
    ['session_id', { session_id: UUID }],
    [
      "Claude Code's metadata",
      { metadata: { user_id: JSON.stringify({ device_id: 'd', session_id: UUID }) } },
    ],
    ['its older metadata', { metadata: { user_id: `user_0a1b_account_2c3d_session_${UUID}` } }],
  ])('%s', (_, fields) => {
    expect(sessionInBody({ ...fields, messages: [user('Hi.')] })).toBe(UUID)
  })

  test.each<[string, JsonObject]>([
    ['an end user', { user: UUID }],
    ['an end user of messages', { metadata: { user_id: UUID } }],
    ['an end user in braces', { metadata: { user_id: '{anna}' } }],
    ['a safety identifier', { safety_identifier: UUID }],
    ['an empty cache key', { prompt_cache_key: '' }],
    ['a cache key that is not text', { prompt_cache_key: 7 }],
    ['metadata that are not an object', { metadata: UUID }],
  ])('not in %s, which may belong to many conversations', (_, fields) => {
    const messages = [user('Hi.')]
    expect(sessionInBody({ ...fields, messages })).toBe(sessionInBody({ messages }))
  })
})

describe('without an id, the session follows from the start of the conversation', () => {
  const system = 'You are a helpful agent. '.repeat(100)
  const line = (checksum: string) =>
    `x-anthropic-billing-header: cc_version=2.1.177.01c; cc_entrypoint=cli; cch=${checksum};`
  const text = (words: string, more: JsonObject = {}) => ({ type: 'text', text: words, ...more })
  const mark = { cache_control: { type: 'ephemeral' } }
  const call = { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' }

  test.each<[string, JsonObject, JsonObject]>([
    [
      'messages',
      { system, messages: [user('Fix it.')] },
      { system, messages: [user('Fix it.'), reply, user('And that.')] },
    ],
    [
      "messages with Claude Code's billing block",
      { system: [text(line('36ee5')), text(system)], messages: [user('Fix it.')] },
      { system: [text(line('0aaa9')), text(system)], messages: [user('Fix it.'), reply] },
    ],
    [
      "messages with Claude Code's billing line",
      { system: `${line('36ee5')}\n${system}`, messages: [user('Fix it.')] },
      { system: `${line('0aaa9')}\n${system}`, messages: [user('Fix it.'), reply] },
    ],
    [
      'messages whose cache mark moves on',
      { system: [text(system, mark)], messages: [user([text('Fix it.', mark)])] },
      { system, messages: [user('Fix it.'), reply, user([text('And that.', mark)])] },
    ],
    [
      'chat completions',
      { messages: [{ role: 'system', content: system }, user('Fix it.')] },
      { messages: [{ role: 'system', content: system }, user('Fix it.'), reply, user('Go on.')] },
    ],
    [
      'native requests',
      { systemInstruction: { parts: [{ text: system }] }, contents: [{ parts: [{ text: 'Fix it.' }] }] },
      {
        system_instruction: { parts: [{ text: system }] },
        contents: [
          { role: 'user', parts: [{ text: 'Fix it.' }] },
          { role: 'model', parts: [{ text: 'Done.' }] },
        ],
      },
    ],
    [
      'responses',
      { instructions: system, input: 'Fix it.' },
      { instructions: system, input: [{ type: 'message', ...user([text('Fix it.')]) }, call] },
    ],
    [
      'responses that continue one',
      { instructions: system, input: 'Fix it.' },
      {
        instructions: system,
        input: 'And that.',
        ...recalledFields({ before: [{ type: 'message', ...user('Fix it.') }, call], items: {} }),
      },
    ],
  ])('%s: each turn has the same session', (_, first, later) => {
    expect(sessionInBody(first)).toStartWith('#')
    expect(sessionInBody(later)).toBe(sessionInBody(first))
  })

  test.each<[string, JsonObject]>([
    ['other words', { system, messages: [user('Mend it.')] }],
    ['another system prompt', { system: `${system}!`, messages: [user('Fix it.')] }],
    [
      'a system prompt with another end',
      { system: `${system.slice(0, -3)}xyz`, messages: [user('Fix it.')] },
    ],
    ['no system prompt', { messages: [user('Fix it.')] }],
  ])('%s make another session', (_, other) => {
    expect(sessionInBody(other)).not.toBe(sessionInBody({ system, messages: [user('Fix it.')] }))
  })

  test.each<[string, JsonObject]>([
    ['an empty body', {}],
    ['an empty conversation', { messages: [] }],
    ['a picture alone', { messages: [user([{ type: 'image', source: { type: 'base64', data: 'AAAA' } }])] }],
    [
      'values of other kinds',
      { system: 7, messages: [null, 'x'.repeat(0), { role: 'user', content: true }] },
    ],
  ])('%s has no session', (_, body) => {
    expect(sessionInBody(body)).toBeUndefined()
  })
})
