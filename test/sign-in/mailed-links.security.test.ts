// Mailed links that sign in or set a new password: each works once, only for its person; a request for one reveals nothing.
import { describe, expect, test } from 'bun:test'
import { plugins } from '../../plugins/index.ts'
import { changeDetails } from '../../src/access/account-details.ts'
import { setStatus } from '../../src/access/accounts.ts'
import { closeAccount } from '../../src/access/closing.ts'
import type { Gateway } from '../../src/app/surface/gateway.ts'
import { clientOf, errorOf, signedIn } from '../support/console-session.ts'
import { eventually } from '../support/eventually.ts'
import { pluginsOver } from '../support/plugins.ts'
import { cookieOf, fileMailScene, MINUTE_MS, PUBLIC_URL, tokenIn } from './mail-scene.ts'

const PASSWORD = 'a password of her own'

/** Delays the writes of the sign-in routes while it is closed. */
const gate = { closed: undefined as Promise<void> | undefined, waiting: 0 }
function gated({ db, ...gateway }: Gateway): Gateway {
  const begin: typeof db.begin = async (...args) => {
    if (gate.closed) gate.waiting += 1
    await gate.closed
    return await db.begin(...args)
  }
  const slow = new Proxy(db, {
    get(target, name) {
      if (name === 'begin') return begin
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  return { ...gateway, db: slow }
}
const scene = await fileMailScene({
  plugins: plugins.map((plugin) =>
    plugin.name === 'sign-in' ? (pluginsOver([plugin], gated)[0] ?? plugin) : plugin,
  ),
})
const { gateway, clock, owner, from, mailsTo, write } = scene

let visitors = 0
/** A visitor with a new address. */
const visitor = () => from(`198.51.100.${++visitors}`)
const requestLink = (email: string, purpose = 'sign_in', who = visitor()) =>
  who.send('POST', '/mailed-links', { email, purpose })
const signIn = (token: string, who = visitor()) => who.send('POST', '/links/sign-in', { token })
const setPassword = (token: string) => visitor().send('POST', '/links/accept', { token, password: PASSWORD })

/** Requests a link. @returns the token of the mailed link */
async function linkFor(email: string, purpose: 'sign_in' | 'reset' = 'sign_in'): Promise<string> {
  clock.now_ms += 2 * MINUTE_MS
  const before = (await mailsTo(email, 0)).length
  expect((await requestLink(email, purpose)).status).toBe(200)
  const mails = await mailsTo(email, before + 1)
  return tokenIn(mails.at(-1), purpose === 'sign_in' ? 'sign-in-link' : 'new-password')
}

describe('a link that signs in', () => {
  test('signs its person in, and the list of sessions says so', async () => {
    const { email } = await owner('anna')
    const token = await linkFor(email)
    expect(await (await visitor().send('POST', '/links/look', { token })).json()).toMatchObject({
      purpose: 'sign_in',
      person: 'anna',
      account: 'anna',
      email,
    })
    const answer = await signIn(token)
    expect(await answer.clone().json()).toMatchObject({ viewer: { role: 'owner', account: 'anna' } })
    const anna = clientOf(gateway, cookieOf(answer))
    const { sessions } = await anna.json('GET', '/sessions')
    expect(sessions).toMatchObject([{ proof: 'link', is_current: true }])
    expect(gateway.log.text()).not.toContain(token)
  })

  test('signs in once, even by simultaneous uses', async () => {
    const { email } = await owner('beth')
    const token = await linkFor(email)
    const answers = await Promise.all([signIn(token), signIn(token), signIn(token)])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404])
    expect((await signIn(token)).status).toBe(404)
  })

  test('expires after 15 minutes', async () => {
    const { email } = await owner('cora')
    const [late, just] = [await linkFor(email), clock.now_ms]
    clock.now_ms = just + 15 * MINUTE_MS
    expect(await errorOf(await signIn(late))).toMatchObject({ status: 404, code: 'link_not_valid' })
    const token = await linkFor(email)
    clock.now_ms += 15 * MINUTE_MS - 1
    expect((await signIn(token)).status).toBe(200)
  })

  test('is not used up by a program that follows links with GET', async () => {
    const { email } = await owner('dora')
    const token = await linkFor(email)
    for (const path of ['/console/sign-in-link', `/console/sign-in-link?token=${token}`]) {
      const page = await fetch(new URL(path, gateway.url))
      expect([page.status, page.headers.has('set-cookie')]).toEqual([200, false])
      expect(await page.text()).not.toContain(token)
    }
    for (const method of ['GET', 'HEAD', 'OPTIONS']) {
      const answer = await visitor().send(method, `/links/sign-in?token=${token}`)
      expect([method, answer.status]).toEqual([method, method === 'OPTIONS' ? answer.status : 404])
    }
    await visitor().send('POST', '/links/look', { token })
    expect((await signIn(token)).status).toBe(200)
  })

  test('is not used up by a browser without cookies, or by a page of another site', async () => {
    const { email } = await owner('edda')
    const token = await linkFor(email)
    expect(await errorOf(await signIn(token, from('198.51.100.200', '')))).toMatchObject({
      status: 403,
      code: 'cookie_not_kept',
    })
    const foreign = await clientOf(gateway).send('POST', '/links/sign-in', {
      body: { token },
      origin: 'https://evil.example',
    })
    expect([foreign.status, foreign.headers.has('set-cookie')]).toEqual([403, false])
    expect((await signIn(token)).status).toBe(200)
  })

  test('is replaced by a newer one with the same purpose', async () => {
    const { email } = await owner('fay')
    const [first, reset] = [await linkFor(email), await linkFor(email, 'reset')]
    const second = await linkFor(email)
    expect((await signIn(first)).status).toBe(404)
    expect((await setPassword(reset)).status).toBe(200)
    // A new password ends all earlier links.
    expect((await signIn(second)).status).toBe(404)
  })

  test('cannot set a password, and a link that sets one cannot sign in', async () => {
    const { email } = await owner('gail')
    const [sign_in, reset] = [await linkFor(email), await linkFor(email, 'reset')]
    expect((await setPassword(sign_in)).status).toBe(404)
    expect((await signIn(reset)).status).toBe(404)
    expect((await signIn(sign_in)).status).toBe(200)
  })

  test('replaces the previous session of the browser, so that a planted one is useless', async () => {
    const { email } = await owner('hana')
    await owner('mallory')
    const planted = await signedIn(gateway, { account: 'mallory' }, clock.now_ms)
    const token = await linkFor(email)
    const answer = await signIn(token, from('198.51.100.201', `${planted.cookie}; __Host-tollgate-probe=1`))
    expect(await answer.clone().json()).toMatchObject({ viewer: { account: 'hana' } })
    expect(cookieOf(answer)).not.toBe(planted.cookie)
    expect((await planted.send('GET', '/sessions')).status).toBe(401)
  })

  test('leads to public_url, regardless of Host and Origin of the request', async () => {
    const { email } = await owner('ida')
    clock.now_ms += 2 * MINUTE_MS
    const headers = {
      host: 'evil.example',
      'x-forwarded-host': 'evil.example',
      forwarded: 'host=evil.example',
    }
    const body = { email, purpose: 'sign_in' }
    await clientOf(gateway).send('POST', '/mailed-links', { body, headers, origin: 'http://evil.example' })
    await clientOf(gateway).send('POST', '/mailed-links', {
      body,
      headers: { ...headers, host: gateway.url.host },
    })
    const [mail] = await mailsTo(email, 1)
    expect(mail?.raw).not.toContain('evil.example')
    expect(tokenIn(mail, 'sign-in-link')).toHaveLength(32)
    expect(mail?.text).toContain(`${PUBLIC_URL}/console/sign-in-link#`)
  })

  test('is refused if its person was disabled or their account closed meanwhile', async () => {
    const [jana, kira] = [await owner('jana'), await owner('kira')]
    const tokens = [await linkFor(jana.email), await linkFor(kira.email)]
    await write('UPDATE people SET disabled_at_ms = 1 WHERE id = $person_id', { person_id: jana.person_id })
    await closeAccount(gateway.store, 'kira', clock.now_ms)
    for (const token of tokens) expect((await signIn(token)).status).toBe(404)
  })
})

describe('a person with a second account', () => {
  test.each(['suspended', 'closed'])('signs in to it by every proof once the first is %s', async (state) => {
    const first = await owner(`${state}-first`)
    const second = await owner(`${state}-second`)
    await write(
      `INSERT INTO memberships (person_id, account_id, role, created_at_ms) VALUES ($person_id, $account_id, 'member', 1)`,
      { person_id: first.person_id, account_id: second.account.id },
    )
    const [sign_in, reset] = [await linkFor(first.email), await linkFor(first.email, 'reset')]
    if (state === 'closed') await closeAccount(gateway.store, first.account.name, clock.now_ms)
    else await gateway.store.begin((tx) => setStatus(tx, first.account.name, 'suspended'))
    const into = { viewer: { role: 'member', account: second.account.name } }
    expect(await (await signIn(sign_in)).json()).toMatchObject(into)
    const answer = await setPassword(reset)
    expect(await answer.clone().json()).toMatchObject(into)
    const withPassword = async (account: string) =>
      await (await visitor().send('POST', '/session', { account, password: PASSWORD })).json()
    expect(await withPassword(first.email)).toMatchObject(into)
    // A person who names the suspended account wants to see why.
    expect(await withPassword(first.account.name)).toMatchObject(
      state === 'closed' ? into : { viewer: { account: first.account.name, suspension: { words: '' } } },
    )
    expect(await linkFor(first.email)).toHaveLength(32)
    const { sides } = await clientOf(gateway, cookieOf(answer)).json('GET', '/session/accounts')
    const names = [second, ...(state === 'closed' ? [] : [first])].map(({ account }) => account.name)
    expect(sides.map(({ account }: { account: string }) => account).toSorted()).toEqual(names.toSorted())
    const back = await clientOf(gateway, `${cookieOf(answer)}; __Host-tollgate-probe=1`).send(
      'PUT',
      '/session/account',
      { body: { account_id: first.account.id } },
    )
    expect(back.status).toBe(state === 'closed' ? 404 : 200)
  })
})

describe('the invitation of an account, whose owner has a second one,', () => {
  test.each([
    ['is mailed to the owner’s verified address', true],
    ['without a verified address is a link for the operator, and refused for support', false],
  ])('%s', async (_, verified) => {
    const name = `shared-${verified}`
    const { person_id, email, account } = await owner(name, { verified })
    const other = await owner(`${name}-other`)
    const board = `board-of-${name}@example.org`
    await changeDetails(gateway.store, name, { email: board })
    const operator = await signedIn(gateway, 'operator', clock.now_ms)
    const support = await signedIn(gateway, { staff: 'support' }, clock.now_ms)
    const invite = async () => await operator.json('POST', '/invitations', { account: account.name })
    expect(await invite()).toMatchObject({ mailed_to: board, url: null })
    await write(
      `INSERT INTO memberships (person_id, account_id, role, created_at_ms) VALUES ($person_id, $account_id, 'owner', 1)`,
      { person_id, account_id: other.account.id },
    )
    expect(await invite()).toMatchObject(
      verified ? { mailed_to: email, url: null } : { mailed_to: null, url: expect.any(String) },
    )
    const answer = await support.send('POST', '/invitations', { body: { account: account.name } })
    if (verified) expect(await answer.json()).toMatchObject({ mailed_to: email, url: null })
    else expect(await errorOf(answer)).toMatchObject({ status: 409, code: 'no_email' })
  })
})

describe('a link that sets a new password', () => {
  test('sets it, ends all sessions, and the person gets a mail', async () => {
    const { email } = await owner('lena')
    const session = await signedIn(gateway, { account: 'lena' }, clock.now_ms)
    const token = await linkFor(email, 'reset')
    expect((await setPassword(token)).status).toBe(200)
    expect((await setPassword(token)).status).toBe(404)
    expect((await session.send('GET', '/sessions')).status).toBe(401)
    const subjects = (await mailsTo(email, 3)).map((mail) => mail.header('subject'))
    expect(subjects).toContain('Your sign-in to Tollgate was changed')
    const who = visitor()
    expect((await who.send('POST', '/session', { account: 'lena', password: PASSWORD })).status).toBe(200)
  })
})

describe('a request for a link', () => {
  const people: Record<string, string> = {}
  const KINDS = ['nobody', 'unverified', 'disabled', 'closed', 'nowhere', 'known'] as const

  test('has the same answer for every address, and mails only a verified one of a person who can sign in', async () => {
    for (const kind of KINDS) people[kind] = `${kind}@example.org`
    await owner('unverified', { verified: false })
    const disabled = await owner('disabled')
    await write('UPDATE people SET disabled_at_ms = 1 WHERE id = $id', { id: disabled.person_id })
    await owner('closed')
    await closeAccount(gateway.store, 'closed', clock.now_ms)
    const nowhere = await owner('nowhere')
    await write('DELETE FROM memberships WHERE person_id = $id', { id: nowhere.person_id })
    await owner('known')

    for (const purpose of ['sign_in', 'reset']) {
      const answers = await Promise.all(KINDS.map((kind) => requestLink(people[kind] ?? '', purpose)))
      const seen = await Promise.all(
        answers.map(async (answer) => {
          const headers = Object.fromEntries(answer.headers)
          delete headers['x-request-id']
          delete headers.date
          return { status: answer.status, headers, body: await answer.text() }
        }),
      )
      for (const one of seen) expect(one).toEqual(seen[0] as (typeof seen)[number])
      expect(seen[0]?.status).toBe(200)
    }
    await mailsTo('known@example.org', 2)
    for (const kind of KINDS.filter((one) => one !== 'known'))
      expect([kind, await mailsTo(people[kind] ?? '', 0)]).toEqual([kind, []])
  })

  test('is answered before the look-up, so that its duration reveals nothing', async () => {
    await owner('slow')
    const { promise, resolve } = Promise.withResolvers<void>()
    gate.closed = promise
    try {
      for (const email of ['slow@example.org', 'nobody-at-all@example.org'])
        expect((await requestLink(email)).status).toBe(200)
      // Both look-ups wait at the gate, whether the address is known or not.
      await eventually('both wait', () => gate.waiting === 2)
    } finally {
      gate.closed = undefined
      resolve()
    }
    await mailsTo('slow@example.org', 1)
  })

  test.each<[string, unknown]>([
    ['a header after a line break', 'anna@example.org\r\nBcc: evil@example.com'],
    ['HTML', '<b>anna</b>@example.org'],
    ['several addresses', 'anna@example.org,evil@example.com'],
    ['a look-alike in another script', 'аnna@example.org'],
    ['a text without an at sign', 'anna'],
    ['a number', 7],
    ['a very long address', `${'a'.repeat(300)}@example.org`],
  ])('is refused for %s in place of an address', async (_, email) => {
    const before = scene.smtp.received.length
    const answer = await visitor().send('POST', '/mailed-links', { email, purpose: 'sign_in' } as object)
    expect(await errorOf(answer)).toMatchObject({ status: 400, param: 'email' })
    expect(scene.smtp.received.length).toBe(before)
  })

  test('is limited to one mail a minute and five requests an hour for each address, known or not', async () => {
    const { email } = await owner('mary')
    clock.now_ms += 2 * MINUTE_MS
    for (const address of [email, 'unknown-mary@example.org']) {
      const statuses: number[] = []
      for (let time = 0; time < 7; time++) statuses.push((await requestLink(address)).status)
      expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429])
    }
    expect(await mailsTo(email, 1)).toHaveLength(1)
  })

  test('is limited to twenty an hour from one network address', async () => {
    const one = from('203.0.113.99')
    const statuses: number[] = []
    for (let time = 0; time < 22; time++)
      statuses.push((await requestLink(`somebody-${time}@example.org`, 'sign_in', one)).status)
    expect(statuses).toEqual([...Array(20).fill(200), 429, 429])
  })
})

test('guesses at a link are limited to twenty a minute, and the right link still works', async () => {
  const { email } = await owner('nora')
  const token = await linkFor(email)
  const one = from('203.0.113.98')
  const statuses: number[] = []
  for (let guess = 0; guess < 25; guess++)
    statuses.push((await signIn(`${guess}`.padStart(32, 'A'), one)).status)
  expect(statuses).toEqual([...Array(20).fill(404), ...Array(5).fill(429)])
  expect((await signIn(token, one)).status).toBe(200)
})
