// Sign-up by an identity provider: a new account for a verified address, by the policy and the terms of sign-up.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { referralCodeOf } from '../../plugins/referral/binding.ts'
import { startHostileProvider } from '../support/hostile-identity-provider.ts'
import { startSmtp } from '../support/smtp.ts'
import { browserAt, catalogueWith, gatewayAddress, gatewayWith, ownerWith } from './scene.ts'

const address = gatewayAddress()
const provider = await startHostileProvider('id')
const smtp = await startSmtp()
const TERMS = { url: 'https://example.com/terms', version: '2026-11' }
const policy = (mode: string, version = TERMS.version) =>
  `${provider.lines()}
[mail]
smtp = "smtp://127.0.0.1:${smtp.port}"
from = "Example AI <noreply@example.com>"
[brand]
terms_url = "${TERMS.url}"
[sign_up]
mode = "${mode}"
email_domains = ["example.com"]
terms_version = "${version}"
per_address_per_day = 2
[referral]
share = 0.1
`
const gateway = await gatewayWith(address, policy('open'))
afterAll(async () => {
  await gateway.stop()
  await provider[Symbol.asyncDispose]()
  await smtp[Symbol.asyncDispose]()
})
const configure = (mode: string, version?: string) =>
  gateway.recatalogue(catalogueWith(address.url, policy(mode, version)))

async function signIn(terms: object | null = TERMS, browser = browserAt(gateway), more: object = {}) {
  const { body } = await browser.send('POST', '/identity-providers/start', { provider: 'id', terms, ...more })
  return { browser, ...(await browser.finish('id', provider.backFrom(new URL(body.url)))) }
}
const accounts = async () =>
  (await gateway.store.rows<{ name: string }>('SELECT name FROM accounts ORDER BY id')).map(
    ({ name }) => name,
  )
const claimAddress = (email: string, claims: object = { email_verified: true }) =>
  provider.tellTruth(email, { email, ...claims })

test('a stranger gets an account without money, with the terms that they accepted', async () => {
  const browser = browserAt(gateway)
  expect((await browser.send('GET', '/identity-providers')).body.terms).toEqual(TERMS)
  claimAddress('zoe@example.com')
  const { status } = await signIn(TERMS, browser)
  expect(status).toBe(200)
  expect(await browser.viewer()).toMatchObject({ side: 'account', role: 'owner', account: 'zoe' })
  expect(
    await gateway.store.rows(
      `SELECT a.balance_nanos, p.email, p.email_verified_at_ms IS NOT NULL AS is_verified, i.subject, t.url, t.version
         FROM accounts a JOIN people p ON p.account_id = a.id JOIN identities i ON i.person_id = p.id JOIN terms_acceptances t ON t.account_id = a.id`,
    ),
  ).toMatchObject([{ balance_nanos: 0, email: 'zoe@example.com', subject: 'zoe@example.com', ...TERMS }])
  // A second sign-in uses the same account.
  const again = await signIn(null)
  expect((await again.browser.viewer()).account).toBe('zoe')
  expect(await accounts()).toEqual(['zoe'])
})

describe('no account is created', () => {
  const refused = async (terms: object | null = TERMS, browser = browserAt(gateway)) => {
    const before = await accounts()
    const { status, body } = await signIn(terms, browser)
    expect(await browser.viewer()).toBeNull()
    expect(await accounts()).toEqual(before)
    return [status, body.error.code]
  }

  test.each([{ email_verified: false }, {}, { email_verified: 'true' }])(
    'for an unverified address: %j',
    async (claims) => {
      claimAddress('mo@example.com', claims)
      expect(await refused()).toEqual([403, 'identity_unknown'])
    },
  )

  test('for a domain that may not sign up', async () => {
    claimAddress('mo@other.example')
    expect(await refused()).toEqual([400, 'domain_not_allowed'])
  })

  test('without the terms, or with an older version of them', async () => {
    claimAddress('mo@example.com')
    expect(await refused(null)).toEqual([400, 'terms_not_accepted'])
    expect(await refused({ ...TERMS, version: '2025' })).toEqual([400, 'terms_not_accepted'])
  })

  test('for a person who has verified the address here, who signs in to their own', async () => {
    await gateway.account('lea')
    await ownerWith(gateway, { account: 'lea', email: 'lea@example.com', is_verified: true })
    claimAddress('lea@example.com')
    const { browser } = await signIn()
    expect((await browser.viewer()).account).toBe('lea')
  })

  test('while sign-up is closed, or by invitation', async () => {
    claimAddress('mo@example.com')
    for (const mode of ['closed', 'invitation']) {
      await configure(mode)
      expect(await refused()).toEqual([403, 'identity_unknown'])
      expect((await browserAt(gateway).send('GET', '/identity-providers')).body.terms).toBeNull()
    }
    await configure('open')
  })

  test('above the limit of a network', async () => {
    const browser = browserAt(gateway)
    for (const name of ['one', 'two']) {
      claimAddress(`${name}@example.com`)
      expect((await signIn(TERMS, browser)).status).toBe(200)
      await browser.send('DELETE', '/session')
    }
    claimAddress('three@example.com')
    expect(await refused(TERMS, browser)).toEqual([429, 'rate_limited'])
  })
})

describe('by a referral link', () => {
  const bob = { id: 0 }
  let code = ''
  beforeAll(async () => {
    bob.id = (await gateway.account('bob')).id
    await ownerWith(gateway, { account: 'bob', email: 'bob@example.com', is_verified: true })
    const randomBytes = (length: number) => crypto.getRandomValues(new Uint8Array(length))
    code = await referralCodeOf(gateway.store, bob.id, { randomBytes, now_ms: 1 })
  })
  /** The referrer of each account, by its name. */
  const referred = async () =>
    Object.fromEntries(
      (
        await gateway.store.rows<{ name: string; referrer_id: number }>(
          'SELECT name, referrer_id FROM referrals JOIN accounts ON accounts.id = referrals.account_id',
        )
      ).map(({ name, referrer_id }) => [name, referrer_id]),
    )
  const signUp = async (email: string, ref: string) => {
    claimAddress(email)
    const { status, browser } = await signIn(TERMS, browserAt(gateway), { ref })
    expect(status).toBe(200)
    return (await browser.viewer()).account
  }

  test('a stranger is bound to the referrer, and the log says so', async () => {
    expect(await signUp('carla@example.com', code)).toBe('carla')
    expect(await referred()).toEqual({ carla: bob.id })
    const lines = await gateway.store.rows<{ subject: string }>(
      "SELECT subject FROM actions WHERE action = 'account.referred'",
    )
    expect(lines).toMatchObject([{ subject: String(bob.id) }])
  })

  test.each([
    ['by an unknown code', 'dora@example.com', 'nobody00', 'dora'],
    ['by the referrer’s own mailbox in another spelling', 'bob+2@example.com', undefined, 'bob-2'],
    ['by a person who has an account', 'zoe@example.com', undefined, 'zoe'],
  ])('a sign-in %s binds nobody', async (_, email, unknown, account) => {
    expect(await signUp(email, unknown ?? code)).toBe(account)
    expect(await referred()).toEqual({ carla: bob.id })
  })

  test('a malformed code is refused before the redirect to the provider', async () => {
    const { status } = await browserAt(gateway).send('POST', '/identity-providers/start', {
      ...{ provider: 'id', ref: 'A"b' },
    })
    expect(status).toBe(400)
  })
})
