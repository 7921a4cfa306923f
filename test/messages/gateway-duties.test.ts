// The duties of a gateway towards Claude Code, one by one: https://code.claude.com/docs/en/llm-gateway-protocol, with its headings.
// The longer context is in test/surfaces/long-context.test.ts.
import { describe, expect, test } from 'bun:test'
import { objectsIn } from '../../src/protocols/wire/json.ts'
import { MODELS } from '../support/three-providers.ts'
import { events, refusal, whole } from '../support/upstream.ts'
import { BODY, COUNT, errorOf, MODEL, messagesScene, PATH, VERSION } from './support.ts'

const { gateway, upstream, key, post, call } = await messagesScene()

describe('API formats', () => {
  test('inference posts to /v1/messages?beta=true: the path decides', async () => {
    expect((await post(BODY, {}, `${PATH}?beta=true`)).status).toBe(200)
  })
  test.each([MODEL, MODELS.openai, MODELS.gemini])(
    'tokens are counted, so that no inference is spent on it: %s',
    async (model) => {
      upstream.answer(whole({ input_tokens: 12 }))
      const response = await post({ ...BODY, model, max_tokens: undefined }, {}, `${COUNT}?beta=true`)
      const { input_tokens } = (await response.json()) as { input_tokens: number }
      expect([response.status, input_tokens]).toEqual([200, expect.any(Number)])
    },
  )
  test.each(['/api/hello', '/'])('HEAD %s, a probe at startup, may be refused', async (path) => {
    expect((await fetch(gateway.url + path, { method: 'HEAD' })).status).toBeWithin(200, 500)
  })
})

describe('Streaming', () => {
  test('keep-alive pings of the provider are forwarded', async () => {
    upstream.answer(
      events([
        { type: 'message_start', message: { usage: { input_tokens: 5, output_tokens: 1 } } },
        { type: 'ping' },
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
        { type: 'ping' },
        { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } },
        { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } },
        { type: 'message_stop' },
      ]),
    )
    const text = await (await post({ ...BODY, stream: true })).text()
    expect(text.match(/"type":"ping"/g)).toHaveLength(2)
  })
})

describe('Request headers', () => {
  test.each([
    ['x-api-key', { 'x-api-key': key }],
    ['Authorization', { authorization: `Bearer ${key}` }],
    ['both, as for an apiKeyHelper', { 'x-api-key': key, authorization: `Bearer ${key}` }],
  ])('the credential in %s', async (_, credential) => {
    const headers = { ...VERSION, ...credential, 'content-type': 'application/json' }
    const response = await fetch(gateway.url + PATH, { method: 'POST', headers, body: JSON.stringify(BODY) })
    expect(response.status).toBe(200)
  })
  test.each([
    ['anthropic-version', '2023-06-01'],
    ['anthropic-beta', 'claude-code-20250219,interleaved-thinking-2025-05-14, novel-2027-01-01'],
    ['anthropic-beta', 'oauth-2025-04-20'],
    ['anthropic-novel-capability', 'a, b'],
  ])('%s goes to the provider unchanged: %s', async (name, value) => {
    await (await post(BODY, { headers: { [name]: value } })).text()
    expect(upstream.last().headers[name]).toBe(value)
  })
  test.each([
    'x-claude-code-session-id',
    'x-claude-code-agent-id',
    'x-claude-code-parent-agent-id',
    'x-custom',
  ])('%s is accepted, and not sent on', async (name) => {
    expect((await post(BODY, { headers: { [name]: 'some-id' } })).status).toBe(200)
    expect(upstream.last().headers).not.toHaveProperty(name)
  })
})

describe('System prompt attribution block', () => {
  test('the system array is forwarded byte for byte, its first block first', async () => {
    const system =
      '[{"type":"text","text":"x-anthropic-billing-header: cc_version=2.1;"}, {"type":"text","text":"You are","cache_control":{"type":"ephemeral"}}]'
    const body = `{"model":"${MODEL}","max_tokens":50,"system":${system},"messages":[{"role":"user","content":"Hi"}]}`
    await (await post(body)).text()
    expect(upstream.last().body.toString()).toContain(`"system":${system}`)
  })
})

describe('Feature pass-through: a header and its field travel together', () => {
  test.each([
    ['adaptive reasoning', '', '"thinking":{"type":"adaptive"}'],
    [
      'context management',
      'context-management-2025-06-27',
      '"context_management":{"edits":[{"type":"clear_tool_uses_20250919"}]}',
    ],
    [
      'beta tool fields',
      'advanced-tool-use-2025-11-20',
      '"tools":[{"name":"f","input_schema":{"type":"object"},"strict":true,"defer_loading":true}]',
    ],
    ['effort', 'effort-2025-11-24', '"output_config":{"effort":"medium"}'],
    ['a field of the next release', 'novel-2027-01-01', '"novel_field":{"a":[1,null]}'],
  ])('%s', async (_, beta, field) => {
    const body = `{"model":"${MODEL}","max_tokens":2000,${field},"messages":[{"role":"user","content":"Hi"}]}`
    const response = await post(body, beta === '' ? {} : { headers: { 'anthropic-beta': beta } })
    expect(response.status).toBe(200)
    expect(upstream.last().body.toString()).toContain(field)
    expect(upstream.last().headers['anthropic-beta']).toBe(beta === '' ? undefined : beta)
  })
})

describe('Automatic retry and error forwarding: clients match the provider’s wording', () => {
  test.each([
    'adaptive thinking is not supported on this model',
    'messages.1.content.0: Invalid `signature` in `thinking` block',
    'messages.3.content.0.type: Expected `thinking` or `redacted_thinking`, but found `text`',
    'context_management: Extra inputs are not permitted',
    'tools.0.custom.defer_loading: Extra inputs are not permitted',
    'messages: role "system" is only allowed at the beginning',
    'prompt is too long: 210000 tokens > 200000 maximum',
    'input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length or `max_tokens` and try again',
  ])('%s', async (message) => {
    upstream.answer(refusal(400, { type: 'error', error: { type: 'invalid_request_error', message } }))
    const error = await errorOf(await post({ ...BODY, stream: true }))
    expect(error).toEqual({ status: 400, type: 'invalid_request_error', message })
  })
  test.each([
    [429, 'rate_limit_error', '7'],
    [529, 'overloaded_error', null],
  ] as const)('%d %s', async (status, type, retry_after) => {
    const headers = retry_after === null ? {} : { 'retry-after': retry_after }
    upstream.answer(refusal(status, { type: 'error', error: { type, message: 'Later.' } }, headers))
    const response = await post(BODY)
    expect(response.headers.get('retry-after')).toBe(retry_after)
    expect(await errorOf(response)).toMatchObject({ status, type })
  })
})

describe('Model discovery', () => {
  test.each(['x-api-key', 'bearer'] as const)(
    'GET /v1/models?limit=1000 with %s, without a redirect',
    async (form) => {
      const response = await call('/v1/models?limit=1000', undefined, { form, method: 'GET' })
      expect([response.status, response.redirected]).toEqual([200, false])
      const { data = null } = (await response.json()) as { data: [] }
      const models = objectsIn(data)
      expect(models.length).toBeGreaterThan(0)
      for (const { id, display_name } of models)
        expect([typeof id, typeof display_name]).toEqual(['string', 'string'])
    },
  )
})
