// Changing top-level fields in bytes: what changes is said once and means one thing, all else stays as it was written.

import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { JsonObject } from '../../../src/protocols/wire/json.ts'
import { spliceFields } from '../../../src/protocols/wire/json-splice.ts'

const SINGLE = new Set(['model', 'stream'])

function splice(text: string, fields: JsonObject): string {
  const bytes = Buffer.from(text)
  const json = JSON.parse(text.replace(/^\ufeff/, ''))
  return Buffer.from(spliceFields(bytes, json, { ...json, ...fields }, SINGLE)).toString()
}

const CASES: [string, string, JsonObject, string][] = [
  ['a value', '{"model":"a","x":1}', { model: 'b' }, '{"model":"b","x":1}'],
  ['white space stays', ' {\n\t"model" :\r "a" ,"x":1 } ', { model: 'b' }, ' {\n\t"model" :\r "b" ,"x":1 } '],
  [
    'integers beyond 2^53',
    '{"x":12345678901234567890,"model":"a"}',
    { model: 'b' },
    '{"x":12345678901234567890,"model":"b"}',
  ],
  [
    'spellings of numbers',
    '{"a":1.0,"b":1E2,"c":-0,"model":"a"}',
    { model: 'b' },
    '{"a":1.0,"b":1E2,"c":-0,"model":"b"}',
  ],
  [
    'duplicate keys within',
    '{"model":"a","x":{"y":1,"y":2}}',
    { model: 'b' },
    '{"model":"b","x":{"y":1,"y":2}}',
  ],
  [
    'duplicate keys that are not named',
    '{"x":1,"model":"a","x":2}',
    { model: 'b' },
    '{"x":1,"model":"b","x":2}',
  ],
  [
    'the same name within',
    '{"x":{"model":"a"},"model":"a"}',
    { model: 'b' },
    '{"x":{"model":"a"},"model":"b"}',
  ],
  [
    'the name in a text',
    '{"x":"\\"model\\":\\"a\\"","model":"a"}',
    { model: 'b' },
    '{"x":"\\"model\\":\\"a\\"","model":"b"}',
  ],
  [
    'brackets in texts',
    '{"x":["]}{\\\\","["],"model":"a"}',
    { model: 'b' },
    '{"x":["]}{\\\\","["],"model":"b"}',
  ],
  ['an escaped name', '{"mod\\u0065l":"a"}', { model: 'b' }, '{"mod\\u0065l":"b"}'],
  ['an object', '{"stream_options":{"a":[1]},"x":1}', { stream_options: {} }, '{"stream_options":{},"x":1}'],
  ['a number, last', '{"max_tokens":100}', { max_tokens: 7 }, '{"max_tokens":7}'],
  ['true and null', '{"a":true,"b":null}', { a: false, b: 1 }, '{"a":false,"b":1}'],
  ['a new field', '{"x":1 }\n', { y: [2] }, '{"x":1 ,"y":[2]}\n'],
  ['a new field of an empty object', '{ }', { y: 2 }, '{ "y":2}'],
  ['an empty text', '{"model":"","x":""}', { model: 'b' }, '{"model":"b","x":""}'],
  ['a byte order mark', '\ufeff{"model":"a"}', { model: 'b' }, '\ufeff{"model":"b"}'],
  ['a value that needs escapes', '{"model":"a"}', { model: '"\n😀' }, '{"model":"\\"\\n😀"}'],
]

describe('only the bytes of what changes', () => {
  test.each(CASES)('%s', (_, text, fields, expected) => {
    expect(splice(text, fields)).toBe(expected)
  })

  test.each(['{"model":"a","x":1.0}', '{}', '{"x":1,"x":2}', ' {"model":"a"} '])(
    '%s: the very same bytes where nothing changes',
    (text) => {
      const bytes = Buffer.from(text)
      const json: JsonObject = JSON.parse(text)
      expect(spliceFields(bytes, json, json, SINGLE)).toBe(bytes)
      expect(spliceFields(bytes, json, { ...json }, SINGLE)).toBe(bytes)
    },
  )
})

describe('a field on which the price hangs means one thing, though readers differ in which of two equal keys counts', () => {
  test.each([
    ['{"model":"dear","model":"cheap"}', '{"model":"cheap","model":"cheap"}'],
    ['{"model":"dear","mod\\u0065l":"cheap"}', '{"model":"cheap","mod\\u0065l":"cheap"}'],
    ['{"stream":true,"model":"a","stream":false}', '{"stream":false,"model":"a","stream":false}'],
    ['{"model":{"x":1},"model":"a","model":"b"}', '{"model":"b","model":"b","model":"b"}'],
  ])('%s', (text, expected) => {
    expect(splice(text, {})).toBe(expected)
  })
})

test('property: parses to what it was told to say, and without the change the bytes are those that came', () => {
  const key = fc.oneof(fc.constantFrom('model', 'x', '"', '\\', ''), fc.string({ unit: 'binary' }))
  const objects = fc.dictionary(key, fc.jsonValue(), { maxKeys: 6 })
  fc.assert(
    fc.property(objects, objects, fc.constantFrom(undefined, 1, '\t'), (before, fields, indent) => {
      const text = JSON.stringify(before, null, indent)
      const json: JsonObject = JSON.parse(text)
      const after: JsonObject = { ...json, ...JSON.parse(JSON.stringify(fields)) }
      const bytes = Buffer.from(text)
      const spliced = Buffer.from(spliceFields(bytes, json, after, SINGLE)).toString()
      expect(JSON.parse(spliced)).toEqual(JSON.parse(JSON.stringify(after)))
      if (Object.keys(fields).length === 0) expect(spliced).toBe(text)
    }),
    { numRuns: 500 },
  )
})
