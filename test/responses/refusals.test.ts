// Refused requests: answered in OpenAI's shape, naming the field, before anything is held, sent or recorded.
import { describe, expect, test } from 'bun:test'
import type { Json, JsonObject } from '../../src/protocols/wire/json.ts'
import { errorOf } from '../chat/support.ts'
import { MODELS } from '../support/three-providers.ts'
import { responsesScene } from './support.ts'

const { gateway, call, post, counts, expectCounts } = await responsesScene()
const model = MODELS.openai
const user = (content: Json) => ({ role: 'user', content })
const item = (value: JsonObject) => ({ input: [user('Hello'), value] })
const part = (value: JsonObject) => ({ input: [user([value])] })

/** [name, the request's fields, the field that the error names] */
const REFUSED: [string, JsonObject, string][] = [
  ['no model', { model: null, input: 'x' }, 'model'],
  ['no input', {}, 'input'],
  ['input of another type', { input: 7 }, 'input'],
  ['an empty input', { input: [] }, 'input'],
  ['an item that is no object', { input: ['x'] }, 'input[0]'],
  ['an item of an unknown type', item({ type: 'dance' }), 'input[1].type'],
  ['an unknown role', { input: [{ role: 'robot', content: 'x' }] }, 'input[0].role'],
  ['a part of an unknown type', part({ type: 'input_smell' }), 'input[0].content[0].type'],
  [
    'an image over http',
    part({ type: 'input_image', image_url: 'http://example.com/a.png' }),
    'input[0].content[0].image_url',
  ],
  [
    'an image of a provider’s store',
    part({ type: 'input_image', file_id: 'file-1' }),
    'input[0].content[0].file_id',
  ],
  [
    'a file of a provider’s store',
    part({ type: 'input_file', file_id: 'file-1' }),
    'input[0].content[0].file_id',
  ],
  ['a file that is empty', part({ type: 'input_file' }), 'input[0].content[0].file_data'],
  [
    'a result without its call',
    item({ type: 'function_call_output', call_id: 'c', output: 'x' }),
    'input[1].call_id',
  ],
  ['a limit of 0', { input: 'x', max_output_tokens: 0 }, 'max_output_tokens'],
  ['a negative limit', { input: 'x', max_output_tokens: -1 }, 'max_output_tokens'],
  ['background', { input: 'x', background: true }, 'background'],
  ['a conversation at the provider', { input: 'x', conversation: 'conv_1' }, 'conversation'],
  ['a prompt at the provider', { input: 'x', prompt: { id: 'pmpt_1' } }, 'prompt'],
  ['an unknown field', { input: 'x', temprature: 1 }, 'temprature'],
  ['our own field', { input: 'x', tollgate_recalled: { before: [], items: {} } }, 'tollgate_recalled'],
  ['another spelling of a deciding field', { input: 'x', Max_Output_Tokens: 5 }, 'Max_Output_Tokens'],
  ['a limit under its name elsewhere', { input: 'x', max_tokens: 5 }, 'max_tokens'],
  ['an unknown effort', { input: 'x', reasoning: { effort: 'huge' } }, 'reasoning.effort'],
  ['an unknown format', { input: 'x', text: { format: { type: 'xml' } } }, 'text.format.type'],
  ['an unknown choice', { input: 'x', tool_choice: 'maybe' }, 'tool_choice'],
  ['stream of another type', { input: 'x', stream: 'yes' }, 'stream'],
]

describe('400', () => {
  test.each(REFUSED)('%s', async (_, fields, param) => {
    const before = counts()
    const error = await errorOf(await post({ model, ...fields }))
    expect(error).toMatchObject({ status: 400, type: 'invalid_request_error', param })
    expect(error.message).toContain(param)
    await expectCounts(before)
  })
})

describe('other statuses', () => {
  test('no key: 401', async () => {
    const error = await errorOf(await post({ model, input: 'x' }, { key: undefined }))
    expect(error).toMatchObject({ status: 401, code: 'invalid_api_key' })
  })
  test('a model that does not exist: 404', async () => {
    expect(await errorOf(await post({ model: 'none', input: 'x' }))).toMatchObject({
      status: 404,
      code: 'model_not_found',
    })
  })
  test('a key without access to the model: 403', async () => {
    const key = await gateway.caller('10', { models: ['other-*'] })
    expect(await errorOf(await post({ model, input: 'x' }, { key }))).toMatchObject({ status: 403 })
  })
  test('no money: 402', async () => {
    const key = await gateway.caller('0.000001')
    expect(await errorOf(await post({ model, input: 'x' }, { key }))).toMatchObject({
      status: 402,
      type: 'insufficient_quota',
    })
  })
  test('an upgrade without the key of a WebSocket: 426, at once', async () => {
    const response = await call('/v1/responses', undefined, {
      method: 'GET',
      headers: { upgrade: 'websocket', connection: 'upgrade' },
    })
    expect(response.status).toBe(426)
    await response.text()
  })
  test('a WebSocket whose upgrade a proxy did not forward: 426, with what to change', async () => {
    const response = await call('/v1/responses', undefined, {
      method: 'GET',
      headers: { 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==', 'sec-websocket-version': '13' },
    })
    expect(response.status).toBe(426)
    expect(await response.json()).toMatchObject({ error: { message: expect.stringContaining('proxy') } })
  })
  test('a GET without an id: 404', async () => {
    expect(await errorOf(await call('/v1/responses', undefined, { method: 'GET' }))).toMatchObject({
      status: 404,
    })
  })
})
