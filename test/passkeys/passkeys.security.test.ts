// Passkeys: whom they sign in, and every answer of a browser or a device that they do not.
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
/** A browser at an address of its own, which keeps its cookies. */
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

/** Somebody signed in, with their browser. */
const at = async (account: string) => browser((await signedIn(gateway, { account }, clock.now_ms)).cookie)
// biome-ignore lint/suspicious/noExplicitAny: the options of WebAuthn
const begin = async (one: Browser, path: string): Promise<any> =>
  ((await (await one.send('POST', `/passkeys/${path}`)).json()) as { options: unknown }).options

async function add(one: Browser, device: Device, lie?: Lie): Promise<Response> {
  const options = await begin(one, 'begin')
  return await one.send('POST', '/passkeys', { name: 'laptop', response: device.make(options, lie) })
}

/** A person with an account, a browser where they are signed in, and a device with a passkey of theirs. */
async function withPasskey(name: string) {
  const person = await owner(name)
  const [one, device] = [await at(name), authenticator(SITE)]
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
  test('that is the only way to sign in is not removed; a link by mail or a password is another one', async () => {
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

  test('signs in without a name, by a session of its own whose list says how', async () => {
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

  test('comes into a second account of its person, once the first is closed, and nowhere once both are', async () => {
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

  test('asks its device for a person who was verified, and tells it no name that others could read as a key', async () => {
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

  test('is of public_url, whatever Host and Origin a request names', async () => {
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

describe('is not signed in by', () => {
  const device = { made: undefined as Device | undefined }
  test.each<[string, Lie]>([
    ['a page of another origin', { origin: 'https://evil.example' }],
    ['a page of a part of this origin', { origin: 'https://evil.gateway.example.com' }],
    ['a page of this host over plain HTTP', { origin: 'http://gateway.example.com' }],
    ['a page of this host at another port', { origin: 'https://gateway.example.com:8443' }],
    ['a page of the address that the gateway listens on', { origin: gateway.url.origin }],
    ['a passkey of another site', { rp_id: 'evil.example' }],
    ['another challenge', { challenge: Buffer.alloc(32).toString('base64url') }],
    ['the answer to another question', { type: 'webauthn.create' }],
    ['a device that did not verify its user', { flags: 0b001 }],
    ['a device without anybody at it', { flags: 0b100 }],
    ['a forged signature', { forged: true }],
    ['the handle of another person', { user_handle: Buffer.from('person 1').toString('base64url') }],
  ])('%s', async (_, lie) => {
    device.made ??= (await withPasskey('dora')).device
    const one = browser()
    const answer = await signIn(device.made, lie, one)
    expect(await errorOf(answer)).toMatchObject({ status: 401, code: 'wrong_passkey' })
    expect(await viewerOf(one)).toBeNull()
  })

  test('a passkey that nobody has here, was removed, or is of somebody who is disabled: all in the same words', async () => {
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

  test('a passkey of a closed account, nor of one that was opened again: it needs a new invitation', async () => {
    const { device } = await withPasskey('gail')
    await closeAccount(gateway.store, 'gail', clock.now_ms)
    expect((await signIn(device)).status).toBe(401)
  })

  test('an operator’s passkey once their sign-in was reset', async () => {
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
  test('is used once, by one of two who send the same answer at the same moment', async () => {
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

  test('is used up by an answer that does not hold', async () => {
    const { device } = await withPasskey('ida')
    const one = browser()
    const options = await begin(one, 'sign-in/begin')
    const send = (lie?: Lie) => one.send('POST', '/passkeys/sign-in', { response: device.use(options, lie) })
    expect((await send({ forged: true })).status).toBe(401)
    expect((await send()).status).toBe(400)
  })

  test('is of the browser that asked: another one, or none, has nothing of it', async () => {
    const { device } = await withPasskey('jana')
    const options = await begin(browser(), 'sign-in/begin')
    const thief = browser()
    await begin(thief, 'sign-in/begin')
    for (const other of [browser(), thief]) {
      const answer = await other.send('POST', '/passkeys/sign-in', { response: device.use(options) })
      expect([400, 401]).toContain(answer.status)
    }
  })

  test('ends after five minutes', async () => {
    const { device } = await withPasskey('kira')
    const one = browser()
    const options = await begin(one, 'sign-in/begin')
    clock.now_ms += 5 * MINUTE_MS
    const late = await one.send('POST', '/passkeys/sign-in', { response: device.use(options) })
    expect(await errorOf(late)).toMatchObject({ status: 400, code: 'challenge_not_valid' })
  })

  test('of one purpose or session is none of another', async () => {
    const { one, device } = await withPasskey('lena')
    const mary = await withPasskey('mary')
    const options = await begin(one, 'confirm/begin')
    expect((await one.send('POST', '/passkeys/sign-in', { response: device.use(options) })).status).toBe(400)
    // The cookie of one session beside another's.
    const of_lena = await begin(one, 'begin')
    for (const [name, value] of one.jar) if (name.endsWith('-passkey')) mary.one.jar.set(name, value)
    const body = { name: 'x', response: authenticator(SITE).make(of_lena) }
    expect((await mary.one.send('POST', '/passkeys', body)).status).toBe(400)
  })

  test('is begun sixty times a minute from one address, and no more', async () => {
    const one = browser()
    const headers = { 'x-forwarded-for': '203.0.113.77' }
    const statuses: number[] = []
    for (let time = 0; time < 62; time++)
      statuses.push((await one.send('POST', '/passkeys/sign-in/begin', undefined, headers)).status)
    expect(statuses).toEqual([...Array(60).fill(200), 429, 429])
  })
})

describe('a counter', () => {
  test('that goes back or stands still is refused, and the person is told in a mail', async () => {
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

  test('of two uses at the same moment counts for both', async () => {
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
    ['by an answer that signs in', { type: 'webauthn.get' }],
    ['by a device that did not verify its user', { flags: 0b001 }],
    ['with a statement about the device, whose certificates would have to be looked up', { fmt: 'fido-u2f' }],
    ['with a statement in a form that nobody knows', { fmt: 'x' }],
  ])('is refused %s', async (what, lie) => {
    const name = `pia-${[...what].length}`
    await owner(name)
    const one = await at(name)
    expect(await errorOf(await add(one, authenticator(SITE), lie))).toMatchObject({
      status: 400,
      code: 'passkey_not_valid',
    })
  })

  test('and removing need a fresh sign-in; naming does not, and nobody names or removes another’s', async () => {
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

  test('one that is known is refused, also for another person', async () => {
    const { device } = await withPasskey('tina')
    await owner('ulla')
    expect(await errorOf(await add(await at('ulla'), device))).toMatchObject({
      status: 409,
      code: 'passkey_known',
    })
  })

  test('ends at twenty', async () => {
    await owner('vera')
    const vera = await at('vera')
    const statuses: number[] = []
    for (let time = 0; time < 21; time++) statuses.push((await add(vera, authenticator(SITE))).status)
    expect(statuses).toEqual([...Array(20).fill(200), 400])
  })

  test('and all of it is refused a session by key', async () => {
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

  test('makes the session fresh, under a new token', async () => {
    const { one, device } = await withPasskey('xena')
    clock.now_ms += 11 * MINUTE_MS
    const before = one.jar.get('__Host-tollgate')
    expect((await confirm(one, device)).status).toBe(200)
    expect(one.jar.get('__Host-tollgate')).not.toBe(before)
    expect((await clientOf(gateway, `__Host-tollgate=${before}`).send('GET', '/sessions')).status).toBe(401)
    expect((await add(one, authenticator(SITE))).status).toBe(200)
  })

  test('is none by another person’s passkey, and by a lie', async () => {
    const [yara, zoe] = [await withPasskey('yara'), await withPasskey('zoe')]
    clock.now_ms += 11 * MINUTE_MS
    expect(await errorOf(await confirm(yara.one, zoe.device))).toMatchObject({ code: 'other_person' })
    expect((await confirm(yara.one, yara.device, { origin: 'https://evil.example' })).status).toBe(401)
    expect((await yara.one.send('POST', '/passkeys/begin')).status).toBe(403)
  })
})

test('a sign-in by a passkey ends the session that the browser had: none that was planted is signed in', async () => {
  const { device } = await withPasskey('abby')
  await owner('mallory')
  const planted = await signedIn(gateway, { account: 'mallory' }, clock.now_ms)
  const one = browser(planted.cookie)
  expect((await signIn(device, {}, one)).status).toBe(200)
  expect(await viewerOf(one)).toMatchObject({ account: 'abby' })
  expect((await planted.send('GET', '/sessions')).status).toBe(401)
})

test('a person who is disabled has no session by passkey from that moment', async () => {
  const { device, person_id } = await withPasskey('bibi')
  const one = browser()
  expect((await signIn(device, {}, one)).status).toBe(200)
  await write('UPDATE people SET disabled_at_ms = 1 WHERE id = $person_id', { person_id })
  expect((await one.send('GET', '/sessions')).status).toBe(401)
})
