// The place of one string in JSON text that is not parsed.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { toByteString } from '../../../src/protocols/wire/byte-string.ts'
import { placeOfString } from '../../../src/protocols/wire/json-place.ts'

const found = (json: string, ...path: string[]): string | undefined => {
  const bytes = toByteString(Buffer.from(json))
  const place = placeOfString(bytes, path)
  return place && Buffer.from(bytes.slice(place.start, place.end), 'latin1').toString()
}

describe('a string at the top', () => {
  test.each([
    ['{"model":"a"}', 'a'],
    [' \n{ "x" : 1 ,\r\n"model"\t: "a" }\n', 'a'],
    ['{"model":""}', ''],
    ['{"é":"漢","model":"ü"}', 'ü'],
    ['{"a":"\\"model\\":\\"b\\"","model":"c"}', 'c'],
    ['{"a":"ends in a backslash\\\\","model":"c"}', 'c'],
    ['{"a":{"model":"b"},"b":["model",{"model":"x"},"]}"],"model":"c"}', 'c'],
    ['{"a":-1.5e3,"b":true,"c":null,"d":[],"e":{},"model":"c"}', 'c'],
    ['{"mode":"b","models":"b","amodel":"b","model":"c"}', 'c'],
    ['{"model":"a\\u0041\\"b"}', 'a\\u0041\\"b'],
  ])('%s', (json, value) => {
    expect(found(json, 'model')).toBe(value)
  })
})

describe('none', () => {
  test.each([
    '',
    '{}',
    '[{"model":"a"}]',
    '"model"',
    '{"model":1}',
    '{"model":null}',
    '{"model":{"model":"a"}}',
    '{"a":{"model":"a"}}',
    '{"a":"\\"model\\":\\"b\\""}',
    '{"model":"cut o',
    '{"model',
    '{"model"',
    '{"model":',
    '{"a":{"b":[1,2',
    '{"a":"\\',
    '{a:"b","model":"c"}',
    '[DONE]',
  ])('%s', (json) => {
    expect(found(json, 'model')).toBeUndefined()
  })
})

describe('further in', () => {
  test.each([
    ['{"type":"message_start","message":{"id":"m","model":"a"}}', 'a'],
    ['{"model":"b","message":{"model":"a"}}', 'a'],
    ['{"message":"model","x":{"model":"a"}}', undefined],
    ['{"message":[{"model":"a"}]}', undefined],
    ['{"x":{"message":{"model":"a"}}}', undefined],
  ])('%s', (json, value) => {
    expect(found(json, 'message', 'model')).toBe(value)
  })
})

test('agrees with JSON.parse on any object, however it is spaced', () => {
  const keys = fc.constantFrom('model', 'message', 'a', '', '\\', '"', 'é')
  const object = fc.dictionary(keys, fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.constantFrom('x', '"', '\\')))
  fc.assert(
    fc.property(object, fc.constantFrom(undefined, 1, '\t'), (value, space) => {
      const { model } = value
      const at = found(JSON.stringify(value, undefined, space), 'model')
      expect(at === undefined ? undefined : JSON.parse(`"${at}"`)).toBe(
        typeof model === 'string' ? model : undefined,
      )
    }),
    { numRuns: 500 },
  )
})
