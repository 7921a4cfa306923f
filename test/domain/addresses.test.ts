// Address lists of keys: which entries they may have, and which callers' addresses they allow.
import { describe, expect, test } from 'bun:test'
import { checkAddresses, compileAddresses } from '../../src/domain/addresses.ts'

describe('an address list', () => {
  test.each([
    '203.0.113.7',
    '203.0.113.7/32',
    '10.0.0.0/8',
    '10.1.2.3/8',
    '0.0.0.0/0',
    '::1',
    '2001:db8::/32',
    '2001:DB8:0:0::1',
    '::/0',
  ])('may contain %s', (text) => {
    expect(() => checkAddresses([text])).not.toThrow()
  })

  test.each([
    '',
    ' ',
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '10.0.0.0/08x',
    '10.0.0/8',
    '10.0.0.256',
    '010.0.0.1',
    '0x7f.0.0.1',
    '2130706433',
    '10.0.0.1:443',
    '[::1]',
    '2001:db8::/129',
    '2001:db8::1::2',
    'fe80::1%eth0',
    'localhost',
    '10.0.0.1 ',
    '10.0.0.*',
    '10.0.0.1-10.0.0.9',
    '::ffff:10.0.0.1',
    '::ffff:a00:0/104',
  ])('may not contain %p', (text) => {
    const refusal = expect.objectContaining({ kind: 'invalid_request', param: 'addresses' })
    expect(() => checkAddresses([text])).toThrow(refusal)
    expect(() => checkAddresses(['10.0.0.1', text])).toThrow(refusal)
  })
})

test('an empty address list is refused: it would allow no address', () => {
  expect(() => checkAddresses([])).toThrow(
    expect.objectContaining({ kind: 'invalid_request', param: 'addresses' }),
  )
})

test('a compiled list answers for any number of addresses', () => {
  const allows = compileAddresses(['10.0.0.0/8', '2001:db8::/32'])
  expect(['10.0.0.1', '11.0.0.1', '2001:db8::1', '2001:db9::1'].map(allows)).toEqual([
    true,
    false,
    true,
    false,
  ])
})

describe('an address of a caller', () => {
  test.each<[string, string[] | null, string]>([
    ['any address, without a list', null, '203.0.113.7'],
    ['a listed address', ['203.0.113.7'], '203.0.113.7'],
    ['an address in a block', ['10.0.0.0/8'], '10.255.255.255'],
    ['an address in a block that is written with host bits', ['10.1.2.3/8'], '10.9.9.9'],
    ['an address in the second of two blocks', ['10.0.0.0/8', '192.0.2.0/24'], '192.0.2.200'],
    ['any IPv4 address', ['0.0.0.0/0'], '203.0.113.7'],
    ['an IPv6 address', ['2001:db8::/32'], '2001:db8:ffff::1'],
    ['an IPv6 address in another spelling', ['2001:db8::1'], '2001:0DB8:0:0:0:0:0:1'],
    ['IPv4 mapped into IPv6', ['10.0.0.0/8'], '::ffff:10.1.2.3'],
    ['IPv4 mapped into IPv6, in hex', ['10.0.0.0/8'], '::ffff:a01:203'],
    ['IPv4 mapped into IPv6, in full', ['10.0.0.0/8'], '0:0:0:0:0:ffff:0a01:0203'],
    ['IPv4 with zeros, mapped', ['10.0.0.0/32'], '::ffff:a00:0'],
    ['IPv4 0.0.0.0, mapped', ['0.0.0.0'], '::ffff:0:0'],
  ])('is allowed: %s', (_, addresses, ip) => {
    expect(compileAddresses(addresses)(ip)).toBe(true)
  })

  test.each<[string, string[], string]>([
    ['an address that is not listed', ['203.0.113.7'], '203.0.113.8'],
    ['the address after a block', ['10.0.0.0/8'], '11.0.0.0'],
    ['the address before a block', ['10.0.0.0/8'], '9.255.255.255'],
    ['any address, with an empty list', [], '10.0.0.1'],
    ['IPv4 where IPv6 is listed', ['::/0'], '10.0.0.1'],
    ['IPv6 where IPv4 is listed', ['0.0.0.0/0'], '2001:db8::1'],
    ['mapped IPv4 where IPv6 is listed', ['::/0'], '::ffff:10.0.0.1'],
    ['mapped IPv4 outside the block', ['10.0.0.0/8'], '::ffff:11.0.0.1'],
    ['IPv4-compatible IPv6, which is not IPv4', ['10.0.0.0/8'], '::10.0.0.1'],
    ['NAT64, which is not IPv4', ['10.0.0.0/8'], '64:ff9b::a00:1'],
    ['an address with a zone', ['fe80::/10'], 'fe80::1%eth0'],
    ['an empty text', ['0.0.0.0/0', '::/0'], ''],
    ['a text that is not an address', ['0.0.0.0/0', '::/0'], 'unknown'],
    ['another spelling of IPv4', ['127.0.0.0/8'], '0x7f.1'],
    ['any address, if no entry is valid', ['everywhere', '10.0.0.0/99'], '10.0.0.1'],
  ])('is refused: %s', (_, addresses, ip) => {
    expect(compileAddresses(addresses)(ip)).toBe(false)
  })
})
