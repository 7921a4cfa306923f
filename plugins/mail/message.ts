// A queued mail as a message: its words, its links from the public URL alone, and the headers of automatic mail.
import type { Catalogue } from '../../src/domain/catalogue.ts'
import { domainOf } from '../../src/domain/mail-address.ts'
import { withoutTrailing } from '../../src/utilities/text-ends.ts'
import type { Sender } from './address.ts'
import { brandOf } from './brand.ts'
import { type MailFields, PURPOSES, type Purpose } from './purposes.ts'
import type { Message } from './smtp.ts'
import { bodiesOf, writeMail } from './writing.ts'

/** The parts of a mail that are sent. */
interface Letter<P extends Purpose = Purpose> {
  purpose: P
  fields: MailFields[P]
  recipient: string
  language: string
  /** The path of its link, with the token. */
  link: string | null
  link_expires_at_ms: number | null
  /** Without brackets and domain. */
  message_id: string
}

interface Sending {
  catalogue: Pick<Catalogue, 'brand' | 'sections' | 'server'>
  from: Sender
  /** Of the recipient's subscription, for notices. */
  unsubscribe_token: string | undefined
}

export const UNSUBSCRIBE_PATH = '/mail/unsubscribe'

/**
 * @throws Error where public_url is missing, which [mail] refuses
 */
export function messageOf(letter: Letter, { catalogue, from, unsubscribe_token }: Sending): Message {
  const { purpose, fields, recipient: to, language, link, link_expires_at_ms, message_id } = letter
  const brand = brandOf(catalogue)
  const text = writeMail(purpose, fields, language, { brand, link_expires_at_ms })
  const addressOf = (path: string) => `${baseOf(catalogue)}${path}`
  const path = text.button?.path ?? link
  const button_url = text.button && path !== null ? addressOf(path) : undefined
  const logo_url = brand.logo_path === undefined ? undefined : addressOf(brand.logo_path)
  const unsubscribe_url =
    PURPOSES[purpose].kind === 'notice' && unsubscribe_token !== undefined
      ? addressOf(`${UNSUBSCRIBE_PATH}?token=${encodeURIComponent(unsubscribe_token)}`)
      : undefined
  return {
    from: { ...from, name: from.name || brand.name },
    to,
    subject: text.subject,
    ...bodiesOf(text, { brand, logo_url, button_url, unsubscribe_url, language }),
    message_id: `<${message_id}@${domainOf(from.address)}>`,
    headers: { 'Auto-Submitted': 'auto-generated', ...unsubscribeHeaders(unsubscribe_url) },
  }
}

function baseOf({ server }: Pick<Catalogue, 'server'>): string {
  if (server.public_url === undefined) throw new Error('mail needs public_url in [server]')
  return withoutTrailing(server.public_url, '/')
}

/** RFC 2369; RFC 8058 has one click for https:// alone. */
const unsubscribeHeaders = (url: string | undefined): Record<string, string> =>
  url === undefined
    ? {}
    : {
        'List-Unsubscribe': `<${url}>`,
        ...(url.startsWith('https:') && { 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }),
      }
