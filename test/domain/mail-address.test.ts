// Mail addresses of people: their normal form, and the ones that are refused.
import { describe, expect, test } from 'bun:test'
import { personsAddress } from '../../src/domain/mail-address.ts'

describe('a person’s address', () => {
  test.each([
    ['unchanged', 'ada@example.com', 'ada@example.com'],
    ['in lower case', 'Ada.Lovelace@Example.COM', 'ada.lovelace@example.com'],
    ['without spaces around', ' ada@example.com ', 'ada@example.com'],
    [
      'of a domain in another script, in its ASCII form',
      'ada@xn--bcher-kva.example',
      'ada@xn--bcher-kva.example',
    ],
    ['with a tag', 'ada+tollgate@example.com', 'ada+tollgate@example.com'],
  ])('%s', (_, typed, address) => {
    expect(personsAddress(typed)).toBe(address)
  })

  test.each([
    ['an empty text', ''],
    ['a text without an @', 'ada'],
    ['a look-alike: Cyrillic а', 'аda@example.com'],
    ['a look-alike in the domain', 'ada@exаmple.com'],
    ['a letter that lower case makes ASCII: the Kelvin sign', 'ada@\u212Aexample.com'],
    ['full-width letters', 'ａda@example.com'],
    ['a line break and a header', 'ada@example.com\r\nBcc: eve@example.com'],
    ['two addresses', 'ada@example.com,eve@example.com'],
    ['a name around it', 'Ada <ada@example.com>'],
    ['a quoted part', '"ada"@example.com'],
    ['a domain of this machine', 'ada@localhost'],
    ['more than 64 characters before the @', `${'a'.repeat(65)}@example.com`],
    ['more than 254 characters', `ada@${'a.'.repeat(130)}example.com`],
  ])('is refused: %s', (_, typed) => {
    expect(() => personsAddress(typed, 'to')).toThrow(
      expect.objectContaining({ kind: 'invalid_request', param: 'to' }),
    )
  })
})
