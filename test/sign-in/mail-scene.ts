// The scene of people with addresses: a gateway with the test's clock, behind a proxy, and its mail server.
import { afterAll } from 'bun:test'
import { plugins as all_plugins } from '../../plugins/index.ts'
import { createMailSender } from '../../plugins/mail/sender.ts'
import { smtpClient } from '../../plugins/mail/smtp.ts'
import type { Plugin } from '../../src/app/plugin.ts'
import { catalogueOf } from '../support/catalogue.ts'
import { clientOf } from '../support/console-session.ts'
import { eventually } from '../support/eventually.ts'
import { fileGateway } from '../support/gateway.ts'
import { personAtConsole } from '../support/people.ts'
import { gatewaySpy } from '../support/plugins.ts'
import { type Received, startSmtp } from '../support/smtp.ts'

export const PUBLIC_URL = 'https://gateway.example.com'
export const MINUTE_MS = 60_000

/** One scene for all tests of a file. */
export async function fileMailScene({ plugins = all_plugins }: { plugins?: readonly Plugin[] } = {}) {
  const smtp = await startSmtp()
  afterAll(() => smtp[Symbol.asyncDispose]())
  const spy = gatewaySpy()
  const clock = { now_ms: Date.now() }
  const gateway = await fileGateway({
    now: () => clock.now_ms,
    sweep_every_ms: 24 * 60 * MINUTE_MS,
    plugins: [...plugins, spy.plugin],
    catalogue: catalogueOf({
      upstream_url: 'simulator',
      server: `public_url = "${PUBLIC_URL}"\ntrusted_proxies = ["127.0.0.1"]`,
      more: `[mail]\nsmtp = "smtp://127.0.0.1:${smtp.port}"\nfrom = "Example AI <noreply@example.com>"`,
    }),
  })
  const { log, catalogue, now } = spy.gateway().calls
  /** A second sender: the gateway's own checks once a second, for which most tests would have to wait. */
  const sender = createMailSender({
    ...{ db: gateway.store, catalogue, now, log },
    newToken: () => crypto.randomUUID(),
    clientOf: ({ server }) => smtpClient(server),
  })
  const write = (sql: string, values: Record<string, number | string | null>) =>
    gateway.store.write((db) => db.rows(sql, values))

  return {
    gateway,
    smtp,
    clock,
    write,
    /** An account whose owner has an address, verified by default. */
    async owner(name: string, { verified = true } = {}) {
      const account = await gateway.account(name)
      const person_id = await personAtConsole(gateway.store, account.id, clock.now_ms - 24 * 60 * MINUTE_MS)
      const email = `${name}@example.org`
      await write('UPDATE people SET email = $email, email_verified_at_ms = $at WHERE id = $person_id', {
        email,
        person_id,
        at: verified ? 1 : null,
      })
      return { account, person_id, email }
    },
    /** A client at an address. */
    from: (address: string, cookie?: string) => {
      const client = clientOf(gateway, cookie)
      const send = (method: string, path: string, body?: object, headers: Record<string, string> = {}) =>
        client.send(method, path, {
          ...(body && { body }),
          headers: { 'x-forwarded-for': address, ...headers },
        })
      return { ...client, send }
    },
    /** The mails to an address, once `count` of them have arrived and none is queued. */
    async mailsTo(email: string, count: number): Promise<readonly Received[]> {
      const own = () => smtp.received.filter(({ to }) => to.includes(email))
      await eventually(`${count} mails to ${email}`, async () => {
        await sender.sendDue()
        const waits = gateway.db.query("SELECT 1 FROM mails WHERE state = 'queued'").get() !== null
        return own().length >= count && !waits
      })
      return own()
    },
  }
}

/** The token of the link in a mail. */
export function tokenIn(mail: Received | undefined, page: string): string {
  const found = new RegExp(`${PUBLIC_URL}/console/${page}#([A-Za-z0-9_-]{32})`).exec(mail?.text ?? '')
  if (!found?.[1]) throw new Error(`no link to ${page} in: ${mail?.text}`)
  return found[1]
}

/** The session cookie that an answer sets, as in a `Cookie` header. */
export const cookieOf = (answer: Response): string =>
  /^([^=]+=[^;]+)/.exec(answer.headers.get('set-cookie') ?? '')?.[1] ?? ''
