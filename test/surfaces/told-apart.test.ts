// The promise: the tool calls of a stream are distinguished whatever identifies them, or the answer fails clearly; never another answer.
import { describe, expect, test } from 'bun:test'
import { CallNumbers } from '../../src/protocols/openai/call-numbers.ts'
import type { Json, JsonObject } from '../../src/protocols/wire/json.ts'
import { play, type Recording, SURFACES } from './left-out.ts'

/** One streamed chat completion with these lists of tool calls. */
const calling = (...deltas: JsonObject[][]): Recording => ({
  name: 'made up',
  protocol: 'openai',
  stream: true,
  payloads: [
    ...deltas.map((tool_calls) => ({ choices: [{ index: 0, delta: { tool_calls } }] })),
    { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
    { choices: [], usage: { prompt_tokens: 9, completion_tokens: 9, total_tokens: 18 } },
  ],
})
const piece = (json: Json, more: JsonObject = {}): JsonObject => {
  const { name, ...rest } = more
  return { ...rest, function: { ...(name === undefined ? {} : { name }), arguments: json } }
}
const ROME = '{"city":"Rome"}'
const OSLO = '{"city":"Oslo"}'
const TWO = [
  ['weather', ROME],
  ['weather', OSLO],
]

describe('tool calls are distinguished', () => {
  const one = { id: 'call_1', name: 'weather' }
  const two = { id: 'call_2', name: 'weather' }
  test.each<[string, JsonObject[][], string[][]]>([
    ['two ids without an index', [[piece(ROME, one)], [piece(OSLO, two)]], TWO],
    ['two ids of one index', [[piece(ROME, { ...one, index: 0 })], [piece(OSLO, { ...two, index: 0 })]], TWO],
    ['two ids in one list', [[piece(ROME, one), piece(OSLO, two)]], TWO],
    [
      'neither ids nor an index, in one list',
      [[piece(ROME, { name: 'weather' }), piece(OSLO, { name: 'weather' })]],
      TWO,
    ],
    [
      'neither ids nor an index, one after the other',
      [[piece(ROME, { name: 'weather' })], [piece(OSLO, { name: 'weather' })]],
      TWO,
    ],
    [
      'two names of one index, without ids',
      [[piece(ROME, { index: 0, name: 'weather' })], [piece('{}', { index: 0, name: 'time' })]],
      [
        ['weather', ROME],
        ['time', '{}'],
      ],
    ],
    [
      'two names of one id',
      [[piece(ROME, one)], [piece('{}', { ...one, name: 'time' })]],
      [
        ['weather', ROME],
        ['time', '{}'],
      ],
    ],
    [
      'pieces without an index',
      [[piece('', one)], [piece('{"city":')], [piece('"Rome"}')], [piece('', two)], [piece(OSLO)]],
      TWO,
    ],
    [
      'pieces of one index under two ids',
      [
        [piece('{"city":', { ...one, index: 0 })],
        [piece('"Rome"}', { index: 0 })],
        [piece('{"city":', { ...two, index: 0 })],
        [piece('"Oslo"}', { index: 0 })],
      ],
      TWO,
    ],
    [
      'the id in every piece',
      [[piece('{"city":', one)], [piece('"Rome"}', { id: 'call_1' })], [piece(OSLO, two)]],
      TWO,
    ],
    [
      'the name again with the arguments',
      [[piece('', { ...one, index: 0 })], [piece(ROME, { index: 0, name: 'weather' })]],
      [['weather', ROME]],
    ],
    [
      'an index that counts pieces',
      [[piece('{"city":', { ...one, index: 0 })], [piece('"Rome"}', { id: 'call_1', index: 1 })]],
      [['weather', ROME]],
    ],
    [
      'interleaved, by index',
      [
        [piece('{"city":', { ...one, index: 0 })],
        [piece('{"city":', { ...two, index: 1 })],
        [piece('"Rome"}', { index: 0 })],
        [piece('"Oslo"}', { index: 1 })],
      ],
      TWO,
    ],
    [
      'no arguments, written as null',
      [[piece('', one)], [piece('null')], [piece(OSLO, two)]],
      [['weather', '{}'], ...TWO.slice(1)],
    ],
    [
      'an id of its own in every piece',
      [
        [piece('', { ...one, index: 0 })],
        [piece('{"city":', { id: 'call_3', index: 0 })],
        [piece('"Rome"}', { id: 'call_4', index: 0 })],
      ],
      TWO.slice(0, 1),
    ],
    [
      'the name in every piece',
      [
        [piece('', one)],
        [piece('{"city":', { name: 'weather' })],
        [piece('"Rome"}', { id: 'call_1', name: 'weather' })],
      ],
      TWO.slice(0, 1),
    ],
    [
      'the name behind the arguments',
      [
        [piece('{"city":', { id: 'call_1', index: 0 })],
        [piece('"Rome"', { index: 0 })],
        [piece('}', { index: 0, name: 'weather' })],
      ],
      TWO.slice(0, 1),
    ],
    [
      'the name behind the id, before another call',
      [
        [piece('', { id: 'call_1', index: 0 })],
        [piece(ROME, { index: 0, name: 'weather' })],
        [piece(OSLO, { ...two, index: 1 })],
      ],
      TWO,
    ],
    ['arguments as an object', [[piece({ city: 'Rome' }, one)]], [['weather', ROME]]],
    [
      'no arguments',
      [[piece('', { ...one, index: 0 })], [piece(OSLO, { ...two, index: 1 })]],
      [
        ['weather', '{}'],
        ['weather', OSLO],
      ],
    ],
    [
      'a last piece that says nothing',
      [[piece(ROME, { ...one, index: 0 })], [piece('', { index: 1 })]],
      [['weather', ROME]],
    ],
  ])('%s', (_, deltas, calls) => {
    for (const surface of SURFACES.filter((name) => name !== 'completions')) {
      const { answer, failure } = play(calling(...deltas), surface)
      expect([surface, failure]).toEqual([surface, undefined])
      const [candidate] = answer?.candidates ?? []
      expect(candidate?.calls.map(({ name, arguments: json }) => [name, json])).toEqual(calls)
      expect(new Set(candidate?.calls.map(({ id }) => id)).size).toBe(calls.length)
    }
  })

  test("arguments that are no JSON pass: a text is the model's own", () => {
    const deltas = [[piece('move ', one)], [piece('{a} to ')], [piece('{b}')]]
    for (const surface of ['chat', 'responses'] as const) {
      const { answer } = play(calling(...deltas), surface)
      expect(answer?.candidates[0]?.calls).toMatchObject([{ arguments: 'not JSON: move {a} to {b}' }])
    }
  })

  test('the input of a custom tool is not read as JSON, whatever it begins with', () => {
    const input = (text: string, more: JsonObject = {}) => ({ index: 0, custom: { input: text }, ...more })
    const pieces = [input('', { id: 'call_1', type: 'custom', custom: { name: 'run', input: '' } })]
    pieces.push(input('{}'), input(' + {}'))
    const numbers = new CallNumbers()
    expect(pieces.map((one) => numbers.complete(one, 0, ['req_1', 0]))).toEqual(pieces)
  })

  test.each<[string, JsonObject[][]]>([
    ['a call without a name', [[piece(ROME, { id: 'call_1', index: 0 })]]],
    [
      'a call without a name before another',
      [[piece(ROME, { id: 'call_1', index: 0 })], [piece(OSLO, { ...two, index: 1 })]],
    ],
    ['arguments of no call', [[piece(ROME)]]],
    ['arguments after their end', [[piece(ROME, one)], [piece(OSLO)]]],
    [
      'arguments after their end, by index',
      [[piece(ROME, { ...one, index: 0 })], [piece(OSLO, { index: 0 })]],
    ],
    [
      'a name in pieces, or two calls without arguments',
      [
        [piece('', { index: 0, name: 'get_' })],
        [piece('', { index: 0, name: 'weather' })],
        [piece(ROME, { index: 0 })],
      ],
    ],
    ['a name in pieces under one id', [[piece('', { ...one, name: 'get_' })], [piece(ROME, one)]]],
    ['interleaved without an index', [[piece('', one), piece('', two)], [piece(ROME)], [piece(OSLO)]]],
  ])('refused: %s', (_, deltas) => {
    for (const surface of SURFACES) {
      const { answer, failure } = play(calling(...deltas), surface)
      expect([surface, answer, failure]).toEqual([surface, undefined, expect.stringMatching(/tool call/)])
    }
  })
})
