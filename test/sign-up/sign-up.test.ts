// Sign-up in a running gateway: from the form to an account without money, with its owner signed in.
import { afterAll, describe, expect, test } from 'bun:test'
import { clientOf, signedIn } from '../support/console-session.ts'
import { outcomeOf, PASSWORD, signUpScene } from './scene.ts'

const at = await signUpScene({ sign_up: 'mode = "open"' })
afterAll(() => at[Symbol.asyncDispose]())
const { gateway } = at

describe('a stranger', () => {
  let token = ''
  let cookie = ''

  test('sends the form with a solved challenge, and gets a mail', async () => {
    const stranger = at.stranger('203.0.113.9')
    expect(await stranger.client.json('GET', '/sign-up')).toEqual({
      mode: 'open',
      challenge: 'altcha',
      site_key: null,
      email_domains: [],
      welcome_nanos: 0,
      welcome_usd: '0.00',
    })
    expect(await outcomeOf(await stranger.askSolved('Anna.Smith@Example.org'))).toEqual({ status: 200 })
    const [mail] = await at.mailsTo('anna.smith@example.org', 1)
    expect(mail?.header('subject')).toBe('Confirm your email address for Tollgate')
    token = await at.tokenFor('anna.smith@example.org')
    expect(token).toHaveLength(32)
    expect(gateway.log.text()).not.toContain(token)
  })

  test('has no account until the link is used', () => {
    const { accounts } = gateway.rows()
    expect(accounts.map(({ name }) => name)).not.toContain('anna-smith')
    expect(gateway.db.query('SELECT email FROM people WHERE email IS NOT NULL').all()).toEqual([])
    expect(gateway.db.query('SELECT email, network, mails, account_id FROM sign_ups').all()).toEqual([
      { email: 'anna.smith@example.org', network: '203.0.113.9', mails: 1, account_id: null },
    ])
  })

  test('opens the link, which proposes a name and changes nothing', async () => {
    const look = async () => await (await at.stranger().look(token)).json()
    expect(await look()).toMatchObject({ email: 'anna.smith@example.org', name: 'anna-smith', terms: null })
    expect(await look()).toMatchObject({ name: 'anna-smith' })
  })

  test('chooses a name and a password, and is signed in as the owner', async () => {
    const answer = await at.stranger().finish({ token, name: 'anna', password: PASSWORD, terms: null })
    expect(answer.status).toBe(200)
    cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? ''
    const session = await clientOf(gateway, cookie).json('GET', '/session')
    expect(session.viewer).toMatchObject({ side: 'account', role: 'owner', account: 'anna' })
  })

  test('has an account without money, and a verified address', async () => {
    const account = gateway.rows().accounts.find(({ name }) => name === 'anna')
    expect(account).toMatchObject({ status: 'active', balance_nanos: 0, held_nanos: 0, debt_nanos: 0 })
    expect(
      gateway.db
        .query('SELECT email, email_verified_at_ms > 0 AS verified FROM people WHERE email IS NOT NULL')
        .all(),
    ).toEqual([{ email: 'anna.smith@example.org', verified: 1 }])
    expect(gateway.db.query('SELECT email FROM account_details').all()).toEqual([
      { email: 'anna.smith@example.org' },
    ])
    const { entries } = gateway.rows()
    expect(entries.filter(({ account_id }) => account_id === account?.id)).toEqual([])
  })

  test('signs in again by the name or the address', async () => {
    for (const account of ['anna', 'anna.smith@example.org', 'Anna.Smith@example.org'])
      expect(
        (await clientOf(gateway).send('POST', '/session', { body: { account, password: PASSWORD } })).status,
      ).toBe(200)
  })

  test('creates a key, whose first call is refused for lack of funds', async () => {
    const anna = clientOf(gateway, cookie)
    const { text } = await anna.json('POST', '/keys', { name: 'laptop', request_key: 'ab'.repeat(32) })
    const answer = await gateway.call(
      '/v1/chat/completions',
      { model: 'test-model', messages: [{ role: 'user', content: 'hi' }] },
      { key: text },
    )
    expect(answer.status).toBe(402)
  })
})

test('the public pages link to the form while sign-up is open', async () => {
  const home = async () => await (await fetch(new URL('/', gateway.url))).text()
  await at.configure('mode = "open"', '[site]\nenabled = true')
  expect(await home()).toContain('href="/console/sign-up">Create an account</a>')
  await at.configure('mode = "invitation"', '[site]\nenabled = true')
  expect(await home()).not.toContain('sign-up')
  await at.configure('mode = "open"')
})

test('the operator sees the sign-up in the list and in the audit log', async () => {
  const operator = await signedIn(gateway, 'operator')
  const { sign_ups } = await operator.json('GET', '/sign-ups')
  expect(sign_ups).toMatchObject([
    {
      email: 'anna.smith@example.org',
      state: 'completed',
      account: 'anna',
      proof: 'mail',
      network: '203.0.113.9',
      mails: 1,
    },
  ])
  const { actions } = await operator.json('GET', '/audit-log')
  const names = actions.map(({ action }: { action: string }) => action)
  expect(names).toContain('account.signed_up')
  expect(names).not.toContain('terms.accepted')
})
