// Public unicast addresses: the first and last of each special-purpose range, and their neighbours.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { isPublicAddress } from '../../src/media/addresses.ts'

const REFUSED: [range: string, ...addresses: string[]][] = [
  ['this network', '0.0.0.0', '0.0.0.1', '0.255.255.255'],
  ['private 10/8', '10.0.0.0', '10.1.2.3', '10.255.255.255'],
  ['carrier-grade NAT', '100.64.0.0', '100.100.100.200', '100.127.255.255'],
  ['loopback', '127.0.0.0', '127.0.0.1', '127.0.0.53', '127.255.255.255'],
  ['link-local and metadata', '169.254.0.0', '169.254.169.254', '169.254.170.2', '169.254.255.255'],
  ["Azure's host", '168.63.129.16'],
  ['private 172.16/12', '172.16.0.0', '172.17.0.1', '172.31.255.255'],
  ['protocol assignments', '192.0.0.0', '192.0.0.8', '192.0.0.192', '192.0.0.255'],
  ['documentation', '192.0.2.0', '192.0.2.255', '198.51.100.1', '203.0.113.255'],
  ['AS112', '192.31.196.1', '192.175.48.255'],
  ['multicast tunnelling', '192.52.193.1'],
  ['6to4 relay', '192.88.99.0', '192.88.99.255'],
  ['private 192.168/16', '192.168.0.0', '192.168.1.1', '192.168.255.255'],
  ['benchmarking', '198.18.0.0', '198.19.255.255'],
  ['multicast', '224.0.0.0', '224.0.0.251', '239.255.255.255'],
  ['reserved', '240.0.0.0', '250.1.2.3', '255.255.255.254', '255.255.255.255'],
  ['unspecified and loopback', '::', '::1'],
  ['IPv4-mapped', '::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:8.8.8.8', '0:0:0:0:0:ffff:0a00:0001'],
  ['IPv4-compatible', '::127.0.0.1', '::8.8.8.8', '::7f00:1'],
  ['IPv4-translated', '::ffff:0:127.0.0.1', '::ffff:0:808:808'],
  ['NAT64', '64:ff9b::7f00:1', '64:ff9b::10.0.0.1', '64:ff9b::808:808', '64:ff9b:1::a00:1'],
  ['discard-only', '100::', '100::1', '100:0:0:1::'],
  ['Teredo', '2001::', '2001:0:4136:e378:8000:63bf:3fff:fdd2', '2001:0:7f00:1::'],
  ['protocol assignments (IPv6)', '2001:1::1', '2001:2::', '2001:10::', '2001:20::', '2001:1ff:ffff::'],
  ['documentation (IPv6)', '2001:db8::', '2001:db8:ffff:ffff::1', '3fff::', '3fff:fff:ffff::1'],
  ['6to4', '2002::', '2002:7f00:1::', '2002:a00:1::1', '2002:ffff:ffff::'],
  ['AS112 (IPv6)', '2620:4f:8000::', '2620:4f:8000:ffff::1'],
  ['segment routing', '5f00::', '5f00::1'],
  ['unassigned', '4000::', '6000::1', '8000::', 'e000::1', '1fff:ffff::'],
  ['unique local', 'fc00::', 'fd00::1', 'fd00:ec2::254', 'fdff:ffff::'],
  ['link-local (IPv6)', 'fe80::', 'fe80::1', 'febf:ffff::', 'fe80::5efe:10.0.0.1'],
  ['site-local', 'fec0::', 'feff::1'],
  ['multicast (IPv6)', 'ff00::', 'ff02::1', 'ff0e::1', 'ffff:ffff::'],
  ['zones', 'fe80::1%eth0', '::1%lo', '2606:4700::1%eth0', '8.8.8.8%eth0'],
  ['ISATAP', '2606:4700::5efe:10.0.0.1', '2606:4700::200:5efe:7f00:1', '2606:4700:1:2:0:5efe:808:808'],
  [
    'not an address',
    '',
    'localhost',
    '1.2.3',
    '1',
    '0x7f.1',
    '010.1.1.1',
    '8.8.8.8 ',
    '8.8.8.8:443',
    '[2606:4700::1]',
  ],
  [
    'not an address either',
    '256.1.1.1',
    '8.8.8.8.',
    '8.8.8.8/32',
    '2606:4700::1::',
    'g::1',
    '１.1.1.1',
    '8.8.8.8\n',
  ],
]

const PUBLIC: [range: string, ...addresses: string[]][] = [
  ['resolvers', '1.1.1.1', '8.8.8.8', '9.9.9.9'],
  [
    'next to private ranges',
    '9.255.255.255',
    '11.0.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '192.167.255.255',
    '192.169.0.0',
  ],
  ['next to shared ranges', '100.63.255.255', '100.128.0.0', '168.63.129.15', '168.63.129.17'],
  [
    'next to loopback and link-local',
    '1.0.0.0',
    '126.255.255.255',
    '128.0.0.0',
    '169.253.255.255',
    '169.255.0.0',
  ],
  ['next to assigned ranges', '191.255.255.255', '192.0.1.0', '192.0.3.0', '198.17.255.255', '198.20.0.0'],
  ['next to documentation', '198.51.99.255', '198.51.101.0', '203.0.112.255', '203.0.114.0'],
  ['the last before multicast', '223.255.255.255'],
  ['IPv6', '2606:4700:4700::1111', '2001:4860:4860::8888', '2a00:1450:4001::1', '2000::1', '3ffe:ffff::1'],
  [
    'next to special ranges (IPv6)',
    '2001:200::',
    '2001:db7:ffff::',
    '2001:db9::',
    '2003::',
    '2620:4f:7fff::',
    '2620:4f:8001::',
  ],
]

const rowsOf = (table: typeof PUBLIC): [string, string][] =>
  table.flatMap(([range, ...addresses]) => addresses.map((address): [string, string] => [range, address]))

describe('an address that is not public unicast is refused', () => {
  test.each(rowsOf(REFUSED))('%s: %j', (_, address) => {
    expect(isPublicAddress(address)).toBe(false)
  })
})

describe('a public unicast address is allowed', () => {
  test.each(rowsOf(PUBLIC))('%s: %j', (_, address) => {
    expect(isPublicAddress(address)).toBe(true)
  })
})

describe('properties', () => {
  const octet = fc.nat(255)
  const ipv4 = fc.tuple(octet, octet, octet, octet).map((octets) => octets.join('.'))
  const group = fc.nat(0xffff).map((value) => value.toString(16))

  test('an IPv4 address inside an IPv6 address is refused, public or not', () => {
    const forms = ['::', '::ffff:', '::ffff:0:', '64:ff9b::', '2606:4700::5efe:', '2606:4700::200:5efe:']
    fc.assert(
      fc.property(ipv4, fc.constantFrom(...forms), (address, form) => !isPublicAddress(form + address)),
    )
  })

  test('no address outside 2000::/3 is public', () => {
    const first = fc.nat(0xffff).filter((value) => value < 0x2000 || value > 0x3fff)
    fc.assert(
      fc.property(first, fc.array(group, { minLength: 7, maxLength: 7 }), (head, rest) => {
        return !isPublicAddress([head.toString(16), ...rest].join(':'))
      }),
    )
  })

  test('the spelling of an IPv6 address does not matter', () => {
    fc.assert(
      fc.property(fc.array(group, { minLength: 8, maxLength: 8 }), (groups) => {
        const written = groups.join(':')
        const long = groups.map((part) => part.padStart(4, '0').toUpperCase()).join(':')
        const short = new URL(`https://[${written}]`).hostname.slice(1, -1)
        expect(isPublicAddress(long)).toBe(isPublicAddress(written))
        expect(isPublicAddress(short)).toBe(isPublicAddress(written))
      }),
    )
  })
})
