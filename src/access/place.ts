// The network that an address is counted as: its own for IPv4, for IPv6 that of whoever has it.
import { isIP } from 'node:net'
import { plainAddress } from '../domain/addresses.ts'

/**
 * Of an IPv6 address the first 64 bits: whoever has one has all of these (RFC 6177).
 *
 * @returns undefined for what is no address
 */
export function placeOf(address: string | undefined): string | undefined {
  // One with a zone is of this link: it has no other network.
  const plain = address === undefined ? undefined : plainAddress(address.replace(/%.*/, ''))
  if (plain === undefined || isIP(plain) !== 6) return plain
  const [head = '', tail] = new URL(`http://[${plain}]`).hostname.slice(1, -1).split('::')
  const groups = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = Array.from({ length: Math.max(0, 8 - groups.length - after.length) }, () => '0')
  return [...groups, ...zeros, ...after].slice(0, 4).join(':')
}
