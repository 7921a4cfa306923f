// The scene of walks by people with addresses: a gateway at its public address, and its mail server.
import { afterAll } from 'bun:test'
import { FIRST_CATALOGUE } from '../../src/catalogue/first.ts'
import { givePasswords, pageOf } from '../support/console.ts'
import type { PageOptions } from '../support/console-page.ts'
import { consoleAddress } from '../support/console-port.ts'
import type { ConsoleUser } from '../support/console-session.ts'
import { eventually } from '../support/eventually.ts'
import { freePort } from '../support/free-port.ts'
import { startTestGateway } from '../support/gateway.ts'
import { personAtConsole } from '../support/people.ts'
import { startSmtp } from '../support/smtp.ts'

/** One gateway for all tests of a file. It is at a host name, because browsers have no passkeys for an IP address. */
export async function walkedGateway() {
  const smtp = await startSmtp()
  const port = Number(new URL(`http://${consoleAddress()}`).port) || freePort()
  const url = new URL(`http://localhost:${port}`)
  const gateway = await startTestGateway({
    listen: `127.0.0.1:${port}`,
    catalogue: `${FIRST_CATALOGUE.replace('[server]', `[server]\npublic_url = "${url.origin}"`)}
[mail]
smtp = "smtp://127.0.0.1:${smtp.port}"
from = "Example AI <noreply@example.com>"
`,
  })
  afterAll(async () => {
    await gateway.stop()
    await smtp[Symbol.asyncDispose]()
  })
  return {
    gateway,
    url,
    /** An account with a password, and a verified address of its owner. */
    async owner(name: string) {
      const account = await gateway.account(name, { balance_usd: '10' })
      const person_id = await personAtConsole(gateway.store, account.id)
      const email = `${name}@example.org`
      await gateway.store.write((db) =>
        db.rows('UPDATE people SET email = $email, email_verified_at_ms = 1 WHERE id = $person_id', {
          email,
          person_id,
        }),
      )
      await givePasswords(gateway, [name])
      return { person_id, email }
    },
    visit: (as?: ConsoleUser, options?: PageOptions) => pageOf({ store: gateway.store, url }, as, options),
    /** The link in the newest mail to an address. */
    async linkTo(email: string, page: string): Promise<string> {
      let found: string | undefined
      await eventually(`a mail to ${email} leads to ${page}`, () => {
        const mail = smtp.received.findLast(({ to }) => to.includes(email))
        found = new RegExp(`http://localhost:\\d+(/console/${page}#\\S+)`).exec(mail?.text ?? '')?.[1]
        return found !== undefined
      })
      return found ?? ''
    },
    /** Makes the sign-in of a person's sessions no longer recent. */
    makeStale: (person_id: number) =>
      gateway.store.write((db) =>
        db.rows('UPDATE sessions SET confirmed_at_ms = 1 WHERE person_id = $person_id', { person_id }),
      ),
  }
}
