// Mail addresses: which ones mails are sent to, and the sender as "Name <address>".
import { unseenIn } from '../../src/utilities/visible-text.ts'

/** RFC 5321, 4.5.3.1: of an address 254, of the part before the @ 64. */
const MAX_ADDRESS_CHARS = 254
const MAX_LOCAL_CHARS = 64
/** Of RFC 5322's atom, and letters of any script (RFC 6531); without quotes, comments, routes and lists. */
const LOCAL_PART = /^[^\s@<>()[\]\\,;:"]+$/u
const DOMAIN =
  /^(?:[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]*[\p{L}\p{M}\p{N}])?\.)*[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]*[\p{L}\p{M}\p{N}])?$/u

/** Whether mail can be sent to an address. It says nothing of whether somebody reads it. */
export function isMailAddress(text: string): boolean {
  const at = text.lastIndexOf('@')
  const [local, domain] = [text.slice(0, at), text.slice(at + 1)]
  return (
    at > 0 &&
    text.length <= MAX_ADDRESS_CHARS &&
    local.length <= MAX_LOCAL_CHARS &&
    unseenIn(text) === undefined &&
    LOCAL_PART.test(local) &&
    DOMAIN.test(domain)
  )
}

export interface Sender {
  /** Empty for an address alone. */
  name: string
  address: string
}

/** @returns undefined for what is neither an address nor `Name <address>` in one line */
export function readSender(text: string): Sender | undefined {
  const [, written = '', address = text.trim()] = /^(.*)<([^<>]*)>\s*$/.exec(text) ?? []
  const name = written.trim().replace(/^"(.*)"$/, '$1')
  return isMailAddress(address) && unseenIn(text) === undefined ? { name, address } : undefined
}

/** The part after the @. */
export const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1)
