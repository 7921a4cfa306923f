// The scene of sign-up: a gateway with a mail server, strangers from different networks, and browsers that solve the challenge.
import { type Challenge, solveChallenge } from 'altcha-lib'
import { deriveKey } from 'altcha-lib/algorithms/web/pbkdf2'
import type { Plugin } from '../../src/app/plugin.ts'
import { type ConsoleClient, clientOf, errorOf } from '../support/console-session.ts'
import { eventually } from '../support/eventually.ts'
import type { TestGateway } from '../support/gateway.ts'
import { scene as gatewayScene } from '../support/scene.ts'
import { type Received, startSmtp } from '../support/smtp.ts'

export const PUBLIC_URL = 'https://gateway.example.com'
export const PASSWORD = 'correct horse battery'
const TRUSTING = `public_url = "${PUBLIC_URL}"\ntrusted_proxies = ["127.0.0.1"]`

interface SceneOptions {
  /** Lines of [sign_up]; absent: `mode = "open"` without a challenge. */
  sign_up?: string
  more?: string
  now?: () => number
  plugins?: readonly Plugin[]
}

interface Stranger {
  client: ConsoleClient
  /** Sends the form. */
  ask(email: string, more?: object): Promise<Response>
  /** Sends the form with the challenge solved. */
  askSolved(email: string): Promise<Response>
  finish(body: object): Promise<Response>
  look(token: string): Promise<Response>
}

export async function signUpScene({
  sign_up = 'mode = "open"\nchallenge = "none"',
  more = '',
  ...rest
}: SceneOptions = {}) {
  const smtp = await startSmtp()
  const sections = (lines: string, others = more) =>
    `[mail]\nsmtp = "smtp://127.0.0.1:${smtp.port}"\nfrom = "Example AI <noreply@example.com>"\n[sign_up]\n${lines}\n${others}`
  const { gateway, recatalogue, ...opened } = await gatewayScene({
    server: TRUSTING,
    more: sections(sign_up),
    ...rest,
  })
  /** The mails to an address, once `count` of them have arrived. */
  async function mailsTo(email: string, count: number): Promise<Received[]> {
    const found = () => smtp.received.filter(({ to }) => to.includes(email))
    await eventually(`${count} mails to ${email}`, () => found().length >= count)
    return found()
  }
  return {
    gateway,
    smtp,
    mailsTo,
    stranger: (address?: string) => strangerAt(gateway, address),
    /** The token in the newest mail to an address. */
    async tokenFor(email: string, count = 1): Promise<string> {
      return tokenIn((await mailsTo(email, count)).at(-1))
    },
    /** Replaces the lines of [sign_up] and the other sections. */
    configure: (lines: string, others?: string) =>
      recatalogue({ server: TRUSTING, more: sections(lines, others) }),
    async [Symbol.asyncDispose]() {
      await opened[Symbol.asyncDispose]()
      await smtp[Symbol.asyncDispose]()
    },
  }
}

let strangers = 0

function newAddress(): string {
  strangers += 1
  return `198.51.${strangers >> 8}.${strangers & 255}`
}

/** @param address of the stranger; absent: one in a new network */
function strangerAt(gateway: TestGateway, address = newAddress()): Stranger {
  const client = clientOf(gateway)
  const headers = { 'x-forwarded-for': address }
  const send = (path: string, body: object) => client.send('POST', `/sign-up${path}`, { body, headers })
  return {
    client,
    ask: (email, more = {}) => send('', { email, ...more }),
    askSolved: async (email) =>
      send('', { email, solution: await solved(await client.json('GET', '/sign-up/challenge')) }),
    finish: (body) => send('/finish', body),
    look: (token) => send('/look', { token }),
  }
}

/** The solution of a challenge, as the page sends it. */
export async function solved(challenge: Challenge): Promise<string> {
  const solution = await solveChallenge({ challenge, deriveKey })
  return JSON.stringify({ challenge, solution })
}

export function tokenIn(mail: Received | undefined): string {
  const [, token = ''] = /\/console\/sign-up\/confirm(?:\?ref=\w+)?#([\w-]{32})/.exec(mail?.text ?? '') ?? []
  return token
}

/** The status and the code of an answer; a success has no code. */
export async function outcomeOf(answer: Response): Promise<{ status: number; code?: string }> {
  if (answer.ok) return { status: answer.status }
  const { status, code } = await errorOf(answer)
  return { status, code }
}
