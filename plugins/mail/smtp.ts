// The SMTP client: one message per connection, within a time limit, and the meaning of refusals.
import type { Mail, SMTPSentMessageInfo, SMTPTransportOptions } from 'nodemailer'
import { isLoopback } from '../../src/utilities/listen-address.ts'
import { withinTime } from '../../src/utilities/time-limit.ts'
import type { Sender } from './address.ts'
import type { MailServer } from './settings.ts'

/** For each step of connecting. */
const CONNECT_MS = 10_000
const SILENCE_MS = 30_000
/** For a whole attempt, since a server may be slow at every step. */
export const MAX_ATTEMPT_MS = 60_000

/** A message to send. */
export interface Message {
  from: Sender
  to: string
  subject: string
  text: string
  html: string
  /** With its angle brackets. */
  message_id: string
  headers: Readonly<Record<string, string>>
}

/** The step that failed. */
type Step = 'connection' | 'tls' | 'sign_in' | 'sender' | 'recipient' | 'message'

/** The failure of an attempt to send a message. */
export class MailRefusal extends Error {
  readonly step: Step
  /** Whether the recipient or the message was refused permanently (RFC 5321, 4.2.1: 5yz); then the mail is not sent again. */
  readonly is_permanent: boolean

  constructor(message: string, step: Step, is_permanent = false) {
    super(message)
    this.name = 'MailRefusal'
    this.step = step
    this.is_permanent = is_permanent
  }
}

/** Advice to the operator about a refusal. */
export const ADVICE: Readonly<Record<Step, string>> = {
  connection: 'Check the host and port of smtp in [mail], and that this machine may connect to it.',
  tls: 'Use smtps:// for a port with TLS (465), smtp:// for one with STARTTLS (587), and check the server’s certificate.',
  sign_in: 'Check the user and the password of smtp in [mail]; many providers want an app password.',
  sender: 'Set from in [mail] to an address that this server may send from.',
  recipient: 'Check the address. If it is right, allow this server to relay to other domains.',
  message: 'Read what the server says; it may want a sender of its own domain.',
}

export interface SmtpClient {
  /** Sends a message. @throws MailRefusal with a message for the operator */
  send(message: Message): Promise<void>
  /** Connects and signs in, without sending a message. @throws MailRefusal */
  look(): Promise<void>
}

interface SmtpParts {
  /** Certificates to trust in addition to the system's. */
  ca?: string | undefined
  connect_ms?: number
  silence_ms?: number
  attempt_ms?: number
}

/** Creates a client that connects for each message: mails are few, and it recovers from outages without a restart. */
export function smtpClient(server: MailServer, parts: SmtpParts = {}): SmtpClient {
  const { attempt_ms = MAX_ATTEMPT_MS } = parts
  async function withTransport(
    use: (transport: Transport, signal: AbortSignal) => Promise<unknown>,
  ): Promise<void> {
    const { createTransport } = await import('nodemailer')
    const transport = createTransport(optionsOf(server, parts))
    const ending = new AbortController()
    try {
      await withinTime(attempt_ms, () => use(transport, ending.signal))
    } catch (failure) {
      throw refusalOf(failure, server)
    } finally {
      // Cuts off an attempt that takes too long.
      ending.abort()
    }
  }
  return {
    send: ({ message_id, ...message }) =>
      withTransport((transport, signal) =>
        transport.sendMail({
          ...message,
          to: { name: '', address: message.to },
          messageId: message_id,
          headers: { ...message.headers },
          disableFileAccess: true,
          disableUrlAccess: true,
          signal,
        }),
      ),
    look: () => withTransport((transport) => transport.verify()),
  }
}

type Transport = Mail<SMTPSentMessageInfo, SMTPTransportOptions>

/**
 * Returns nodemailer's options. To another machine TLS with a valid certificate is required, since a password and links are sent. A server on this
 * machine may lack TLS.
 */
function optionsOf(
  { host, port, is_tls, credentials }: MailServer,
  { ca, connect_ms = CONNECT_MS, silence_ms = SILENCE_MS }: SmtpParts,
): SMTPTransportOptions {
  const is_local = isLoopback(host)
  return {
    host,
    port,
    secure: is_tls,
    requireTLS: !is_tls && !is_local,
    ignoreTLS: !is_tls && is_local,
    ...(credentials && { auth: { user: credentials.user, pass: credentials.password } }),
    ...(ca !== undefined && { tls: { ca } }),
    connectionTimeout: connect_ms,
    dnsTimeout: connect_ms,
    greetingTimeout: connect_ms,
    socketTimeout: silence_ms,
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}

/** An error of nodemailer (https://nodemailer.com/smtp/errors): a refusal by the server, or a connection failure. */
interface SmtpFailure extends Error {
  code?: string
  command?: string
  response?: string
  responseCode?: number
}

/** At these steps a permanent refusal is about this message. At the others it is about the server or the settings, which the operator can fix. */
const MESSAGE_STEPS: readonly Step[] = ['recipient', 'message']

function refusalOf(failure: unknown, { host, port }: MailServer): MailRefusal {
  if (!(failure instanceof Error)) return new MailRefusal(String(failure), 'connection')
  const { code, command = '', response, responseCode = 0 }: SmtpFailure = failure
  const step = stepOf(code, command)
  const is_refused = responseCode >= 500 && responseCode < 600 && responseCode !== BAD_SEQUENCE
  const is_permanent = (is_refused && MESSAGE_STEPS.includes(step)) || isUnsendable(code, command)
  return new MailRefusal(`${LEADS[step]} ${host}:${port}: ${response ?? failure.message}`, step, is_permanent)
}

const LEADS: Readonly<Record<Step, string>> = {
  connection: 'No connection to',
  tls: 'No TLS with',
  sign_in: 'Sign-in refused by',
  sender: 'Sender refused by',
  recipient: 'Recipient refused by',
  message: 'Message refused by',
}

/** SMTP code of a broken session: over another connection the same message may be accepted. */
const BAD_SEQUENCE = 503

/** The address cannot be used with this server, such as one in letters that it does not accept (RFC 6531). */
const isUnsendable = (code: string | undefined, command: string): boolean =>
  code === 'EENVELOPE' && command === 'API'

function stepOf(code: string | undefined, command: string): Step {
  if (code === 'EAUTH') return 'sign_in'
  if (code === 'ETLS') return 'tls'
  if (command === 'MAIL FROM') return 'sender'
  if (command === 'RCPT TO' || isUnsendable(code, command)) return 'recipient'
  return command === 'DATA' ? 'message' : 'connection'
}
