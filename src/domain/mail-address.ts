// Validation of mail addresses, for recipients of mails and for people of the console.
import { unseenIn } from '../utilities/visible-text.ts'
import { invalidRequest } from './errors.ts'

/** RFC 5321, 4.5.3.1: 254 for an address, 64 for the part before the @. */
const MAX_ADDRESS_CHARS = 254
const MAX_LOCAL_CHARS = 64
/** An atom of RFC 5322, with letters of any script (RFC 6531); no quotes, comments, routes or lists. */
const LOCAL_PART = /^[^\s@<>()[\]\\,;:"]+$/u
const DOMAIN =
  /^(?:[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]*[\p{L}\p{M}\p{N}])?\.)*[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]*[\p{L}\p{M}\p{N}])?$/u

/** Whether an address is syntactically valid. */
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
 * Normalizes the address that identifies a person: lower case, ASCII only, so that a look-alike in another script cannot be a second
 * person. Domains in other scripts must be in ASCII form (RFC 5890).
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
  throw invalidRequest(`${param}: must be an email address, such as anna@example.com.`, {
    param,
  })
}
