// The headers of an upstream request: the provider's key, in its header; and the headers that override it.
import { expect, test } from 'bun:test'
import type { Provider } from '../../src/domain/catalogue.ts'
import type { KeyHeader } from '../../src/domain/servers/known-server.ts'
import { BUILT_IN_REGISTRY, protocolNamed } from '../../src/protocols/registry.ts'
import { headTo } from '../../src/upstream/request.ts'

const provider = (protocol: string, key_header: KeyHeader, headers = {}): Provider => ({
  name: 'p',
  protocol,
  responses: false,
  key_header,
  base_url: 'https://p.example',
  api_keys: ['k'],
  headers,
  first_byte_timeout_ms: 1,
  idle_timeout_ms: 1,
  call_timeout_ms: 1,
  cooldown_ms: 1,
})
const headersOf = (to: Provider, api_key: string, forwarded = {}) => {
  const { text } = protocolNamed(BUILT_IN_REGISTRY, to.protocol)
  return headTo({ provider: to, model: 'm', api_key }, text.target({ model: 'm', streams: false }), forwarded)
}
const COMMON = { 'content-type': 'application/json', 'accept-encoding': 'identity' }
const VERSION = { 'anthropic-version': '2023-06-01' }

test.each<[protocol: string, key_header: KeyHeader, api_key: string, headers: object]>([
  ['openai', 'authorization', 'k', { authorization: 'Bearer k' }],
  ['openai', 'api-key', 'k', { 'api-key': 'k' }],
  ['anthropic', 'x-api-key', 'k', { ...VERSION, 'x-api-key': 'k' }],
  ['anthropic', 'authorization', 'k', { ...VERSION, authorization: 'Bearer k' }],
  ['gemini', 'x-goog-api-key', 'k', { 'x-goog-api-key': 'k' }],
  // No key, and a service account, whose token is added later.
  ['openai', 'authorization', '', {}],
  ['anthropic', 'x-api-key', '', VERSION],
  ['gemini', 'x-goog-api-key', '{"type":"service_account"}', {}],
])('%s by %s: %p', (protocol, key_header, api_key, headers) => {
  const { url, headers: sent } = headersOf(provider(protocol, key_header), api_key)
  expect(sent).toEqual({ ...COMMON, ...headers })
  expect(url).not.toContain(api_key || 'nothing')
})

test('a header that the operator configured takes its place, before the caller’s', () => {
  const own = provider('openai', 'authorization', { authorization: 'Bearer own' })
  expect(headersOf(own, 'k', { authorization: 'Bearer theirs' }).headers.authorization).toBe('Bearer own')
})
