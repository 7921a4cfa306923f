// The sender of mails, written as "Name <address>".
import { isMailAddress } from '../../src/domain/mail-address.ts'
import { unseenIn } from '../../src/utilities/visible-text.ts'

export interface Sender {
  /** Empty if only the address is given. */
  name: string
  address: string
}

/** @returns undefined for text that is neither an address nor `Name <address>` on one line */
export function readSender(text: string): Sender | undefined {
  const [, written = '', address = text.trim()] = /^(.*)<([^<>]*)>\s*$/.exec(text) ?? []
  const name = written.trim().replace(/^"(.*)"$/, '$1')
  return isMailAddress(address) && unseenIn(text) === undefined ? { name, address } : undefined
}
