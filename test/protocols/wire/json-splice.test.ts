// Changes to top-level fields in the bytes: everything else keeps its bytes.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { JsonObject } from '../../../src/protocols/wire/json.ts'
import { parseJsonBody } from '../../../src/protocols/wire/json-body.ts'
import { namesFrom } from '../../../src/protocols/wire/json-names.ts'
import { spliceFields } from '../../../src/protocols/wire/json-splice.ts'
import { objectSource, textOf } from './json-source.ts'

function splice(text: string, fields: JsonObject): string {
  const body = parseJsonBody(Buffer.from(text))
  return Buffer.from(spliceFields(body, { ...body.json, ...fields })).toString()
}

const CASES: [string, string, JsonObject, string][] = [
  ['a string', '{"model":"a","x":1}', { model: 'b' }, '{"model":"b","x":1}'],
  ['whitespace stays', ' {\n\t"model" :\r "a" ,"x":1 } ', { model: 'b' }, ' {\n\t"model" :\r "b" ,"x":1 } '],
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
    'duplicate keys further in',
    '{"model":"a","x":{"y":1,"y":2}}',
    { model: 'b' },
    '{"model":"b","x":{"y":1,"y":2}}',
  ],
  [
    'duplicate keys that are not decisive',
    '{"x":1,"model":"a","x":2}',
    { model: 'b' },
    '{"x":1,"model":"b","x":2}',
  ],
  [
    'the same name further in',
    '{"x":{"model":"a"},"model":"a"}',
    { model: 'b' },
    '{"x":{"model":"a"},"model":"b"}',
  ],
  [
    'the name in a string',
    '{"x":"\\"model\\":\\"a\\"","model":"a"}',
    { model: 'b' },
    '{"x":"\\"model\\":\\"a\\"","model":"b"}',
  ],
  [
    'brackets in strings',
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
  ['an empty string', '{"model":"","x":""}', { model: 'b' }, '{"model":"b","x":""}'],
  ['a byte order mark is left out', '\ufeff{"model":"a"}', { model: 'b' }, '{"model":"b"}'],
  ['a value that needs escapes', '{"model":"a"}', { model: '"\n😀' }, '{"model":"\\"\\n😀"}'],
]

describe('only the bytes of a changed field change', () => {
  test.each(CASES)('%s', (_, text, fields, expected) => {
    expect(splice(text, fields)).toBe(expected)
  })

  test.each(['{"model":"a","x":1.0}', '{}', '{"x":1,"x":2}', ' {"model":"a"} '])(
    '%s: the very same bytes without a change',
    (text) => {
      const bytes = Buffer.from(text)
      const body = parseJsonBody(bytes)
      expect(spliceFields(body, body.json)).toBe(bytes)
      expect(spliceFields(body, { ...body.json })).toBe(bytes)
    },
  )
})

describe('a count that is not in plain digits is rewritten', () => {
  const NAMES = namesFrom({ max_tokens: 'count', config: namesFrom({ limit: 'count' }) })
  test.each([
    ['{"max_tokens":1.0,"x":1.0}', '{"max_tokens":1,"x":1.0}'],
    ['{"max_tokens" : 1e2 }', '{"max_tokens" : 100 }'],
    ['{"max_tokens":-0}', '{"max_tokens":0}'],
    ['{"max_tokens":0.99999999999999999999}', '{"max_tokens":1}'],
    ['{"config":{"limit":7.0,"x":1.0},"y":2.0}', '{"config":{"limit":7,"x":1},"y":2.0}'],
    ['{"max_tokens":12,"config":{"limit":-1}}', '{"max_tokens":12,"config":{"limit":-1}}'],
  ])('%s', (text, expected) => {
    const body = parseJsonBody(Buffer.from(text), NAMES)
    expect(Buffer.from(spliceFields(body, body.json)).toString()).toBe(expected)
  })
})

describe('a deleted field is left out', () => {
  test.each([
    ['{"a":1,"b":2,"c":3}', ['a'], '{"b":2,"c":3}'],
    ['{"a":1, "b":2 ,"c":3}', ['b'], '{"a":1 ,"c":3}'],
    ['{ "a":1,"b":2,"c":3 }', ['c'], '{ "a":1,"b":2 }'],
    ['{"a":1,"b":2,"c":3}', ['a', 'b'], '{"c":3}'],
    ['{"a":1,"b":2,"c":3}', ['b', 'c'], '{"a":1}'],
    ['{"a":1,"b":2,"c":3}', ['a', 'c'], '{"b":2}'],
    ['{"a":1,"b":2}', ['a', 'b'], '{}'],
    ['{"a":1,"a":2,"b":2}', ['a'], '{"b":2}'],
  ])('%s without %p', (text, names, expected) => {
    const body = parseJsonBody(Buffer.from(text))
    const after = Object.fromEntries(Object.entries(body.json).filter(([name]) => !names.includes(name)))
    expect(Buffer.from(spliceFields(body, after)).toString()).toBe(expected)
    const more = Buffer.from(spliceFields(body, { ...after, d: 4 })).toString()
    expect(JSON.parse(more)).toEqual({ ...after, d: 4 })
  })
})

test('any object in any spelling differs only in the changed values (property)', () => {
  const changes = fc
    .dictionary(fc.constantFrom('model', 'stream', 'n', 'x', 'added', '"'), fc.jsonValue(), { maxKeys: 3 })
    .map((fields): JsonObject => JSON.parse(JSON.stringify(fields)))
  fc.assert(
    fc.property(objectSource, changes, (source, fields) => {
      const body = parseJsonBody(Buffer.from(textOf(source)))
      const after: JsonObject = { ...body.json, ...fields }
      const names = source.fields.map(({ name }) => name)
      const added = Object.keys(after).filter((name) => !names.includes(name))
      const further = added.map((name) => `${JSON.stringify(name)}:${JSON.stringify(after[name])}`).join(',')

      const expected = textOf(
        source,
        ({ name, value }) => (after[name] === body.json[name] ? value : JSON.stringify(after[name])),
        names.length > 0 && added.length > 0 ? `,${further}` : further,
      )
      const spliced = Buffer.from(spliceFields(body, after))
      expect(spliced.toString()).toBe(expected.replace('\ufeff', ''))
      expect(JSON.stringify(parseJsonBody(spliced).json)).toBe(JSON.stringify(after))
    }),
    { numRuns: 500 },
  )
})
