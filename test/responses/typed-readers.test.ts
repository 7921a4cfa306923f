// Fields that typed clients demand of a response, added where a provider of the protocol leaves them out.
import { describe, expect, test } from 'bun:test'
import { completing } from '../../src/protocols/openai/responses/complete.ts'
import { toByteString } from '../../src/protocols/wire/byte-string.ts'
import type { JsonObject } from '../../src/protocols/wire/json.ts'

const CONTEXT = { id: 'req_1', model: 'asked', created_s: 1, shows_usage: true, request_fields: {} }
const PLACE = { item_id: 'msg_1', output_index: 0, content_index: 0 }

function streamed(event: JsonObject): string {
  return completing.stream(CONTEXT)(toByteString(Buffer.from(JSON.stringify(event)))) ?? ''
}

describe('logprobs of streamed text', () => {
  test.each([
    ['delta', { type: 'response.output_text.delta', ...PLACE, delta: 'Hi' }],
    [
      'delta whose text names the field',
      { type: 'response.output_text.delta', ...PLACE, delta: '"logprobs"' },
    ],
    ['delta with null', { type: 'response.output_text.delta', ...PLACE, delta: 'Hi', logprobs: null }],
    ['done', { type: 'response.output_text.done', ...PLACE, text: 'Hi' }],
  ])('%s: an empty list', (_, event) => {
    expect(JSON.parse(streamed(event))).toEqual({ ...event, logprobs: [] })
  })

  test.each([
    [
      'a delta that has them',
      { type: 'response.output_text.delta', ...PLACE, delta: 'Hi', logprobs: [{ token: 'Hi' }] },
    ],
    ['arguments of a function', { type: 'response.function_call_arguments.delta', ...PLACE, delta: '{' }],
    ['a refusal', { type: 'response.refusal.delta', ...PLACE, delta: 'No' }],
  ])('%s: byte for byte', (_, event) => {
    expect(streamed(event)).toBe(JSON.stringify(event))
  })
})

test('a text without annotations gets an empty list of them, in a whole response and in the last event of a stream', () => {
  const message = { type: 'message', content: [{ type: 'output_text', text: 'Hi' }] }
  const response = { id: 'x', object: 'response', status: 'completed', output: [message] }
  const output = [{ type: 'message', content: [{ type: 'output_text', text: 'Hi', annotations: [] }] }]
  expect(completing.whole(response, CONTEXT)).toEqual({ ...response, output })
  const event = { type: 'response.completed', response }
  expect(JSON.parse(streamed(event))).toEqual({ ...event, response: { ...response, output } })
})
