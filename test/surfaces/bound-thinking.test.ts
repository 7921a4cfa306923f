// Claude's thinking, bound to its conversation: translation changes that, so the gateway repeats a refused request without the thinking.
import { expect, test } from 'bun:test'
import { type JsonObject, objectIn, objectsIn, parseObject } from '../../src/protocols/wire/json.ts'
import { fileScene } from '../support/scene.ts'
import { modelSection, providerSection } from '../support/sections.ts'
import { refusal, type UpstreamRequest, whole } from '../support/upstream.ts'

const { call, upstream, lastCall } = await fileScene({
  more: (url) =>
    providerSection('claude', 'anthropic', url, 'cooldown_ms = 0') +
    modelSection('claude-opus-5-5', { claude: 'claude-opus-5-5' }, { more: 'max_output_tokens = 4096' }) +
    modelSection('claude-haiku-4-5', { claude: 'claude-haiku-4-5' }, { more: 'max_output_tokens = 4096' }) +
    providerSection('simulated', 'anthropic', 'simulator', '', []) +
    modelSection('newer', { simulated: 'claude-opus-5-5' }) +
    modelSection('older', { simulated: 'claude-opus-4-7' }),
})

const TOOL = { type: 'function', function: { name: 'look', parameters: { type: 'object', properties: {} } } }
const THOUGHT = { type: 'thinking', thinking: 'Hm.', signature: 'c2lnbmVk' }
const USED = { stop_reason: 'tool_use', usage: { input_tokens: 10, output_tokens: 5 } }
const looking = () =>
  whole({
    id: 'm',
    type: 'message',
    role: 'assistant',
    content: [THOUGHT, { type: 'tool_use', id: 'toolu_1', name: 'look', input: {} }],
    ...USED,
  })
const seen = () =>
  whole({ id: 'm', type: 'message', role: 'assistant', content: [{ type: 'text', text: 'Seen.' }], ...USED })
const refused = (message: string) =>
  refusal(400, { type: 'error', error: { type: 'invalid_request_error', message } })
const BOUND =
  'messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation.'

const bodyOf = (request: UpstreamRequest | undefined): JsonObject => parseObject(String(request?.body)) ?? {}
const typesIn = (body: JsonObject): unknown[] =>
  objectsIn(body.messages).flatMap(({ content }) => objectsIn(content).map(({ type }) => type))

/** Sends the second turn of a conversation in chat completions, with the first answer in its messages. */
async function secondTurn(model: string): Promise<Response> {
  const ask = { model, reasoning_effort: 'high', tools: [TOOL] }
  upstream.answer(looking)
  const turn = { role: 'user', content: 'Look.' }
  const first = parseObject(await (await call('/v1/chat/completions', { ...ask, messages: [turn] })).text())
  const { message } = objectIn(objectsIn(first?.choices)[0]) as { message: JsonObject }
  upstream.answer((request) => (request.body.includes(THOUGHT.signature) ? refused(BOUND) : seen()))
  const result = { role: 'tool', tool_call_id: 'toolu_1', content: 'Nine.' }
  const late = { role: 'system', content: 'Be brief.' }
  return call('/v1/chat/completions', { ...ask, messages: [turn, message, result, late] })
}

test.each([
  ['claude-opus-5-5', { type: 'adaptive', display: 'summarized' }],
  ['claude-haiku-4-5', undefined],
])('a request to %s is repeated without the thinking that it refuses', async (model, thinking) => {
  const before = upstream.requests.length
  const response = await secondTurn(model)
  expect(await response.text()).toContain('Seen.')
  const [, with_thinking, without] = upstream.requests.slice(before).map(bodyOf)
  expect(typesIn(with_thinking ?? {})).toContain('thinking')
  expect(typesIn(without ?? {})).toEqual(['text', 'tool_use', 'tool_result'])
  expect(without?.thinking).toEqual(thinking)
  expect(await lastCall()).toMatchObject({ outcome: 'completed' })
})

test.each(['newer', 'older'])('the %s simulated model accepts a late system message', async (model) => {
  const messages = ['system', 'user', 'assistant', 'user', 'system'].map((role) => ({ role, content: 'Hi.' }))
  const response = await call('/v1/chat/completions', { model, messages })
  expect([response.status, response.headers.get('x-tollgate-dropped')]).toEqual([200, null])
})

test('a refused request that passes through is not repeated', async () => {
  upstream.answer(() => refused(BOUND))
  const before = upstream.requests.length
  const body = {
    model: 'claude-opus-5-5',
    max_tokens: 100,
    messages: [
      { role: 'user', content: 'Look.' },
      { role: 'assistant', content: [THOUGHT, { type: 'text', text: 'Well.' }] },
      { role: 'user', content: 'And?' },
    ],
  }
  const response = await call('/v1/messages', body, { headers: { 'anthropic-version': '2023-06-01' } })
  expect([response.status, upstream.requests.length - before]).toEqual([400, 1])
  expect(bodyOf(upstream.last()).messages).toEqual(body.messages)
})
