// Owns the addresses that a key may be used from: how they are written, and whether one of them is met.
import { BlockList, isIP } from 'node:net'
import { invalidRequest } from '../domain/errors.ts'

type Family = 'ipv4' | 'ipv6'

interface Block {
  network: string
  prefix_bits: number
  family: Family
}

const BITS: Record<Family, number> = { ipv4: 32, ipv6: 128 }

/** IPv4 inside IPv6 (RFC 4291 §2.5.5.2), as a socket that listens on both families reports IPv4 callers. */
const MAPPED = new BlockList()
MAPPED.addSubnet('::ffff:0:0', 96, 'ipv6')

/**
 * Checks a list of addresses and CIDR blocks (RFC 4632) as an operator writes them.
 *
 * @throws GatewayError invalid_request that names the first one that is wrong
 */
export function checkAddresses(addresses: readonly string[]): void {
  for (const text of addresses) {
    const block = parseBlock(text)
    if (!block) {
      throw invalidRequest(
        `"${text}" is not an IP address or a CIDR block, such as 203.0.113.7, 10.0.0.0/8 or 2001:db8::/32.`,
        { param: 'addresses' },
      )
    }
    if (block.family === 'ipv6' && MAPPED.check(block.network, 'ipv6')) {
      throw invalidRequest(`"${text}" is an IPv4 address inside an IPv6 one: write the IPv4 address.`, {
        param: 'addresses',
      })
    }
  }
}

/**
 * Whether a key with this list may be used from this address. Nothing is allowed by a list that cannot be read.
 *
 * @param addresses a checked list; null: from anywhere
 * @param ip the caller's address, IPv4, IPv6, or IPv4 mapped into IPv6, which counts as the IPv4 address that it is
 */
export function addressAllowed(addresses: readonly string[] | null, ip: string): boolean {
  if (addresses === null) return true
  const plain = unmap(ip)
  const family = familyOf(plain)
  if (!family) return false
  const list = new BlockList()
  for (const text of addresses) {
    const block = parseBlock(text)
    if (block?.family === family) list.addSubnet(block.network, block.prefix_bits, family)
  }
  return list.check(plain, family)
}

function parseBlock(text: string): Block | undefined {
  const [network = '', bits, ...more] = text.split('/')
  const family = familyOf(network)
  if (!family || more.length > 0) return undefined
  if (bits === undefined) return { network, prefix_bits: BITS[family], family }
  if (!/^\d{1,3}$/.test(bits) || Number(bits) > BITS[family]) return undefined
  return { network, prefix_bits: Number(bits), family }
}

/** An address with a zone (`fe80::1%eth0`) has no family here: it means something on one machine only. */
function familyOf(address: string): Family | undefined {
  if (address.includes('%')) return undefined
  const version = isIP(address)
  if (version === 0) return undefined
  return version === 4 ? 'ipv4' : 'ipv6'
}

/** `::ffff:192.0.2.1` and `::ffff:c000:201` as `192.0.2.1`; anything else as it is. */
function unmap(ip: string): string {
  if (familyOf(ip) !== 'ipv6' || !MAPPED.check(ip, 'ipv6')) return ip
  // The URL parser writes an IPv6 address in its one canonical form, the last 32 bits as two groups of hex.
  const [high = 0, low = 0] = new URL(`http://[${ip}]`).hostname
    .slice('[::ffff:'.length, -1)
    .split(':')
    .map((group) => Number.parseInt(group, 16))
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}
