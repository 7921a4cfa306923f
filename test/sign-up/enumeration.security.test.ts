// Nobody learns from the form which addresses have an account: not by words, not by time, not by mail.
import { afterAll, describe, expect, test } from 'bun:test'
import { changeDetails } from '../../src/access/account-details.ts'
import { setUnverifiedEmail } from '../../src/access/emails.ts'
import { personAtConsole } from '../support/people.ts'
import { PASSWORD, signUpScene } from './scene.ts'

const at = await signUpScene()
afterAll(() => at[Symbol.asyncDispose]())
const { gateway } = at

/** Somebody with an account, by the way that everybody takes. */
async function holder(email: string): Promise<void> {
  await at.stranger().ask(email)
  const token = await at.tokenFor(email)
  const name = email.slice(0, email.indexOf('@'))
  expect((await at.stranger().finish({ token, name, password: PASSWORD, terms: null })).status).toBe(200)
}
await holder('anna@example.org')

/** Of an answer, but for what differs by itself. */
const seen = async (answer: Response) => ({
  status: answer.status,
  body: await answer.text(),
  headers: Object.fromEntries(
    [...answer.headers].filter(([name]) => !['date', 'x-request-id'].includes(name)),
  ),
})

describe('an address with an account and one without', () => {
  test('get the same answer', async () => {
    const known = await seen(await at.stranger().ask('anna@example.org'))
    const unknown = await seen(await at.stranger().ask('bert@example.org'))
    expect(known).toEqual(unknown)
    expect(known).toMatchObject({ status: 200, body: '{"done":true}' })
  })

  test('get it after the same time, which is longer than any of the work', async () => {
    for (const email of ['anna@example.org', 'carl@example.org', 'dora@example.org']) {
      const began = performance.now()
      await at.stranger().ask(email)
      const took = performance.now() - began
      expect(took).toBeGreaterThanOrEqual(395)
    }
    // The work itself takes a small part of that: the gateway waits for most of it.
    const began = performance.now()
    await Promise.all(Array.from({ length: 20 }, (_, number) => at.stranger().ask(`e${number}@example.org`)))
    expect(performance.now() - began).toBeLessThan(4_000)
  })

  test('get a mail each, which tells its own reader alone', async () => {
    const [, second] = await at.mailsTo('anna@example.org', 2)
    expect(second?.header('subject')).toBe('You have an account at Tollgate already')
    expect(second?.text).not.toContain('#')
    expect(
      gateway.db
        .query("SELECT 1 FROM sign_ups WHERE email = 'anna@example.org' AND completed_at_ms IS NULL")
        .all(),
    ).toEqual([])
  })
})

test('a taken name is told only to who has shown an address', async () => {
  await gateway.account('taken')
  await at.stranger().ask('frida@example.org')
  const token = await at.tokenFor('frida@example.org')
  const names = async (guess: string) => {
    const answer = await at
      .stranger()
      .finish({ token: guess, name: 'taken', password: PASSWORD, terms: null })
    return [answer.status, ((await answer.json()) as { error: { code: string } }).error.code]
  }
  expect(await names('x'.repeat(32))).toEqual([404, 'link_not_valid'])
  expect(await names(token)).toEqual([400, 'invalid_request'])
})

test('an address that was only written down for somebody is as one without an account', async () => {
  const account = await gateway.account('noted')
  await changeDetails(gateway.store, 'noted', { email: 'gina@example.org' })
  const person_id = await personAtConsole(gateway.store, account.id)
  await gateway.store.begin((tx) => setUnverifiedEmail(tx, { person_id, email: 'gina@example.org' }))
  expect((await seen(await at.stranger().ask('gina@example.org'))).body).toBe('{"done":true}')
  expect(await at.tokenFor('gina@example.org')).toHaveLength(32)
})

test('what is refused by the policy is refused for each address of the domain, with or without an account', async () => {
  await at.configure('mode = "open"\nchallenge = "none"\nemail_domains = ["acme.example"]')
  for (const email of ['anna@example.org', 'nobody@example.org'])
    expect((await seen(await at.stranger().ask(email))).body).toContain('domain_not_allowed')
  await at.configure('mode = "open"\nchallenge = "none"')
})
