// The caller's address behind proxies, from X-Forwarded-For and Forwarded (RFC 7239).
import { plainAddress } from '../domain/addresses.ts'

/** Whether an address is that of a trusted proxy. */
type IsTrusted = (address: string) => boolean

/**
 * Returns the caller's address: the last one in the header that is no trusted proxy. Only entries of trusted proxies
 * count, since callers can send the header themselves (RFC 7239, 8.1).
 * @returns undefined if it cannot be determined: an entry of a trusted proxy is no address, or the two headers
 * disagree, one of which may come from the caller
 */
export function callerAddress(peer: string, headers: Headers, isTrusted: IsTrusted): string | undefined {
  if (!isTrusted(peer)) return peer
  const listed = headers.get('x-forwarded-for')
  const forwarded = headers.get('forwarded')
  const by_list = listed === null ? undefined : lastUntrusted(listed.split(','), isTrusted)
  const by_forwarded =
    forwarded === null ? undefined : lastUntrusted(elementsOf(forwarded).map(forOf), isTrusted)
  if (listed === null) return forwarded === null ? peer : by_forwarded
  if (forwarded === null) return by_list
  return by_list === by_forwarded ? by_list : undefined
}

/** If all addresses are trusted proxies, the first one is the caller. */
function lastUntrusted(entries: readonly string[], isTrusted: IsTrusted): string | undefined {
  let address: string | undefined
  for (const entry of entries.toReversed()) {
    address = addressIn(entry)
    if (address === undefined || !isTrusted(address)) return address
  }
  return address
}

/** Longer than any address with its port. */
const MAX_ENTRY_CHARS = 64

/** `192.0.2.1`, `192.0.2.1:4711`, `2001:db8::1`, `[2001:db8::1]`, `[2001:db8::1]:4711`, in quotes or not. */
function addressIn(entry: string): string | undefined {
  const text = entry.trim().replace(/^"(.*)"$/, '$1')
  if (text.length > MAX_ENTRY_CHARS) return undefined
  const bracketed = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(text)?.[1]
  if (bracketed !== undefined) return bracketed.includes(':') ? plainAddress(bracketed) : undefined
  return plainAddress(/^([\d.]+):\d{1,5}$/.exec(text)?.[1] ?? text)
}

/**
 * Splits a Forwarded header into elements, one per proxy. A comma in quotes does not end an element. An unclosed quote has no effect,
 * since a caller could otherwise hide the element of their proxy.
 */
function elementsOf(header: string): string[] {
  const elements: string[] = []
  let start = 0
  let opened: number | undefined
  for (let at = 0; at < header.length; at++) {
    const sign = header[at]
    if (sign === '\\' && opened !== undefined) at++
    else if (sign === '"') opened = opened === undefined ? at : undefined
    else if (sign === ',' && opened === undefined) {
      elements.push(header.slice(start, at))
      start = at + 1
    }
  }
  elements.push(header.slice(start, opened))
  if (opened !== undefined) elements.push(...header.slice(opened + 1).split(/[",]/))
  const written = elements.filter((element) => element !== '')
  return written.length > 0 ? written : ['']
}

/** Returns the `for` of an element; empty if it has none. */
const forOf = (element: string): string =>
  /(?:^|;)\s*for\s*=\s*("(?:[^"\\]|\\.)*"|[^;]*)/i.exec(element)?.[1] ?? ''
