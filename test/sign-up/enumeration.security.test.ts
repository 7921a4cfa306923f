// Enumeration of accounts: the form does not reveal which addresses have one, by its text, its duration, or a mail.
import { afterAll, describe, expect, test } from 'bun:test'
import { changeDetails } from '../../src/access/account-details.ts'
import { setUnverifiedEmail } from '../../src/access/emails.ts'
import { personAtConsole } from '../support/people.ts'
import { PASSWORD, signUpScene } from './scene.ts'

const at = await signUpScene()
afterAll(() => at[Symbol.asyncDispose]())
const { gateway } = at

/** Creates an account by the usual sign-up. */
async function signUp(email: string): Promise<void> {
  await at.stranger().ask(email)
  const token = await at.tokenFor(email)
  const name = email.slice(0, email.indexOf('@'))
  expect((await at.stranger().finish({ token, name, password: PASSWORD, terms: null })).status).toBe(200)
}
await signUp('anna@example.org')

/** The comparable parts of an answer, without its date and request id. */
const comparable = async (answer: Response) => ({
  status: answer.status,
  body: await answer.text(),
  headers: Object.fromEntries(
    [...answer.headers].filter(([name]) => !['date', 'x-request-id'].includes(name)),
  ),
})

describe('an address with an account and one without', () => {
  test('get the same answer', async () => {
    const known = await comparable(await at.stranger().ask('anna@example.org'))
    const unknown = await comparable(await at.stranger().ask('bert@example.org'))
    expect(known).toEqual(unknown)
    expect(known).toMatchObject({ status: 200, body: '{"done":true}' })
  })

  test('get it after the same time, which is longer than the work takes', async () => {
    for (const email of ['anna@example.org', 'carl@example.org', 'dora@example.org']) {
      const start_ms = performance.now()
      await at.stranger().ask(email)
      expect(performance.now() - start_ms).toBeGreaterThanOrEqual(395)
    }
    // The work takes a small part of that: the gateway waits for the rest.
    const start_ms = performance.now()
    await Promise.all(Array.from({ length: 20 }, (_, number) => at.stranger().ask(`e${number}@example.org`)))
    expect(performance.now() - start_ms).toBeLessThan(4_000)
  })

  test('get a mail each, which only its recipient can read', async () => {
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

test('the refusal of a used name needs a valid link', async () => {
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

test('an unverified address of an account can sign up', async () => {
  const account = await gateway.account('noted')
  await changeDetails(gateway.store, 'noted', { email: 'gina@example.org' })
  const person_id = await personAtConsole(gateway.store, account.id)
  await gateway.store.begin((tx) => setUnverifiedEmail(tx, { person_id, email: 'gina@example.org' }))
  expect((await comparable(await at.stranger().ask('gina@example.org'))).body).toBe('{"done":true}')
  expect(await at.tokenFor('gina@example.org')).toHaveLength(32)
})

test('the policy refuses every address of a domain, with or without an account', async () => {
  await at.configure('mode = "open"\nchallenge = "none"\nemail_domains = ["acme.example"]')
  for (const email of ['anna@example.org', 'nobody@example.org'])
    expect((await comparable(await at.stranger().ask(email))).body).toContain('domain_not_allowed')
  await at.configure('mode = "open"\nchallenge = "none"')
})
