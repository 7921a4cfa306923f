// The walk through JSON bytes: their depth, and the offsets of the top-level keys.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { NO_NAMES } from '../../../src/protocols/wire/json-names.ts'
import { walkJson } from '../../../src/protocols/wire/json-walk.ts'
import { IS_LONG } from '../../support/long.ts'
import { keyOffsets, objectSource, textOf } from './json-source.ts'

const keysIn = (text: string, max_depth = 500) =>
  walkJson(new TextEncoder().encode(text), max_depth, NO_NAMES)?.keys

/** The depth by a simple method: without strings, every bracket counts. */
function depthOf(text: string): number {
  let depth = 0
  let deepest = 0
  for (const character of text.replace(/"(?:[^"\\]|\\.)*"/g, '')) {
    if ('[{'.includes(character)) depth++
    else if (']}'.includes(character)) depth--
    deepest = Math.max(deepest, depth)
  }
  return deepest
}

describe('the keys of the outermost object', () => {
  test.each<[string, string, number[]]>([
    ['none', '{}', []],
    ['two', '{"a":1,"b":2}', [1, 7]],
    ['with whitespace', ' {\n"a" : 1\t,\r"b":2}', [3, 13]],
    ['the same one twice', '{"a":1,"a":2}', [1, 7]],
    ['not those of nested objects', '{"a":{"b":1,"c":{}},"d":[{"e":1}]}', [1, 20]],
    ['not values', '{"a":"b","c":"d"}', [1, 9]],
    ['not text that looks like one', '{"a":"\\"b\\":1"}', [1]],
    ['not those of objects in an array', '[{"a":1},"b"]', []],
    ['counted in bytes', '{"é":1,"a":2}', [1, 8]],
    ['after a byte order mark', '\ufeff{"a":1}', [4]],
  ])('%s', (_, text, offsets) => {
    expect(keysIn(text)).toEqual(offsets)
  })

  test('of any object have the offsets of its source (property)', () => {
    fc.assert(
      fc.property(objectSource, (source) => {
        expect(keysIn(textOf(source))).toEqual(keyOffsets(source))
      }),
      { numRuns: IS_LONG ? 20_000 : 200 },
    )
  })
})

describe('the depth', () => {
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)

  test.each<[string, string, boolean]>([
    ['as deep as allowed', nested(3), true],
    ['one deeper', nested(4), false],
    ['arrays and objects together', '{"a":[{"b":[]}]}', false],
    ['many side by side', '[[[]],[[]],[[]],[[]]]', true],
    ['brackets in a string', '["[[[[{{{{"]', true],
    ['brackets after an escaped quote', '["\\"[[[["]', true],
    ['brackets after a string that ends in a backslash', '["\\\\",[[[]]]]', false],
    ['a string that does not end', '["[[[[', true],
    ['cut off at its deepest', '[[[[', false],
    ['nothing', '', true],
  ])('%s', (_, text, allowed) => {
    expect(keysIn(text, 3) !== undefined).toBe(allowed)
  })

  test('of any object is the count of brackets outside strings (property)', () => {
    fc.assert(
      fc.property(objectSource, (source) => {
        const text = textOf(source)
        const depth = depthOf(text)
        expect(keysIn(text, depth)).toBeDefined()
        expect(keysIn(text, depth - 1)).toBeUndefined()
      }),
      { numRuns: IS_LONG ? 20_000 : 200 },
    )
  })
})
