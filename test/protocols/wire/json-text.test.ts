// The search for values in JSON that is not parsed.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { type ByteString, toByteString } from '../../../src/protocols/wire/byte-string.ts'
import { closingQuote as closingQuoteInBytes } from '../../../src/protocols/wire/json-bytes.ts'
import { closingQuote, hasValue, nextStringValue, quoted } from '../../../src/protocols/wire/json-text.ts'

/** The length of all string values of a key, counted in bytes and with their escapes; other values count as nothing. */
function stringValueBytes(data: ByteString, key: ByteString): number {
  let bytes = 0
  let start = nextStringValue(data, key, 0)
  while (start >= 0) {
    const end = closingQuote(data, start)
    if (end < 0) break
    bytes += end - start
    start = nextStringValue(data, key, end)
  }
  return bytes
}

describe('the length of the string values of a key', () => {
  const bytesOf = (value: unknown, key: string) =>
    stringValueBytes(toByteString(Buffer.from(JSON.stringify(value))), quoted(key))

  test('counts the bytes between their quotes, for any text (property)', () => {
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

test('in bytes the closing quote is found after any run of backslashes, at any distance', () => {
  for (let distance = 0; distance <= 40; distance++) {
    for (let backslashes = 0; backslashes <= 40; backslashes++) {
      const text = JSON.stringify(`${'x'.repeat(distance)}${'\\'.repeat(backslashes)}"`)
      expect(closingQuoteInBytes(Buffer.from(`${text},"next"`), 1)).toBe(text.length - 1)
    }
  }
})
