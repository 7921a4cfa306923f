// Refusals of the demo provider, in the shape of each protocol.
import { describe, expect, test } from 'bun:test'
import { provide } from '../../plugins/demo/provider.ts'

const CHAT = '/chat/completions'
const NATIVE = '/v1beta/models/flash:generateContent'
const MESSAGES = [{ role: 'user', content: 'Hello there' }]

async function refusal(path: string, body: unknown, headers: Record<string, string> = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const response = await provide(new Request(`http://demo${path}`, { method: 'POST', body: text, headers }))
  return { status: response.status, body: response.status === 404 ? '' : await response.json(), response }
}

test.each([
  ['/unknown', 404],
  ['/v1beta/models/flash:fly', 404],
])('%s: %i', async (path, status) => {
  const response = await provide(new Request(`http://demo${path}`, { method: 'POST', body: '{}' }))
  expect(response.status).toBe(status)
})

describe.each([
  ['gemini', NATIVE, { 'x-goog-api-key': 'bad' }, { error: { code: 401, status: 'UNAUTHENTICATED' } }],
  ['anthropic', '/v1/messages', { 'x-api-key': 'bad' }, { error: { type: 'authentication_error' } }],
  ['openai', CHAT, { authorization: 'Bearer bad' }, { error: { code: 'invalid_api_key' } }],
  ['an image', '/images/edits', { authorization: 'Bearer bad' }, { error: { code: 'invalid_api_key' } }],
])('%s', (_, path, headers, shape) => {
  test('a bad key', async () => {
    expect(await refusal(path, { model: 'm' }, headers)).toMatchObject({ status: 401, body: shape })
  })

  test('a body that is not a JSON object', async () => {
    for (const text of ['', '{', '[]', 'null']) expect((await refusal(path, text)).status).toBe(400)
  })
})

test.each([
  ['no model', CHAT, { messages: MESSAGES }],
  ['no messages', CHAT, { model: 'gpt' }],
  ['no contents', NATIVE, {}],
  ['no input', '/responses', { model: 'gpt' }],
  ['no output limit', '/v1/messages', { model: 'claude', messages: MESSAGES }],
  ['no messages of Claude', '/v1/messages', { model: 'claude', max_tokens: 9 }],
  ['no prompt', '/images/generations', { model: 'gpt-image' }],
  ['no image', '/images/edits', { model: 'gpt-image', prompt: 'red' }],
  ['too many images', '/images/generations', { model: 'gpt-image', prompt: 'red', n: 11 }],
  ['too many partial images', '/images/generations', { model: 'i', prompt: 'red', partial_images: 4 }],
  ['no texts', '/embeddings', { model: 'embedding', input: [] }],
  ['too many dimensions', '/embeddings', { model: 'embedding', input: 'a', dimensions: 1e9 }],
  ['no texts of Gemini', '/v1beta/models/e:batchEmbedContents', { requests: [] }],
  ['no speech', '/audio/speech', { model: 'tts' }],
  ['a long speech', '/audio/speech', { model: 'tts', input: 'a'.repeat(4_097) }],
  ['speech of another format', '/audio/speech', { model: 'tts', input: 'a', response_format: 'opus' }],
  ['no audio', '/audio/transcriptions', { model: 'whisper' }],
  ['nothing to moderate', '/moderations', { model: 'moderation' }],
  ['no query', '/rerank', { model: 'rerank', documents: ['a'] }],
  ['no documents', '/rerank', { model: 'rerank', query: 'a' }],
])('%s: 400', async (_, path, body) => {
  expect((await refusal(path, body)).status).toBe(400)
})

test.each([
  ['gpt-fail-429', 429, { error: { type: 'requests', code: 'rate_limit_exceeded' } }],
  ['gpt-slow-1-fail-500', 500, { error: { type: 'server_error' } }],
])('%s refuses with its status', async (model, status, shape) => {
  const refused = await refusal(CHAT, { model, messages: MESSAGES })
  expect(refused).toMatchObject({ status, body: shape })
  expect(refused.response.headers.get('retry-after')).toBe(status === 429 ? '7' : null)
})

test('a schema with huge minimums, or one that refers to itself, gets an answer', async () => {
  const cycle = {
    type: 'object',
    properties: { a: { $ref: '#' }, b: { $ref: '#/properties/b' } },
    required: ['b'],
  }
  for (const schema of [
    { type: 'array', minItems: 1e9, items: { type: 'array', minItems: 1e9 } },
    { type: 'string', minLength: 1e12 },
    { anyOf: [{ $ref: '#/' }, {}] },
    cycle,
  ]) {
    const response_format = { type: 'json_schema', json_schema: { name: 'a', schema } }
    expect((await refusal(CHAT, { model: 'gpt', messages: MESSAGES, response_format })).status).toBe(200)
  }
})
