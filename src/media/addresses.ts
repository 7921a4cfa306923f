// Public unicast IP addresses, the only ones that a fetch for a caller may connect to. Pure.
import { BlockList, isIPv4, isIPv6 } from 'node:net'

/**
 * Refused IPv4: the whole IANA special-purpose registry, including its globally reachable anycast services,
 * which serve no images; multicast; and reserved space.
 * https://www.iana.org/assignments/iana-ipv4-special-registry
 */
const IPV4_REFUSED: readonly (readonly [network: string, prefix: number, source: string])[] = [
  ['0.0.0.0', 8, 'this network, RFC 791 §3.2'],
  ['10.0.0.0', 8, 'private use, RFC 1918'],
  ['100.64.0.0', 10, 'carrier-grade NAT, RFC 6598; Alibaba metadata 100.100.100.200'],
  ['127.0.0.0', 8, 'loopback, RFC 1122 §3.2.1.3'],
  [
    '168.63.129.16',
    32,
    "Azure's host, reachable from each virtual machine, although its number is in public space",
  ],
  ['169.254.0.0', 16, 'link-local, RFC 3927; cloud metadata 169.254.169.254'],
  ['172.16.0.0', 12, 'private use, RFC 1918'],
  ['192.0.0.0', 24, 'IETF protocol assignments, RFC 6890 §2.1; Oracle metadata 192.0.0.192'],
  ['192.0.2.0', 24, 'documentation, RFC 5737'],
  ['192.31.196.0', 24, 'AS112, RFC 7535'],
  ['192.52.193.0', 24, 'automatic multicast tunnelling, RFC 7450'],
  ['192.88.99.0', 24, '6to4 relay, deprecated, RFC 7526'],
  ['192.168.0.0', 16, 'private use, RFC 1918'],
  ['192.175.48.0', 24, 'AS112 direct delegation, RFC 7534'],
  ['198.18.0.0', 15, 'benchmarking, RFC 2544'],
  ['198.51.100.0', 24, 'documentation, RFC 5737'],
  ['203.0.113.0', 24, 'documentation, RFC 5737'],
  ['224.0.0.0', 4, 'multicast, RFC 5771'],
  ['240.0.0.0', 4, 'reserved and limited broadcast, RFC 1112 §4 and RFC 919'],
]

/**
 * Allowed IPv6: only global unicast. So later registered ranges, and each form that contains an IPv4
 * address (mapped, compatible, NAT64), are refused without being listed.
 * https://www.iana.org/assignments/ipv6-unicast-address-assignments
 */
const IPV6_GLOBAL_UNICAST = ['2000::', 3] as const

/** The ranges of the IANA IPv6 special-purpose registry within global unicast. */
const IPV6_REFUSED: readonly (readonly [network: string, prefix: number, source: string])[] = [
  [
    '2001::',
    23,
    'IETF protocol assignments, RFC 2928; holds Teredo, RFC 4380, ORCHID, RFC 7343, benchmarking, RFC 5180',
  ],
  ['2001:db8::', 32, 'documentation, RFC 3849'],
  ['2002::', 16, '6to4, which carries an IPv4 address, RFC 3056'],
  ['2620:4f:8000::', 48, 'AS112 direct delegation, RFC 7534'],
  ['3fff::', 20, 'documentation, RFC 9637'],
]

const ipv4Refused = listOf('ipv4', IPV4_REFUSED)
const ipv6Refused = listOf('ipv6', IPV6_REFUSED)
const ipv6Allowed = listOf('ipv6', [IPV6_GLOBAL_UNICAST])

/**
 * Whether a fetch for a caller may connect to an address.
 * @param address in the form of a resolver or the WHATWG URL parser; IPv6 without brackets
 * @returns false also if the text is no address, for an address with a zone (RFC 4007), which only local addresses
 * have, and for an IPv6 address that ends in dotted decimal, which contains an IPv4 address
 */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !ipv4Refused.check(address, 'ipv4')
  if (!isIPv6(address) || /[.%]/.test(address)) return false
  return ipv6Allowed.check(address, 'ipv6') && !ipv6Refused.check(address, 'ipv6') && !isIsatap(address)
}

/** ISATAP contains an IPv4 address under any prefix, with interface identifiers ::0:5efe:* and ::200:5efe:*. RFC 5214 §6.1. */
function isIsatap(address: string): boolean {
  const groups = groupsOf(address)
  return groups[5] === 0x5efe && (groups[4] === 0 || groups[4] === 0x200)
}

/** The eight groups of a valid IPv6 address in hexadecimal. */
function groupsOf(address: string): number[] {
  const [head = [], tail = []] = address.split('::').map((half) => half.split(':').filter(Boolean))
  const zeros = Array<string>(8 - head.length - tail.length).fill('0')
  return [...head, ...zeros, ...tail].map((group) => Number.parseInt(group, 16))
}

function listOf(
  family: 'ipv4' | 'ipv6',
  ranges: readonly (readonly [network: string, prefix: number, ...rest: string[]])[],
): BlockList {
  const list = new BlockList()
  for (const [network, prefix] of ranges) list.addSubnet(network, prefix, family)
  return list
}
