// Mail addresses: which ones mails are sent to, and which ones people of the console have.
import { unseenIn } from '../utilities/visible-text.ts'
import { invalidRequest } from './errors.ts'

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

/** The part after the @. */
export const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1)

/**
 * An address by which a person is known: in lower case, and of ASCII alone, so that no look-alike in another script is a second person.
 * Domains of other scripts are written in their ASCII form (RFC 5890).
 *
 * @param param the field of the request
 * @throws GatewayError invalid_request
 */
export function personsAddress(text: string, param = 'email'): string {
  const written = text.trim()
  const address = written.toLowerCase()
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII
  if (isMailAddress(address) && /^[\x00-\x7f]+$/.test(written) && domainOf(address).includes('.'))
    return address
  throw invalidRequest(`${param}: is not an email address of a person. Write one such as anna@example.com.`, {
    param,
  })
}
