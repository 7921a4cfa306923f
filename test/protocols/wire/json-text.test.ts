// The search for values in JSON that is not parsed.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { toByteString } from '../../../src/protocols/wire/byte-string.ts'
import { hasValue, quoted, stringValueBytes } from '../../../src/protocols/wire/json-text.ts'

describe('the length of the string values of a key', () => {
  const bytesOf = (value: unknown, key: string) =>
    stringValueBytes(toByteString(Buffer.from(JSON.stringify(value))), quoted(key))

  test('property: is that of the bytes between their quotes, whatever they hold', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (one, two) => {
        const written = (text: string) => Buffer.byteLength(JSON.stringify(text)) - 2
        expect(bytesOf([{ text: one }, { other: two, text: two }], 'text')).toBe(written(one) + written(two))
      }),
    )
  })

  test.each([
    ['null', { text: null }, 0],
    ['a number', { text: 7 }, 0],
    ['a string equal to the key', { a: 'text' }, 0],
    ['a key within a string', { a: '"text":"abc"' }, 0],
    ['an object with the same key', { text: { text: 'ab' } }, 2],
    ['backslashes before the closing quote', { text: '\\\\' }, 4],
  ])('%s', (_name, value, expected) => {
    expect(bytesOf(value, 'text')).toBe(expected)
  })

  test('counts nothing for a string that is cut off', () => {
    expect(stringValueBytes('{"text":"ab\\"', quoted('text'))).toBe(0)
  })
})

describe('whether a key has a value', () => {
  test.each([
    [{ usage: null }, false],
    [{ usage: { a: 1 } }, true],
    [{ a: 'usage' }, false],
    [{ a: 'usage', usage: 0 }, true],
  ])('%j: %p', (value, expected) => {
    expect(hasValue(JSON.stringify(value), quoted('usage'))).toBe(expected)
    expect(hasValue(JSON.stringify(value, null, 1), quoted('usage'))).toBe(expected)
  })
})
