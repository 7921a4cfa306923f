// The place of one string in JSON text that is not parsed.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { toByteString } from '../../../src/protocols/wire/byte-string.ts'
import { createStringFinder, placeOfString } from '../../../src/protocols/wire/json-place.ts'
import { IS_LONG } from '../../support/long.ts'

const stringAt = (json: string, ...path: string[]): string | undefined => {
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
    expect(stringAt(json, 'model')).toBe(value)
  })
})

describe('no string', () => {
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
    expect(stringAt(json, 'model')).toBeUndefined()
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
    expect(stringAt(json, 'message', 'model')).toBe(value)
  })
})

test('agrees with JSON.parse on any object with any spacing', () => {
  const keys = fc.constantFrom('model', 'message', 'a', '', '\\', '"', 'é')
  const object = fc.dictionary(keys, fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.constantFrom('x', '"', '\\')))
  fc.assert(
    fc.property(object, fc.constantFrom(undefined, 1, '\t'), (value, space) => {
      const { model } = value
      const at = stringAt(JSON.stringify(value, undefined, space), 'model')
      expect(at === undefined ? undefined : JSON.parse(`"${at}"`)).toBe(
        typeof model === 'string' ? model : undefined,
      )
    }),
    { numRuns: 200 },
  )
})

describe('in successive events', () => {
  const places = (path: readonly string[], events: readonly string[]) => {
    const find = createStringFinder(path)
    return events.map((event) => find(toByteString(Buffer.from(event))))
  }
  const each = (path: readonly string[], events: readonly string[]) =>
    events.map((event) => placeOfString(toByteString(Buffer.from(event)), path))

  test.each<[string, string[]]>([
    ['which begin alike', ['{"id":1,"model":"a","x":"b"}', '{"id":1,"model":"a","x":"c, \\"model\\":"}']],
    ['which end alike', ['{"x":"b","model":"a","y":{}}', '{"x":[",",{}],"model":"a","y":{}}']],
    ['which end alike, the field in an object', ['{"x":1,"model":"a"}', '{"x":{"y":1,"model":"a"}}']],
    ['one without the field', ['{"x":1,"model":"a"}', '{"x":1}', '{"x":"model"}', '{"x":1,"model":"b"}']],
    ['one with another name', ['{"model":"a","x":1}', '{"model":"ab","x":1}', '{"model":"a"}']],
    ['one with a text like a field', ['{"x":1,"model":"a"}', '{"x":"\\",\\"model\\":\\"a\\"}"}']],
    ['one with a key like a field', ['{"x":1,"model":"a"}', '{"x\\",\\"model":"a"}']],
    ['with other events between', ['{"model":"a"}', '[DONE]', '', '{"model":"a"}', '{"model":"c"}']],
  ])('%s', (_name, events) => {
    for (const order of [events, events.toReversed()])
      expect(places(['model'], order)).toEqual(each(['model'], order))
  })

  test('the same places as in a search of each', () => {
    const keys = fc.constantFrom('model', 'message', 'a', ',', '"', ',"model')
    const value = fc.oneof(
      fc.constantFrom('x', 'y', ',"model":"x"}', '"', '\\'),
      fc.dictionary(keys, fc.constantFrom('x', 'y'), { maxKeys: 2 }),
    )
    const objects = fc.array(fc.dictionary(keys, value, { maxKeys: 4 }), { minLength: 2, maxLength: 8 })
    fc.assert(
      fc.property(
        objects,
        fc.constantFrom(undefined, 1),
        fc.constantFrom(['model'], ['message', 'model']),
        (all, space, path) => {
          const events = all.map((object) => JSON.stringify(object, undefined, space))
          expect(places(path, events)).toEqual(each(path, events))
        },
      ),
      { numRuns: IS_LONG ? 20_000 : 200 },
    )
  })
})
