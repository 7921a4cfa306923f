// A mail server on loopback that keeps accepted messages, and refuses messages as a test decides.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SMTPServer } from 'smtp-server'

const FIXTURES = join(import.meta.dir, '../fixtures/tls')
/** A self-signed certificate of localhost. */
export const SMTP_AUTHORITY = readFileSync(join(FIXTURES, 'database.pem'), 'utf8')
const fixture = (name: string): string => readFileSync(join(FIXTURES, name), 'utf8')

export interface Received {
  from: string
  to: string[]
  /** The raw message with its headers. */
  raw: string
  /** A header in one line, decoded; undefined without. */
  header(name: string): string | undefined
  /** Both bodies, decoded. */
  text: string
  html: string
  is_secure: boolean
  user: string | undefined
}

/** Answers of the server instead of accepting a mail. */
export interface SmtpScript {
  /** Refusals of RCPT TO, of the end of DATA, and of MAIL FROM: a status and words. */
  rcpt?: [status: number, words: string]
  data?: [status: number, words: string]
  from?: [status: number, words: string]
  /** The only accepted password; absent if the server requires none. */
  password?: string
  /** Runs before the server answers the end of a message. */
  beforeTaking?: () => Promise<unknown>
}

interface SmtpOptions {
  script?: SmtpScript | undefined
  /** TLS from the first byte. */
  tls?: boolean
  /** Offers STARTTLS. */
  starttls?: boolean
  port?: number
  host?: string
}

interface TestSmtp extends AsyncDisposable {
  port: number
  received: Received[]
  script: SmtpScript
  /** Connections that greeted. */
  connections(): number
}

const refusal = ([status, words]: [number, string]): Error =>
  Object.assign(new Error(words), { responseCode: status })

export async function startSmtp(options: SmtpOptions = {}): Promise<TestSmtp> {
  const { tls = false, starttls = false, port = 0, host = '127.0.0.1' } = options
  const received: Received[] = []
  const script = options.script ?? {}
  let connections = 0
  const server = new SMTPServer({
    secure: tls,
    key: fixture('database.key'),
    cert: fixture('database.pem'),
    hideSTARTTLS: !starttls,
    disabledCommands: starttls ? [] : ['STARTTLS'],
    authOptional: script.password === undefined,
    allowInsecureAuth: true,
    disableReverseLookup: true,
    closeTimeout: 100,
    logger: false,
    onConnect: (_, done) => {
      connections += 1
      done()
    },
    onAuth: ({ username, password }, _, done) =>
      password === script.password
        ? done(null, { user: username })
        : done(refusal([535, `5.7.8 no user ${username} with ${password}`])),
    onMailFrom: (_, __, done) => done(script.from ? refusal(script.from) : null),
    onRcptTo: (_, __, done) => done(script.rcpt ? refusal(script.rcpt) : null),
    async onData(stream, session, done) {
      const raw = Buffer.concat(await Array.fromAsync(stream as AsyncIterable<Buffer>)).toString()
      await script.beforeTaking?.()
      if (script.data) return done(refusal(script.data))
      const { mailFrom, rcptTo } = session.envelope
      received.push({
        from: mailFrom === false ? '' : mailFrom.address,
        to: rcptTo.map(({ address }) => address),
        is_secure: session.secure,
        user: session.user as string | undefined,
        ...parse(raw),
      })
      done()
    },
  })
  // A client may disconnect midway, or not trust the certificate.
  server.on('error', () => {})
  await new Promise<void>((resolve) => server.listen(port, host, resolve))
  const address = server.server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return {
    port: address.port,
    received,
    script,
    connections: () => connections,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}

function parse(raw: string): Pick<Received, 'raw' | 'header' | 'text' | 'html'> {
  const [head = ''] = raw.split('\r\n\r\n', 1)
  const lines = head.replace(/\r\n[ \t]+/g, ' ').split('\r\n')
  const header = (name: string) => {
    const line = lines.find((line) => line.toLowerCase().startsWith(`${name.toLowerCase()}: `))
    return line === undefined ? undefined : words(line.slice(name.length + 2))
  }
  return { raw, header, text: bodyOf(raw, 'text/plain'), html: bodyOf(raw, 'text/html') }
}

/** The part of a type, decoded. */
function bodyOf(raw: string, type: string): string {
  const boundary = /boundary="([^"]+)"/.exec(raw)?.[1] ?? ''
  const part = raw.split(`--${boundary}`).find((part) => part.includes(`Content-Type: ${type}`)) ?? ''
  const body = part.slice(part.indexOf('\r\n\r\n') + 4)
  const decode = /Content-Transfer-Encoding: base64/i.test(part)
    ? Buffer.from(body, 'base64').toString()
    : /Content-Transfer-Encoding: quoted-printable/i.test(part)
      ? quotedPrintable(body)
      : body
  return decode.replaceAll('\r\n', '\n').trimEnd()
}

const quotedPrintable = (text: string): string =>
  Buffer.from(
    text
      .replace(/=\r\n/g, '')
      .replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  ).toString()

/** Encoded words (RFC 2047). */
const words = (text: string): string =>
  text
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?utf-8\?([BQ])\?([^?]*)\?=/gi, (_, kind, value) =>
      kind.toUpperCase() === 'B'
        ? Buffer.from(value, 'base64').toString()
        : quotedPrintable(value.replaceAll('_', ' ')),
    )
