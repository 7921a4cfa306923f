// Passkeys: the person they sign in, and every wrong answer of a browser or a device.
import { describe, expect, test } from 'bun:test'
import { closeAccount } from '../../src/access/closing.ts'
import { resetOperator } from '../../src/access/operator-reset.ts'
import { fileMailScene, MINUTE_MS, PUBLIC_URL } from '../sign-in/mail-scene.ts'
import { clientOf, errorOf, PROBES, signedIn } from '../support/console-session.ts'
import { authenticator, type Lie } from './authenticator.ts'

const { gateway, clock, owner, mailsTo, write } = await fileMailScene()
const SITE = { origin: PUBLIC_URL, rp_id: 'gateway.example.com' }
type Device = ReturnType<typeof authenticator>

let browsers = 0
/** A browser with its own address and cookies. */
function browser(cookie = PROBES) {
  const address = `198.51.100.${++browsers % 250}`
  const jar = new Map(cookie.split('; ').map((pair) => pair.split('=') as [string, string]))
  const cookies = () => [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
  return {
    jar,
    async send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
      const answer = await clientOf(gateway, cookies()).send(method, path, {
        ...(body === undefined ? {} : { body }),
        headers: { 'x-forwarded-for': address, ...headers },
      })
      for (const set of answer.headers.getSetCookie()) {
        const [name = '', value = ''] = (set.split(';')[0] ?? '').split('=')
        if (value === '') jar.delete(name)
        else jar.set(name, value)
      }
      return answer
    },
  }
}
type Browser = ReturnType<typeof browser>

/** The browser of an account's owner who is signed in. */
const signedInBrowser = async (account: string) =>
  browser((await signedIn(gateway, { account }, clock.now_ms)).cookie)
// biome-ignore lint/suspicious/noExplicitAny: the options of WebAuthn
const begin = async (one: Browser, path: string): Promise<any> =>
  ((await (await one.send('POST', `/passkeys/${path}`)).json()) as { options: unknown }).options

async function add(one: Browser, device: Device, lie?: Lie): Promise<Response> {
  const options = await begin(one, 'begin')
  return await one.send('POST', '/passkeys', { name: 'laptop', response: device.make(options, lie) })
}

/** A person with an account, a browser with their session, and a device with their passkey. */
async function withPasskey(name: string) {
  const person = await owner(name)
  const [one, device] = [await signedInBrowser(name), authenticator(SITE)]
  expect((await add(one, device)).status).toBe(200)
  return { ...person, one, device }
}

async function signIn(device: Device, lie?: Lie, one = browser()): Promise<Response> {
  const options = await begin(one, 'sign-in/begin')
  return await one.send('POST', '/passkeys/sign-in', { response: device.use(options, lie) })
}
const viewerOf = async (one: Browser) =>
  ((await (await one.send('GET', '/session')).json()) as { viewer: { account: string } | null }).viewer

describe('a passkey', () => {
  test('cannot be removed if it is the only way to sign in; a link by mail counts as another one', async () => {
    const { one, person_id } = await withPasskey('lone')
    const id = ((await (await one.send('GET', '/passkeys')).json()) as { passkeys: { id: number }[] })
      .passkeys[0]?.id
    const remove = () => one.send('DELETE', `/passkeys/${id}`)
    await write('UPDATE people SET email_verified_at_ms = NULL WHERE id = $person_id', { person_id })
    const refused = await remove()
    expect([refused.status, await errorOf(refused)]).toMatchObject([409, { code: 'last_way_to_sign_in' }])
    expect(await (await one.send('GET', '/passkeys')).json()).toMatchObject({ passkeys: [{ id }] })
    await write('UPDATE people SET email_verified_at_ms = 1 WHERE id = $person_id', { person_id })
    expect((await remove()).status).toBe(200)
  })

  test('signs in without a name, and the list of sessions says so', async () => {
    const { device, email } = await withPasskey('anna')
    const one = browser()
    expect((await signIn(device, {}, one)).status).toBe(200)
    expect(await viewerOf(one)).toMatchObject({ account: 'anna' })
    const { sessions } = (await (await one.send('GET', '/sessions')).json()) as { sessions: unknown[] }
    expect(sessions).toContainEqual(expect.objectContaining({ proof: 'passkey', is_current: true }))
    expect((await mailsTo(email, 2)).map((mail) => mail.header('subject'))).toEqual([
      'Your sign-in to Tollgate was changed',
      'New sign-in to Tollgate',
    ])
  })

  test('signs in to a second account once the first is closed, and to none once both are', async () => {
    const [first, second] = [await withPasskey('asta'), await owner('asta-second')]
    await write(
      `INSERT INTO memberships (person_id, account_id, role, created_at_ms) VALUES ($person_id, $account_id, 'member', 1)`,
      { person_id: first.person_id, account_id: second.account.id },
    )
    await closeAccount(gateway.store, 'asta', clock.now_ms)
    const one = browser()
    expect((await signIn(first.device, {}, one)).status).toBe(200)
    expect(await viewerOf(one)).toMatchObject({ account: 'asta-second', role: 'member' })
    await closeAccount(gateway.store, 'asta-second', clock.now_ms)
    expect(await viewerOf(one)).toBeNull()
    expect(await errorOf(await signIn(first.device))).toMatchObject({ status: 401, code: 'wrong_passkey' })
  })

  test('requires user verification by the device, and a user handle without the person’s name', async () => {
    const { one } = await withPasskey('beth')
    const options = await begin(one, 'begin')
    expect(options).toMatchObject({
      rp: { id: SITE.rp_id },
      attestation: 'none',
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      excludeCredentials: [expect.anything()],
    })
    expect(Buffer.from(options.user.id, 'base64url').toString()).not.toContain('beth')
    expect(await begin(browser(), 'sign-in/begin')).toMatchObject({
      rpId: SITE.rp_id,
      userVerification: 'required',
    })
  })

  test('belongs to public_url, regardless of Host and Origin of the request', async () => {
    const { one } = await withPasskey('cora')
    const host = `localhost:${gateway.url.port}`
    const headers = {
      host,
      origin: `http://${host}`,
      'x-forwarded-host': 'evil.example',
      forwarded: 'host=evil',
    }
    const answer = await one.send('POST', '/passkeys/begin', undefined, headers)
    const { options } = (await answer.json()) as { options: { rp: { id: string } } }
    expect(options.rp.id).toBe(SITE.rp_id)
  })
})

describe('nobody is signed in by', () => {
  const device = { made: undefined as Device | undefined }
  test.each<[string, Lie]>([
    ['a page of another origin', { origin: 'https://evil.example' }],
    ['a page of a subdomain', { origin: 'https://evil.gateway.example.com' }],
    ['a page of this host over plain HTTP', { origin: 'http://gateway.example.com' }],
    ['a page of this host at another port', { origin: 'https://gateway.example.com:8443' }],
    ['a page of the address that the gateway listens on', { origin: gateway.url.origin }],
    ['a passkey of another site', { rp_id: 'evil.example' }],
    ['another challenge', { challenge: Buffer.alloc(32).toString('base64url') }],
    ['an answer of another type', { type: 'webauthn.create' }],
    ['a device that did not verify its user', { flags: 0b001 }],
    ['a device without a present user', { flags: 0b100 }],
    ['a forged signature', { forged: true }],
    ['the handle of another person', { user_handle: Buffer.from('person 1').toString('base64url') }],
  ])('%s', async (_, lie) => {
    device.made ??= (await withPasskey('dora')).device
    const one = browser()
    const answer = await signIn(device.made, lie, one)
    expect(await errorOf(answer)).toMatchObject({ status: 401, code: 'wrong_passkey' })
    expect(await viewerOf(one)).toBeNull()
  })

  test('a passkey that is unknown, removed, or of a disabled person, with the same error', async () => {
    const [edda, fay] = [await withPasskey('edda'), await withPasskey('fay')]
    const { passkeys } = (await (await edda.one.send('GET', '/passkeys')).json()) as {
      passkeys: { id: number }[]
    }
    expect((await edda.one.send('DELETE', `/passkeys/${passkeys[0]?.id}`)).status).toBe(200)
    await write('UPDATE people SET disabled_at_ms = 1 WHERE id = $id', { id: fay.person_id })
    const answers = [authenticator(SITE), edda.device, fay.device].map((one) => signIn(one))
    const errors = await Promise.all((await Promise.all(answers)).map(errorOf))
    for (const error of errors)
      expect(error).toEqual({ ...errors[0], status: 401 } as (typeof errors)[number])
  })

  test('a passkey of a closed account', async () => {
    const { device } = await withPasskey('gail')
    await closeAccount(gateway.store, 'gail', clock.now_ms)
    expect((await signIn(device)).status).toBe(401)
  })

  test('an operator’s passkey after a reset of their sign-in', async () => {
    const one = browser((await signedIn(gateway, 'operator', clock.now_ms)).cookie)
    const device = authenticator(SITE)
    expect((await add(one, device)).status).toBe(200)
    expect((await signIn(device)).status).toBe(200)
    const randomBytes = (count: number) => crypto.getRandomValues(new Uint8Array(count))
    await resetOperator(gateway.store, { randomBytes, now_ms: clock.now_ms })
    expect((await signIn(device)).status).toBe(401)
  })
})

describe('a challenge', () => {
  test('works once, even for two simultaneous uses of the same answer', async () => {
    const { device } = await withPasskey('hana')
    const one = browser()
    const options = await begin(one, 'sign-in/begin')
    const again = browser([...one.jar].map((pair) => pair.join('=')).join('; '))
    const response = device.use(options)
    const answers = await Promise.all(
      [one, again].map((each) => each.send('POST', '/passkeys/sign-in', { response })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400])
    const replayed = browser([...again.jar].map((pair) => pair.join('=')).join('; '))
    expect(await errorOf(await replayed.send('POST', '/passkeys/sign-in', { response }))).toMatchObject({
      status: 400,
      code: 'challenge_not_valid',
    })
  })

  test('is used up by a wrong answer', async () => {
    const { device } = await withPasskey('ida')
    const one = browser()
    const options = await begin(one, 'sign-in/begin')
    const send = (lie?: Lie) => one.send('POST', '/passkeys/sign-in', { response: device.use(options, lie) })
    expect((await send({ forged: true })).status).toBe(401)
    expect((await send()).status).toBe(400)
  })

  test('works only in the browser that requested it', async () => {
    const { device } = await withPasskey('jana')
    const options = await begin(browser(), 'sign-in/begin')
    const thief = browser()
    await begin(thief, 'sign-in/begin')
    for (const other of [browser(), thief]) {
      const answer = await other.send('POST', '/passkeys/sign-in', { response: device.use(options) })
      expect([400, 401]).toContain(answer.status)
    }
  })

  test('expires after five minutes', async () => {
    const { device } = await withPasskey('kira')
    const one = browser()
    const options = await begin(one, 'sign-in/begin')
    clock.now_ms += 5 * MINUTE_MS
    const late = await one.send('POST', '/passkeys/sign-in', { response: device.use(options) })
    expect(await errorOf(late)).toMatchObject({ status: 400, code: 'challenge_not_valid' })
  })

  test('of one purpose or session does not work for another', async () => {
    const { one, device } = await withPasskey('lena')
    const mary = await withPasskey('mary')
    const options = await begin(one, 'confirm/begin')
    expect((await one.send('POST', '/passkeys/sign-in', { response: device.use(options) })).status).toBe(400)
    // The challenge cookie of lena's session is put beside mary's session.
    const of_lena = await begin(one, 'begin')
    for (const [name, value] of one.jar) if (name.endsWith('-passkey')) mary.one.jar.set(name, value)
    const body = { name: 'x', response: authenticator(SITE).make(of_lena) }
    expect((await mary.one.send('POST', '/passkeys', body)).status).toBe(400)
  })

  test('is limited to sixty a minute from one address', async () => {
    const one = browser()
    const headers = { 'x-forwarded-for': '203.0.113.77' }
    const statuses: number[] = []
    for (let time = 0; time < 62; time++)
      statuses.push((await one.send('POST', '/passkeys/sign-in/begin', undefined, headers)).status)
    expect(statuses).toEqual([...Array(60).fill(200), 429, 429])
  })
})

describe('a counter', () => {
  test('that decreases or repeats is refused, and the person gets a mail', async () => {
    const { device, email, one } = await withPasskey('nora')
    expect((await signIn(device, { counter: 7 })).status).toBe(200)
    for (const counter of [7, 6, 0])
      expect(await errorOf(await signIn(device, { counter }))).toMatchObject({
        status: 403,
        code: 'passkey_copied',
      })
    expect((await signIn(device, { counter: 8 })).status).toBe(200)
    const mails = await mailsTo(email, 5)
    expect(mails.filter(({ text }) => text.includes('seems to have been copied'))).toHaveLength(3)
    const { actions } = (await (await one.send('GET', '/audit-log')).json()) as { actions: object[] }
    expect(actions).toContainEqual(expect.objectContaining({ action: 'passkey.refused', subject: 'laptop' }))
  })

  test('accepts only one of two simultaneous uses with the same value', async () => {
    const { device } = await withPasskey('olga')
    const answers = await Promise.all([1, 1].map((counter) => signIn(device, { counter })))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 403])
  })
})

describe('adding', () => {
  test.each<[string, Lie]>([
    ['from another origin', { origin: 'https://evil.example' }],
    ['for another site', { rp_id: 'evil.example' }],
    ['for another challenge', { challenge: 'AAAA' }],
    ['by the answer to a sign-in', { type: 'webauthn.get' }],
    ['by a device that did not verify its user', { flags: 0b001 }],
    ['with a statement about the device, whose certificates would need a look-up', { fmt: 'fido-u2f' }],
    ['with a statement in an unknown form', { fmt: 'x' }],
  ])('is refused %s', async (row, lie) => {
    const name = `pia-${[...row].length}`
    await owner(name)
    const one = await signedInBrowser(name)
    expect(await errorOf(await add(one, authenticator(SITE), lie))).toMatchObject({
      status: 400,
      code: 'passkey_not_valid',
    })
  })

  test('and removing need a recent sign-in, renaming does not; another person’s passkey is not found', async () => {
    const [rosa, sara] = [await withPasskey('rosa'), await withPasskey('sara')]
    const { passkeys } = (await (await rosa.one.send('GET', '/passkeys')).json()) as {
      passkeys: { id: number }[]
    }
    const path = `/passkeys/${passkeys[0]?.id}`
    expect((await sara.one.send('DELETE', path)).status).toBe(404)
    expect((await sara.one.send('PATCH', path, { name: 'mine' })).status).toBe(404)
    clock.now_ms += 11 * MINUTE_MS
    for (const [method, route] of [
      ['POST', '/passkeys/begin'],
      ['DELETE', path],
    ] as const)
      expect(await errorOf(await rosa.one.send(method, route))).toMatchObject({
        status: 403,
        code: 'confirm_sign_in',
      })
    expect((await rosa.one.send('PATCH', path, { name: 'desk' })).status).toBe(200)
    expect((await rosa.one.send('PATCH', path, { name: 'two\r\nlines' })).status).toBe(400)
  })

  test('a known passkey is refused, even for another person', async () => {
    const { device } = await withPasskey('tina')
    await owner('ulla')
    expect(await errorOf(await add(await signedInBrowser('ulla'), device))).toMatchObject({
      status: 409,
      code: 'passkey_known',
    })
  })

  test('is limited to twenty', async () => {
    await owner('vera')
    const vera = await signedInBrowser('vera')
    const statuses: number[] = []
    for (let time = 0; time < 21; time++) statuses.push((await add(vera, authenticator(SITE))).status)
    expect(statuses).toEqual([...Array(20).fill(200), 400])
  })

  test('and all other operations are refused in a session by key', async () => {
    const { account } = await owner('wilma')
    const key = browser(
      (await signedIn(gateway, { key: await gateway.key(account.name) }, clock.now_ms)).cookie,
    )
    for (const [method, path] of [
      ['GET', '/passkeys'],
      ['POST', '/passkeys/begin'],
      ['POST', '/passkeys/confirm/begin'],
      ['DELETE', '/passkeys/1'],
    ] as const)
      expect([path, (await key.send(method, path)).status]).toEqual([path, 403])
  })
})

describe('a confirmation by a passkey', () => {
  const confirm = async (one: Browser, device: Device, lie?: Lie) => {
    const options = await begin(one, 'confirm/begin')
    return await one.send('POST', '/passkeys/confirm', { response: device.use(options, lie) })
  }

  test('makes the session recent, with a new token', async () => {
    const { one, device } = await withPasskey('xena')
    clock.now_ms += 11 * MINUTE_MS
    const before = one.jar.get('__Host-tollgate')
    expect((await confirm(one, device)).status).toBe(200)
    expect(one.jar.get('__Host-tollgate')).not.toBe(before)
    expect((await clientOf(gateway, `__Host-tollgate=${before}`).send('GET', '/sessions')).status).toBe(401)
    expect((await add(one, authenticator(SITE))).status).toBe(200)
  })

  test('is refused by another person’s passkey, or by a wrong answer', async () => {
    const [yara, zoe] = [await withPasskey('yara'), await withPasskey('zoe')]
    clock.now_ms += 11 * MINUTE_MS
    expect(await errorOf(await confirm(yara.one, zoe.device))).toMatchObject({ code: 'other_person' })
    expect((await confirm(yara.one, yara.device, { origin: 'https://evil.example' })).status).toBe(401)
    expect((await yara.one.send('POST', '/passkeys/begin')).status).toBe(403)
  })
})

test('a sign-in by a passkey ends the previous session of the browser, so that a planted one is useless', async () => {
  const { device } = await withPasskey('abby')
  await owner('mallory')
  const planted = await signedIn(gateway, { account: 'mallory' }, clock.now_ms)
  const one = browser(planted.cookie)
  expect((await signIn(device, {}, one)).status).toBe(200)
  expect(await viewerOf(one)).toMatchObject({ account: 'abby' })
  expect((await planted.send('GET', '/sessions')).status).toBe(401)
})

test('disabling a person ends their session by passkey at once', async () => {
  const { device, person_id } = await withPasskey('bibi')
  const one = browser()
  expect((await signIn(device, {}, one)).status).toBe(200)
  await write('UPDATE people SET disabled_at_ms = 1 WHERE id = $person_id', { person_id })
  expect((await one.send('GET', '/sessions')).status).toBe(401)
})
