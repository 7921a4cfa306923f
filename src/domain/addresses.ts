// Lists of IP addresses and CIDR blocks, and matching of addresses against them.
import { BlockList, isIP } from 'node:net'
import { invalidRequest } from './errors.ts'

type Family = 'ipv4' | 'ipv6'

/** An address or a CIDR block, as `BlockList` takes it. */
interface Block {
  network: string
  prefix_bits: number
  family: Family
}

const BITS: Record<Family, number> = { ipv4: 32, ipv6: 128 }

/** IPv4 mapped into IPv6 (RFC 4291 §2.5.5.2): a socket that listens on both families reports IPv4 callers so. */
const MAPPED = new BlockList()
MAPPED.addSubnet('::ffff:0:0', 96, 'ipv6')

/**
 * Checks a list of addresses and CIDR blocks (RFC 4632) as an operator writes them.
 *
 * @throws GatewayError invalid_request for an empty list, and for the first entry that is malformed
 */
export function checkAddresses(addresses: readonly string[]): void {
  if (addresses.length === 0) {
    throw invalidRequest('addresses: an empty list allows no address. Leave the list out to allow all.', {
      param: 'addresses',
    })
  }
  for (const text of addresses) {
    const block = parseBlock(text)
    if (!block) {
      throw invalidRequest(
        `addresses: "${text}" is neither an IP address nor a CIDR block, such as 203.0.113.7, 10.0.0.0/8 or 2001:db8::/32.`,
        { param: 'addresses' },
      )
    }
    if (block.family === 'ipv6' && MAPPED.check(block.network, 'ipv6')) {
      throw invalidRequest(
        `addresses: "${text}" is an IPv4 address mapped into IPv6. Write it as an IPv4 address.`,
        { param: 'addresses' },
      )
    }
  }
}

/** Whether an IP address is on a list: IPv4, IPv6, or IPv4 mapped into IPv6, which counts as IPv4. */
export type AddressMatcher = (ip: string) => boolean

/**
 * Compiles a checked list once, for many callers. An invalid entry matches no address.
 *
 * @param addresses null to allow every address
 */
export function compileAddresses(addresses: readonly string[] | null): AddressMatcher {
  if (addresses === null) return () => true
  // One list for each family: a BlockList matches IPv4 addresses against IPv6 blocks, as if they were mapped.
  const lists: Record<Family, BlockList> = { ipv4: new BlockList(), ipv6: new BlockList() }
  for (const text of addresses) {
    const block = parseBlock(text)
    if (block) lists[block.family].addSubnet(block.network, block.prefix_bits, block.family)
  }
  return (ip) => {
    const plain = unmap(ip)
    const family = familyOf(plain)
    return family !== undefined && lists[family].check(plain, family)
  }
}

/** Whether a text is an address or a CIDR block that a list accepts. */
export function isAddressBlock(text: string): boolean {
  const block = parseBlock(text)
  return block !== undefined && !(block.family === 'ipv6' && MAPPED.check(block.network, 'ipv6'))
}

/**
 * Normalizes an IP address for display and counting: `::ffff:192.0.2.1` becomes `192.0.2.1`.
 *
 * @returns undefined if the text is no address
 */
export const plainAddress = (text: string): string | undefined =>
  familyOf(text) === undefined ? undefined : unmap(text)

function parseBlock(text: string): Block | undefined {
  const [network = '', bits, ...more] = text.split('/')
  const family = familyOf(network)
  if (!family || more.length > 0) return undefined
  if (bits === undefined) return { network, prefix_bits: BITS[family], family }
  if (!/^\d{1,3}$/.test(bits) || Number(bits) > BITS[family]) return undefined
  return { network, prefix_bits: Number(bits), family }
}

/** Undefined if it is no address, or has a zone (`fe80::1%eth0`), which is valid on one machine only. */
function familyOf(address: string): Family | undefined {
  if (address.includes('%')) return undefined
  const version = isIP(address)
  if (version === 0) return undefined
  return version === 4 ? 'ipv4' : 'ipv6'
}

/** `::ffff:192.0.2.1` and `::ffff:c000:201` become `192.0.2.1`; anything else is returned unchanged. */
function unmap(ip: string): string {
  if (familyOf(ip) !== 'ipv6' || !MAPPED.check(ip, 'ipv6')) return ip
  // The URL parser writes IPv6 in canonical form, with the last 32 bits as two groups of hex.
  const [high = 0, low = 0] = new URL(`http://[${ip}]`).hostname
    .slice('[::ffff:'.length, -1)
    .split(':')
    .map((group) => Number.parseInt(group, 16))
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}
