// Attacks on sign-ins by identity providers.
import { afterAll, describe, expect, test } from 'bun:test'
import { UnsecuredJWT } from 'jose'
import { closeAccount } from '../../src/access/closing.ts'
import { unseenIn } from '../../src/utilities/visible-text.ts'
import { clientOf, signedIn } from '../support/console-session.ts'
import {
  CLIENT_ID,
  type HostileProvider,
  startHostileProvider,
} from '../support/hostile-identity-provider.ts'
import { newPerson } from '../support/people.ts'
import { browserAt, gatewayAddress, gatewayWith, ownerWith, type TestBrowser } from './scene.ts'

const address = gatewayAddress()
const [first, second] = await Promise.all([startHostileProvider('first'), startHostileProvider('second')])
const STAFF = 'for = "both"\nemail_domains = ["staff.example", "example.com"]\nstaff_role = "auditor"'
const gateway = await gatewayWith(address, first.lines(STAFF) + second.lines())
afterAll(async () => {
  await gateway.stop()
  await first[Symbol.asyncDispose]()
  await second[Symbol.asyncDispose]()
})
for (const account of ['alice', 'mallory', 'pending']) await gateway.account(account)
const VERIFIED = { email: 'alice@example.com', email_verified: true }
await ownerWith(gateway, { account: 'alice', email: VERIFIED.email, is_verified: true })
await ownerWith(gateway, { account: 'pending', email: 'victim@example.com', is_verified: false })
first.tellTruth('alice-1', VERIFIED)
const honest = await signIn(first, 'first')

async function signIn(provider: HostileProvider, name: string, browser: TestBrowser = browserAt(gateway)) {
  const answer = await browser.finish(name, provider.backFrom(await browser.start(name)))
  return { browser, ...answer }
}

/** Expects that nobody is signed in. @returns the status and the code of the refusal */
async function refusal({ status, body, browser }: Awaited<ReturnType<typeof signIn>>) {
  expect(await browser.viewer()).toBeNull()
  return [status, body.error?.code]
}
const identities = () => gateway.store.rows('SELECT issuer, subject, person_id FROM identities ORDER BY id')
const NOT_CONFIRMED = [401, 'identity_not_confirmed']
const UNKNOWN = [403, 'identity_unknown']
let nearly = 0
const NOT_STARTED = [403, 'sign_in_not_started']

test('an honest provider signs alice in, in this scene', async () => {
  expect([honest.status, (await honest.browser.viewer()).account]).toEqual([200, 'alice'])
  expect(await identities()).toMatchObject([{ issuer: first.issuer, subject: 'alice-1' }])
})

describe('a provider’s address takes over no account', () => {
  test.each([
    ['missing', undefined],
    ['false', false],
    ['"true" as text', 'true'],
    ['1', 1],
    ['null', null],
  ])('with email_verified %s', async (_, email_verified) => {
    first.tellTruth(`stranger ${email_verified}`, { email: VERIFIED.email, email_verified })
    expect(await refusal(await signIn(first, 'first'))).toEqual(UNKNOWN)
  })

  test('whose owner has not verified the address here', async () => {
    first.tellTruth('victim', { email: 'victim@example.com', email_verified: true })
    const { browser } = await signIn(first, 'first')
    // The identity joins the staff by the setting, not the account registered with the address, which loses it.
    expect(await browser.viewer()).toMatchObject({ side: 'operator', role: 'auditor' })
    expect(
      await gateway.store.rows(
        "SELECT p.email FROM people p JOIN accounts a ON a.id = p.account_id WHERE a.name = 'pending'",
      ),
    ).toEqual([{ email: null }])
  })

  test('by the subject of another issuer', async () => {
    second.tellTruth('alice-1', { email: 'someone@else.example', email_verified: true })
    expect(await refusal(await signIn(second, 'second'))).toEqual(UNKNOWN)
  })

  test('by a token of another provider with a forged issuer', async () => {
    second.tellTruth('alice-1', { ...VERIFIED, iss: first.issuer })
    expect(await refusal(await signIn(second, 'second'))).toEqual(NOT_CONFIRMED)
  })

  test.each([
    ['alice@example.com\n'],
    ['alice@example.com, mallory@evil.example'],
    ['Alice <alice@example.com>'],
    ['аlice@example.com'],
    ['alice@exаmple.com'],
    [['alice@example.com']],
    [{ toString: 'alice@example.com' }],
  ])('by a text that is similar to it: %p', async (email) => {
    second.tellTruth(`nearly ${++nearly}`, { email, email_verified: true })
    expect(await refusal(await signIn(second, 'second'))).toEqual(UNKNOWN)
  })

  test('or staff role by a similar domain', async () => {
    for (const email of [
      'eve@staff.example.evil',
      'eve@notstaff.example',
      'eve@staff.example@evil.example',
    ]) {
      first.tellTruth('eve', { email, email_verified: true })
      expect(await refusal(await signIn(first, 'first'))).toEqual(UNKNOWN)
    }
  })

  test('of the staff through a provider for accounts', async () => {
    await gateway.store.begin(async (tx) => {
      await tx.rows(
        "UPDATE people SET email = 'boss@staff.example', email_verified_at_ms = 5 WHERE id = (SELECT person_id FROM staff ORDER BY id LIMIT 1)",
      )
    })
    second.tellTruth('boss', { email: 'boss@staff.example', email_verified: true })
    expect(await refusal(await signIn(second, 'second'))).toEqual([403, 'identity_not_for_you'])
    expect(await identities()).not.toContainEqual(expect.objectContaining({ subject: 'boss' }))
  })

  test('of the staff through a provider for accounts, even with an account of theirs', async () => {
    await gateway.account('boss')
    await gateway.store.begin((tx) =>
      tx.rows(
        "INSERT INTO memberships (person_id, account_id, role, created_at_ms) SELECT p.id, a.id, 'owner', 5 FROM people p, accounts a WHERE p.email = 'boss@staff.example' AND a.name = 'boss'",
      ),
    )
    second.tellTruth('boss', { email: 'boss@staff.example', email_verified: true })
    expect(await refusal(await signIn(second, 'second'))).toEqual([403, 'identity_not_for_you'])
    expect(await identities()).not.toContainEqual(expect.objectContaining({ subject: 'boss' }))
  })

  test('or staff role of a person removed from the staff', async () => {
    first.tellTruth('leaver', { email: 'leaver@staff.example', email_verified: true })
    const { browser } = await signIn(first, 'first')
    expect((await browser.viewer()).role).toBe('auditor')
    await gateway.store.begin((tx) =>
      tx.rows(
        "DELETE FROM staff WHERE person_id = (SELECT person_id FROM identities WHERE subject = 'leaver')",
      ),
    )
    expect(await browser.viewer()).toBeNull()
    expect(await refusal(await signIn(first, 'first'))).toEqual(UNKNOWN)
    first.tellTruth('leaver-again', { email: 'leaver@staff.example', email_verified: true })
    expect(await refusal(await signIn(first, 'first'))).toEqual(UNKNOWN)
  })

  test('but signs in a staff member with their own role if an operator entered their address', async () => {
    const email = 'hired@staff.example'
    const person_id = await newPerson(gateway.store, { account_id: null, role: 'support' }, { email })
    second.tellTruth('hired', { email, email_verified: true })
    expect(await refusal(await signIn(second, 'second'))).toEqual([403, 'identity_not_for_you'])
    first.tellTruth('hired', { email, email_verified: true })
    const { browser } = await signIn(first, 'first')
    expect(await browser.viewer()).toMatchObject({ role: 'support' })
    const mine = async () =>
      await gateway.store.rows(
        `SELECT id, email_verified_at_ms IS NOT NULL AS is_theirs FROM people WHERE email = '${email}'`,
      )
    expect(await mine()).toEqual([{ id: person_id, is_theirs: 1 }])
  })

  test('or staff role of a person removed before their first sign-in', async () => {
    const email = 'never@staff.example'
    const person_id = await newPerson(gateway.store, { account_id: null, role: 'operator' }, { email })
    await gateway.store.begin((tx) => tx.rows(`DELETE FROM staff WHERE person_id = ${person_id}`))
    first.tellTruth('never', { email, email_verified: true })
    expect(await refusal(await signIn(first, 'first'))).toEqual(UNKNOWN)
  })

  test('of a person whose accounts are all closed, but signs them in to one that is open', async () => {
    const accounts = [await gateway.account('first-of-two'), await gateway.account('second-of-two')]
    const email = 'two@example.com'
    await ownerWith(gateway, { account: 'first-of-two', email, is_verified: true })
    await gateway.store.begin((tx) =>
      tx.rows(
        `INSERT INTO memberships (person_id, account_id, role, created_at_ms)
          VALUES ((SELECT id FROM people WHERE email = '${email}'), ${accounts[1]?.id}, 'member', 1)`,
      ),
    )
    first.tellTruth('two', { email, email_verified: true })
    for (const [closed, account] of [
      ['nothing', 'first-of-two'],
      ['first-of-two', 'second-of-two'],
    ] as const) {
      if (closed !== 'nothing') await closeAccount(gateway.store, closed, Date.now())
      const { browser, status } = await signIn(first, 'first')
      expect([status, (await browser.viewer()).account]).toEqual([200, account])
    }
    await closeAccount(gateway.store, 'second-of-two', Date.now())
    expect(await refusal(await signIn(first, 'first'))).toEqual(UNKNOWN)
  })

  test('of a disabled person', async () => {
    const [{ person_id } = { person_id: 0 }] = await gateway.store.rows<{ person_id: number }>(
      "SELECT person_id FROM identities WHERE subject = 'alice-1'",
    )
    const disable = (at_ms: string) =>
      gateway.store.begin((tx) =>
        tx.rows(`UPDATE people SET disabled_at_ms = ${at_ms} WHERE id = ${person_id}`),
      )
    await disable('5')
    first.tellTruth('alice-1', VERIFIED)
    second.tellTruth('alice-2', VERIFIED)
    expect(await refusal(await signIn(first, 'first'))).toEqual(UNKNOWN)
    expect(await refusal(await signIn(second, 'second'))).toEqual(UNKNOWN)
    await disable('NULL')
  })
})

describe('an answer works once, in the browser that started the sign-in, which prevents', () => {
  test('a replay, with the same cookie', async () => {
    first.tellTruth('alice-1', VERIFIED)
    const browser = browserAt(gateway)
    const back = first.backFrom(await browser.start('first'))
    const kept = new Map(browser.cookies)
    expect((await browser.finish('first', back)).status).toBe(200)
    const thief = browserAt(gateway)
    for (const [name, value] of kept) thief.cookies.set(name, value)
    const { status, body } = await thief.finish('first', back)
    expect([status, body.error.code]).toEqual([403, 'sign_in_used'])
    // Another code with a used state.
    const other = new URL(back)
    other.searchParams.set('code', crypto.randomUUID())
    for (const [name, value] of kept) thief.cookies.set(name, value)
    expect((await thief.finish('first', other)).body.error.code).toBe('sign_in_used')
    expect(await thief.viewer()).toBeNull()
  })

  test('a sign-in as the attacker, by their answer in the victim’s browser', async () => {
    first.tellTruth('alice-1', VERIFIED)
    const attacker = browserAt(gateway)
    const back = first.backFrom(await attacker.start('first'))
    const victim = browserAt(gateway)
    expect(await refusal({ browser: victim, ...(await victim.finish('first', back)) })).toEqual(NOT_STARTED)
    await victim.start('first')
    expect(await refusal({ browser: victim, ...(await victim.finish('first', back)) })).toEqual(NOT_STARTED)
  })

  test('a code of another browser, with the attacker’s state', async () => {
    first.tellTruth('alice-1', VERIFIED)
    const victims = first.backFrom(await browserAt(gateway).start('first'))
    const thief = browserAt(gateway)
    const own = await thief.start('first')
    const mixed = new URL(victims)
    mixed.searchParams.set('state', own.searchParams.get('state') ?? '')
    // The token has the nonce of the other browser, whose verifier is unknown here.
    expect(await refusal({ browser: thief, ...(await thief.finish('first', mixed)) })).toEqual(NOT_CONFIRMED)
  })

  test('a wrong or missing nonce', async () => {
    for (const nonce of ['earlier', undefined, 7]) {
      first.tellTruth('alice-1', { ...VERIFIED, nonce })
      expect(await refusal(await signIn(first, 'first'))).toEqual(NOT_CONFIRMED)
    }
  })

  test.each(['?code=x', '', '?state=', '?error=access_denied', '?state=x&error=access_denied'])(
    'an answer without its state: %p',
    async (query) => {
      const browser = browserAt(gateway)
      await browser.start('first')
      expect(await refusal({ browser, ...(await browser.finish('first', query)) })).toEqual(NOT_STARTED)
    },
  )

  test('a repeated parameter', async () => {
    first.tellTruth('alice-1', VERIFIED)
    for (const name of ['state', 'code', 'iss']) {
      const browser = browserAt(gateway)
      const back = first.backFrom(await browser.start('first'), { iss: first.issuer })
      back.searchParams.append(name, 'x')
      expect(await refusal({ browser, ...(await browser.finish('first', back)) })).toEqual(NOT_CONFIRMED)
    }
  })

  test('a forged cookie', async () => {
    for (const cookie of ['x', 'e30', Buffer.from('{"provider":"first"}').toString('base64url'), '%00']) {
      const browser = browserAt(gateway)
      browser.cookies.set('__Host-tollgate-identity', cookie)
      expect(await refusal({ browser, ...(await browser.finish('first', '?state=x&code=y')) })).toEqual(
        NOT_STARTED,
      )
    }
  })
})

describe('providers are not confused', () => {
  test('by an answer for one, sent to the page of another', async () => {
    second.tellTruth('alice-1', VERIFIED)
    const browser = browserAt(gateway)
    const back = second.backFrom(await browser.start('first'))
    expect(await refusal({ browser, ...(await browser.finish('second', back)) })).toEqual(NOT_STARTED)
  })

  test('by an answer that names another issuer (RFC 9207)', async () => {
    first.tellTruth('alice-1', VERIFIED)
    const browser = browserAt(gateway)
    const back = first.backFrom(await browser.start('first'), { iss: second.issuer })
    expect(await refusal({ browser, ...(await browser.finish('first', back)) })).toEqual(NOT_CONFIRMED)
  })
})

describe('a token is refused', () => {
  const now_s = () => Math.floor(Date.now() / 1_000)
  test.each([
    ['for another client', () => ({ aud: 'another' })],
    [
      'for several clients, authorized for another one',
      () => ({ aud: [CLIENT_ID, 'another'], azp: 'another' }),
    ],
    ['that has expired', () => ({ exp: now_s() - 60 })],
    ['that never expires', () => ({ exp: undefined })],
    ['without a subject', () => ({ sub: undefined })],
    ['with an empty subject', () => ({ sub: '' })],
    ['with a number as the subject', () => ({ sub: 7 })],
    ['with too long a subject', () => ({ sub: 'x'.repeat(256) })],
    ['without an issuer', () => ({ iss: undefined })],
  ])('%s', async (_, claims) => {
    first.tellTruth('alice-1', { ...VERIFIED, ...claims() })
    expect(await refusal(await signIn(first, 'first'))).toEqual(NOT_CONFIRMED)
  })

  const text = (claims: object) => Buffer.from(JSON.stringify(claims)).toString('base64url')
  test.each([
    ['that is unsigned', (claims: object) => new UnsecuredJWT(claims as never).encode()],
    [
      'with the signature of another token',
      async (claims: object) =>
        `${(await first.sign({})).split('.')[0]}.${text(claims)}.${(await first.sign({})).split('.')[2]}`,
    ],
    ['signed by another provider', (claims: object) => second.sign(claims as never)],
    [
      'signed by the client secret in place of a key',
      async (claims: object) => {
        const { SignJWT } = await import('jose')
        const secret = new TextEncoder().encode('another-secret-of-the-gateway-0123456789')
        return await new SignJWT(claims as never).setProtectedHeader({ alg: 'HS256' }).sign(secret)
      },
    ],
    ['that is malformed', () => 'x.y.z'],
    ['that is empty', () => ''],
  ])('%s', async (_, id_token) => {
    first.tellTruth('alice-1', VERIFIED)
    first.lies.id_token = id_token
    expect(await refusal(await signIn(first, 'first'))).toEqual(NOT_CONFIRMED)
  })
})

describe('a confirmation', () => {
  const confirm = async (claims: Record<string, unknown>) => {
    first.tellTruth('alice-1', VERIFIED)
    const { browser } = await signIn(first, 'first')
    first.tellTruth('alice-1', { ...VERIFIED, ...claims })
    const { body } = await browser.send('POST', '/identities/start', {
      provider: 'first',
      purpose: 'confirm',
    })
    const back = first.backFrom(new URL(body.url))
    return { browser, back, ...(await browser.finish('first', back)) }
  }

  test('is refused if the sign-in at the provider is old, as when an attacker removes max_age from the address', async () => {
    const { status, body } = await confirm({ auth_time: Math.floor(Date.now() / 1_000) - 3_600 })
    expect([status, body.error.code]).toEqual(NOT_CONFIRMED)
  })

  test('is refused without auth_time from a provider that supports it', async () => {
    await using knowing = await startHostileProvider('knowing')
    const there = gatewayAddress()
    const own = await gatewayWith(there, knowing.lines())
    try {
      await own.account('dora')
      await ownerWith(own, { account: 'dora', email: 'dora@example.com', is_verified: true })
      const truth = { email: 'dora@example.com', email_verified: true }
      const browser = browserAt(own)
      for (const [auth_time, status] of [
        [undefined, 401],
        [Math.floor(Date.now() / 1_000) - 3_600, 401],
        [Math.floor(Date.now() / 1_000), 200],
      ] as const) {
        knowing.tellTruth('dora-1', truth)
        knowing.lies.metadata = { claims_supported: ['auth_time'] }
        if (!(await browser.viewer()))
          await browser.finish('knowing', knowing.backFrom(await browser.start('knowing')))
        knowing.tellTruth('dora-1', { ...truth, auth_time })
        const { body } = await browser.send('POST', '/identities/start', {
          provider: 'knowing',
          purpose: 'confirm',
        })
        const back = knowing.backFrom(new URL(body.url))
        expect((await browser.finish('knowing', back)).status).toBe(status)
      }
    } finally {
      await own.stop()
    }
  })

  test('is needed to link, even if the browser forges the purpose in its cookie', async () => {
    first.tellTruth('alice-1', VERIFIED)
    const { browser } = await signIn(first, 'first')
    await gateway.store.begin((tx) => tx.rows('UPDATE sessions SET confirmed_at_ms = 0'))
    const [{ id: session_id } = { id: 0 }] = await gateway.store.rows<{ id: number }>(
      'SELECT id FROM sessions ORDER BY id DESC LIMIT 1',
    )
    first.tellTruth('mallory-of-first', {})
    const url = await browser.start('first')
    const kept = browser.cookies.get('__Host-tollgate-identity') ?? ''
    const flow = JSON.parse(Buffer.from(kept, 'base64url').toString())
    const forged = JSON.stringify({ ...flow, purpose: 'link', session_id })
    browser.cookies.set('__Host-tollgate-identity', Buffer.from(forged).toString('base64url'))
    const { status, body } = await browser.finish('first', first.backFrom(url))
    expect([status, body.error?.code]).toEqual([403, 'confirm_sign_in'])
    expect(await identities()).not.toContainEqual(expect.objectContaining({ subject: 'mallory-of-first' }))
  })

  test('by another person is refused', async () => {
    const { status, body } = await confirm({ sub: 'alice-of-another' })
    expect([status, body.error.code]).toEqual([403, 'other_person'])
  })

  test('counts only for the session that started it', async () => {
    first.tellTruth('alice-1', VERIFIED)
    const { browser } = await signIn(first, 'first')
    const { body } = await browser.send('POST', '/identities/start', {
      provider: 'first',
      purpose: 'confirm',
    })
    const flow = browser.cookies.get('__Host-tollgate-identity') ?? ''
    const other = (await signIn(first, 'first')).browser
    other.cookies.set('__Host-tollgate-identity', flow)
    const answer = await other.finish('first', first.backFrom(new URL(body.url)))
    expect([answer.status, answer.body.error.code]).toEqual(NOT_STARTED)
  })
})

describe('the redirect after a sign-in', () => {
  test.each([
    'https://evil.example',
    '//evil.example',
    '/\\evil.example',
    '/a//evil.example',
    'javascript:alert(1)',
    '\thttps://evil.example',
    '/\n/evil.example',
    'evil.example',
    '',
  ])('next = %p leads to the first page', async (next) => {
    first.tellTruth('alice-1', VERIFIED)
    const browser = browserAt(gateway)
    const { body } = await browser.finish('first', first.backFrom(await browser.start('first', next)))
    expect(body).toEqual({ purpose: 'sign_in', next: '/' })
  })

  test('uses public_url, regardless of Host and forwarding headers', async () => {
    const browser = browserAt(gateway)
    for (const headers of [
      { host: 'evil.example' },
      { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https', forwarded: 'host=evil.example' },
    ]) {
      const { status, body } = await browser.send(
        'POST',
        '/identity-providers/start',
        { provider: 'first' },
        { headers },
      )
      expect(status).toBe(200)
      expect(new URL(body.url).searchParams.get('redirect_uri')).toBe(`${address.url}/console/sign-in/first`)
    }
  })

  test('cannot be started or finished by a page of another origin', async () => {
    for (const path of ['start', 'finish', 'leave']) {
      const browser = browserAt(gateway)
      const { status, body } = await browser.send(
        'POST',
        `/identity-providers/${path}`,
        { provider: 'first' },
        { headers: { origin: 'https://evil.example' } },
      )
      expect([status, body.error.code]).toEqual([403, 'foreign_origin'])
    }
  })
})

test('a staff member whose only way to sign in is an identity is listed as active until it is unlinked', async () => {
  first.tellTruth('nina', { email: 'nina@staff.example', email_verified: true })
  await signIn(first, 'first')
  const { cookie } = await signedIn(gateway, 'operator')
  const operator = clientOf(gateway, cookie)
  const stateOf = async () => {
    const { staff } = (await operator.json('GET', '/staff')) as { staff: { email: string; state: string }[] }
    return staff.find(({ email }) => email === 'nina@staff.example')?.state
  }
  expect(await stateOf()).toBe('active')
  await gateway.store.begin(async (tx) => {
    await tx.rows(
      "DELETE FROM sessions WHERE identity_id IN (SELECT id FROM identities WHERE subject = 'nina')",
    )
    await tx.rows("DELETE FROM identities WHERE subject = 'nina'")
  })
  expect(await stateOf()).toBe('invited')
})

test('HTML, control characters and endless texts in names are made harmless', async () => {
  const name = `<img src=x onerror=alert(1)>\u0000\u202e\r\nBcc: x@y\n${'x'.repeat(5_000)}`
  first.tellTruth('odd', { email: 'odd@staff.example', email_verified: true, name })
  const { status, browser } = await signIn(first, 'first')
  expect(status).toBe(200)
  expect((await browser.viewer()).side).toBe('operator')
  const [person] = await gateway.store.rows<{ name: string }>(
    'SELECT name FROM people ORDER BY id DESC LIMIT 1',
  )
  expect(person?.name).toStartWith('<img src=x onerror=alert(1)>\\u0000\\u202e')
  expect(unseenIn(person?.name ?? '')).toBeUndefined()
  expect(person?.name.length).toBeLessThanOrEqual(200)
})

test('an address with many failures is rate-limited', async () => {
  const browser = browserAt(gateway)
  const codes = new Set<string>()
  for (let tries = 0; tries < 60; tries += 1)
    codes.add((await browser.finish('first', '?state=x')).body.error.code)
  expect([...codes]).toContain('rate_limited')
})
