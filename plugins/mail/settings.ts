// The settings of mail, [mail]: the mail server and the sender.
import { type Static, Type } from '@sinclair/typebox'
import { closed } from '../../src/catalogue/schema-parts.ts'
import { defineSection, type SectionContext } from '../../src/catalogue/sections.ts'
import { readSetSecret } from '../../src/catalogue/set-secret.ts'
import type { Catalogue } from '../../src/domain/catalogue.ts'
import { withoutBrackets } from '../../src/utilities/listen-address.ts'
import { readSender, type Sender } from './address.ts'

const MailSchema = Type.Object(
  {
    smtp: Type.Optional(
      Type.String({
        pattern: '^(smtps?://[^\\s]+|env:.*)$',
        maxLength: 2_048,
        must: 'an smtp:// or smtps:// address, such as "smtp://user:password@mail.example.com:587", or "env:NAME"',
        description:
          'the mail server: smtp:// with STARTTLS (port 587), smtps:// with TLS (port 465); or "env:NAME"; one with a password is hidden once saved',
      }),
    ),
    from: Type.Optional(
      Type.String({
        maxLength: 320,
        description: 'the sender, such as "Example AI <noreply@example.com>"',
      }),
    ),
  },
  closed,
)

export interface MailServer {
  host: string
  port: number
  /** True for TLS from the first byte; false for STARTTLS. */
  is_tls: boolean
  credentials: { user: string; password: string } | undefined
}

export interface MailSettings {
  readonly sending: { readonly server: MailServer; readonly from: Sender } | undefined
  /** The server's address with the password, for the log to redact. */
  readonly address: string | undefined
  /** The reason why mail cannot be sent, for the operator: an environment variable is not set. */
  readonly unavailable: string | undefined
}

/** The settings without the section. */
const NO_MAIL: MailSettings = { sending: undefined, address: undefined, unavailable: undefined }

type MailText = Static<typeof MailSchema>

const SMTP_PATH = ['mail', 'smtp']
const FROM_PATH = ['mail', 'from']
const DEFAULT_PORTS = { 'smtp:': 587, 'smtps:': 465 } as const

/** With this problem the gateway does not start, and the console does not save. */
export const NEEDS_PUBLIC_URL =
  'needs public_url in [server], since links in mails lead there: set it to the https:// address of this gateway'

/** Reads the section after its schema was checked. A missing variable disables mail only. */
function readMail({ smtp, from }: MailText, context: SectionContext): MailSettings {
  if (smtp === undefined) return NO_MAIL
  const { server: own, report } = context
  if (own && own.public_url === undefined) report(SMTP_PATH, NEEDS_PUBLIC_URL)
  const sender = from === undefined ? undefined : readSender(from)
  if (from === undefined)
    report(FROM_PATH, 'is missing: write the sender, such as "Example AI <noreply@example.com>"')
  else if (!sender) report(FROM_PATH, 'must be an address, such as "Example AI <noreply@example.com>"')
  const address = readSetSecret(smtp, SMTP_PATH, 'no mails are sent', context)
  if (address === undefined)
    return { ...NO_MAIL, unavailable: `the environment variable ${variableOf(smtp)} is not set` }
  const server = readServer(address)
  if (!server)
    report(SMTP_PATH, 'must be a complete address, such as "smtp://user:password@mail.example.com:587"')
  return server && sender
    ? { sending: { server, from: sender }, address, unavailable: undefined }
    : { ...NO_MAIL, address }
}

const variableOf = (smtp: string): string => smtp.replace(/^env:/, '').trim()

/** @returns undefined for text that is not the address of a mail server */
export function readServer(address: string): MailServer | undefined {
  const url = URL.parse(address)
  if (!url || (url.protocol !== 'smtp:' && url.protocol !== 'smtps:') || url.hostname === '') return undefined
  if (!/^\/?$/.test(url.pathname) || url.search !== '' || url.hash !== '') return undefined
  const [user, password] = [decoded(url.username), decoded(url.password)]
  if (user === undefined || password === undefined) return undefined
  return {
    host: withoutBrackets(url.hostname),
    port: url.port === '' ? DEFAULT_PORTS[url.protocol] : Number(url.port),
    is_tls: url.protocol === 'smtps:',
    credentials: user === '' ? undefined : { user, password },
  }
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    // Malformed percent-encoding: the address is refused.
    return undefined
  }
}

export const mailSettings = defineSection({
  name: 'mail',
  schema: MailSchema,
  read: readMail,
  secrets: {
    at: ([name]) => (name === 'smtp' ? 'the mail server' : undefined),
    isSecret: (_, written) => (URL.parse(written)?.password ?? '') !== '',
    in: ({ address, sending }) => {
      const password = sending?.server.credentials?.password
      return password === undefined || address === undefined ? [] : [address, password]
    },
  },
})

/** For the gateway: whether it can send mail. [mail] has a server, and its variable is set. */
export const canMail = (catalogue: Pick<Catalogue, 'sections'>): boolean =>
  mailSettings.of(catalogue).sending !== undefined

/** For commands: whether [mail] has a server. The gateway sends the mails, and it alone may have the variable. */
export function isMailSet(catalogue: Pick<Catalogue, 'sections'>): boolean {
  const { sending, unavailable } = mailSettings.of(catalogue)
  return sending !== undefined || unavailable !== undefined
}
