// The sender of mails, as "Name <address>".
import { isMailAddress } from '../../src/domain/mail-address.ts'
import { unseenIn } from '../../src/utilities/visible-text.ts'

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
