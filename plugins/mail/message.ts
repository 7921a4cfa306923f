// A queued mail as an SMTP message: its text, links below the public URL, and the headers of automatic mail.
import type { Catalogue } from '../../src/domain/catalogue.ts'
import { domainOf } from '../../src/domain/mail-address.ts'
import { withoutTrailing } from '../../src/utilities/text-ends.ts'
import type { Sender } from './address.ts'
import { brandOf } from './brand.ts'
import { type MailFields, PURPOSES, type Purpose } from './purposes.ts'
import type { Message } from './smtp.ts'
import { bodiesOf, writeMail } from './writing.ts'

/** The fields of a queued mail that its message needs. */
interface QueuedMail<P extends Purpose = Purpose> {
  purpose: P
  fields: MailFields[P]
  recipient: string
  language: string
  /** The path of its link, with the token; null without a link. */
  link: string | null
  link_expires_at_ms: number | null
  /** Without the angle brackets and the domain. */
  message_id: string
}

interface MessageContext {
  catalogue: Pick<Catalogue, 'brand' | 'sections' | 'server'>
  from: Sender
  /** The token of the recipient's subscription; only for notices. */
  unsubscribe_token: string | undefined
}

export const UNSUBSCRIBE_PATH = '/mail/unsubscribe'

/** @throws Error without public_url; the settings require it for [mail] */
export function composeMessage(
  mail: QueuedMail,
  { catalogue, from, unsubscribe_token }: MessageContext,
): Message {
  const { purpose, fields, recipient: to, language, link, link_expires_at_ms, message_id } = mail
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

/** RFC 2369. RFC 8058 allows one-click unsubscribing only with https://. */
const unsubscribeHeaders = (url: string | undefined): Record<string, string> =>
  url === undefined
    ? {}
    : {
        'List-Unsubscribe': `<${url}>`,
        ...(url.startsWith('https:') && { 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }),
      }
