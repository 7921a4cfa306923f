// Sessions of the console: links, signing in, the ends of a session, and its list.
import { describe, expect, test } from 'bun:test'
import { plugins } from '../../plugins/index.ts'
import { suspendAccount } from '../../src/access/accounts.ts'
import { closeAccount, reopenAccount } from '../../src/access/closing.ts'
import { keyByReference, revokeKey } from '../../src/access/keys.ts'
import { makeInvitation, makeOperatorsLink } from '../../src/access/sign-in-links.ts'
import { type ConsoleClient, type ConsoleUser, clientOf, signedIn } from '../support/console-session.ts'
import { eventually } from '../support/eventually.ts'
import { fileGateway } from '../support/gateway.ts'
import { gatewaySpy } from '../support/plugins.ts'

const HOUR_MS = 3_600_000
const PASSWORD = 'correct horse battery'
const clock = { now_ms: Date.now() }
const randomBytes = (count: number) => crypto.getRandomValues(new Uint8Array(count))
const issuing = () => ({ randomBytes, now_ms: now() })

const spy = gatewaySpy()
const gateway = await fileGateway({
  now: () => clock.now_ms,
  sweep_every_ms: HOUR_MS,
  plugins: [...plugins, spy.plugin],
})
/** The gateway's clock: with PostgreSQL it is ahead of the test's. */
const now = () => spy.gateway().calls.now()

const nobody = () => clientOf(gateway)
const cookieOf = (answer: Response) =>
  /^([^=]+=[^;]+)/.exec(answer.headers.get('set-cookie') ?? '')?.[1] ?? ''
const errorOf = async (answer: Response) =>
  ((await answer.json()) as { error: Record<string, unknown> }).error
const expectRefusal = async (answer: Response, status: number, error: object) =>
  expect([answer.status, await errorOf(answer)]).toEqual([status, expect.objectContaining(error)])
const withCookie = (answer: Response) => clientOf(gateway, cookieOf(answer))
const accept = (token: string, password = PASSWORD) =>
  nobody().send('POST', '/links/accept', { body: { token, password } })
const signIn = (body: object) => nobody().send('POST', '/session', { body })

const visit = (who: ConsoleUser) => signedIn(gateway, who, now())
/** 200 while the session is open. */
const statusOf = async (client: ConsoleClient | undefined) => (await client?.send('GET', '/sessions'))?.status

/** The stored time of the last use of any session, which is written after the answer. */
const newestUse = async () =>
  (await gateway.store.rows<{ seen: number }>('SELECT max(last_seen_at_ms) AS seen FROM sessions'))[0]?.seen

/** Creates an account with a password. @returns a client that is signed in */
async function accountWithPassword(name: string) {
  await gateway.account(name)
  const { token } = await makeInvitation(gateway.store, name, issuing())
  return withCookie(await accept(token))
}

describe('a link', () => {
  test('sets the operator’s password, signs in, and works once', async () => {
    expect(await nobody().json('GET', '/session')).toMatchObject({ viewer: null, operator_is_set: false })
    const { token } = await makeOperatorsLink(gateway.store, issuing())
    expect(await nobody().json('POST', '/links/look', { token })).toMatchObject({
      role: 'operator',
      account: null,
      has_password: false,
      min_password_chars: 12,
    })
    const answer = await accept(token)
    expect(answer.status).toBe(200)
    expect(await answer.clone().json()).toMatchObject({
      viewer: { role: 'operator' },
    })
    expect(await withCookie(answer).json('GET', '/session')).toMatchObject({
      viewer: { role: 'operator', account: null, key: null },
      operator_is_set: true,
    })
    const again = await accept(token, 'another good password')
    await expectRefusal(again, 404, { code: 'link_not_valid' })
    expect((await signIn({ password: PASSWORD })).status).toBe(200)
  })

  test('of an invitation is only for its account', async () => {
    await gateway.account('irene')
    const operator = await visit('operator')
    const { url } = await operator.json('POST', '/invitations', { account: 'irene' })
    expect(url).toStartWith(`${gateway.url.origin}/console/invitation#`)
    const token = new URL(url).hash.slice(1)
    expect(await nobody().json('POST', '/links/look', { token })).toMatchObject({
      role: 'account',
      account: 'irene',
    })
    const client = withCookie(await accept(token))
    expect(await client.json('GET', '/session')).toMatchObject({
      viewer: { role: 'owner', account: 'irene' },
    })
  })

  test('is replaced by a newer one, and expires', async () => {
    await gateway.account('ivan')
    const old = await makeInvitation(gateway.store, 'ivan', issuing())
    const late = await makeInvitation(gateway.store, 'ivan', issuing())
    expect((await accept(old.token)).status).toBe(404)
    clock.now_ms += 7 * 24 * HOUR_MS
    expect((await accept(late.token)).status).toBe(404)
    expect((await nobody().send('POST', '/links/look', { body: { token: late.token } })).status).toBe(404)
  })

  test('is not used up by a refused password', async () => {
    await gateway.account('ines')
    const { token } = await makeInvitation(gateway.store, 'ines', issuing())
    const short = await accept(token, 'short')
    await expectRefusal(short, 400, { param: 'password' })
    expect((await accept(token)).status).toBe(200)
  })

  test('is not used up by a browser without cookies; a browser that drops Secure ones gets a plain one', async () => {
    await gateway.account('isla')
    const { token } = await makeInvitation(gateway.store, 'isla', issuing())
    const body = { token, password: PASSWORD }
    const without = await clientOf(gateway, '').send('POST', '/links/accept', { body })
    await expectRefusal(without, 403, { code: 'cookie_not_kept' })

    // WebKit drops Secure cookies over plain HTTP on this machine.
    const kept = (answer: Response) =>
      answer.headers
        .getSetCookie()
        .filter((cookie) => !/; Secure/.test(cookie))
        .map((cookie) => cookie.split(';')[0])
        .join('; ')
    const looked = await clientOf(gateway, '').send('POST', '/links/look', { body: { token } })
    const accepted = await clientOf(gateway, kept(looked)).send('POST', '/links/accept', { body })
    expect(accepted.headers.get('set-cookie')).toMatch(
      /^tollgate=[^;]+; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict$/,
    )
    expect(await clientOf(gateway, kept(accepted)).json('GET', '/session')).toMatchObject({
      viewer: { role: 'owner', account: 'isla' },
    })
    const first = await clientOf(gateway, '').send('GET', '/session')
    const signed_in = await clientOf(gateway, kept(first)).send('POST', '/session', {
      body: { account: 'isla', password: PASSWORD },
    })
    const isla = clientOf(gateway, kept(signed_in))
    expect(await statusOf(isla)).toBe(200)
    expect((await isla.send('DELETE', '/session')).headers.getSetCookie()).toContain(
      'tollgate=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict',
    )
    expect(await statusOf(isla)).toBe(401)
  })

  test('ends the sessions by the previous password, not those by key', async () => {
    const before = await accountWithPassword('iris')
    const by_key = await visit({ key: await gateway.key('iris') })
    const { token } = await makeInvitation(gateway.store, 'iris', issuing())
    expect((await accept(token, 'a new good password')).status).toBe(200)
    expect(await statusOf(before)).toBe(401)
    expect(await statusOf(by_key)).toBe(200)
  })

  test('of a closed account is not valid, even after it reopens', async () => {
    await gateway.account('igor')
    const { token } = await makeInvitation(gateway.store, 'igor', issuing())
    await closeAccount(gateway.store, 'igor', now())
    expect((await accept(token)).status).toBe(404)
    await reopenAccount(gateway.store, 'igor')
    expect((await accept(token)).status).toBe(404)
  })
})

describe('signing in', () => {
  test('with an account’s password', async () => {
    await accountWithPassword('alice')
    const answer = await signIn({ account: 'alice', password: PASSWORD })
    expect(answer.status).toBe(200)
    expect(await withCookie(answer).json('GET', '/session')).toMatchObject({
      viewer: { role: 'owner', account: 'alice' },
    })
  })

  test('as the operator by that name, unless an account from an earlier version has it', async () => {
    expect((await signIn({ account: 'Operator', password: PASSWORD })).status).toBe(200)
    await gateway.account('olga')
    gateway.db.run("UPDATE accounts SET name = 'operator' WHERE name = 'olga'")
    expect((await signIn({ account: 'operator', password: PASSWORD })).status).toBe(401)
    gateway.db.run("UPDATE accounts SET name = 'olga' WHERE name = 'operator'")
  })

  test('with a key, which has fewer rights', async () => {
    await gateway.account('karl')
    const answer = await signIn({ key: await gateway.key('karl', { name: 'desk' }) })
    expect(await answer.json()).toMatchObject({
      viewer: {
        role: 'key',
        account: 'karl',
        key: { name: 'desk' },
        rights: ['read', 'see_contents', 'leave', 'call'],
      },
    })
  })

  test('sets a cookie that scripts cannot read and other sites cannot send', async () => {
    const answer = await signIn({ account: 'alice', password: PASSWORD })
    expect(answer.headers.get('set-cookie')).toMatch(
      /^__Host-tollgate=[A-Za-z0-9_-]{43}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Strict; Secure$/,
    )
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(await answer.text()).not.toContain(cookieOf(answer).split('=')[1] ?? '-')
  })

  test('fails with the same error for a wrong password, an account without one, and an unknown account', async () => {
    await gateway.account('nopass')
    const answers = [
      await signIn({ account: 'alice', password: 'wrong password here' }),
      await signIn({ account: 'nopass', password: PASSWORD }),
      await signIn({ account: 'nobody', password: PASSWORD }),
      await signIn({ password: 'wrong password here' }),
      await signIn({ account: 'alice', password: '' }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401])
    const errors = await Promise.all(answers.map(errorOf))
    expect(new Set(errors.map((error) => JSON.stringify(error))).size).toBe(1)
    expect(errors[0]).toMatchObject({ code: 'wrong_password' })
    expect(answers.every(({ headers }) => !headers.has('set-cookie'))).toBe(true)
  })

  test.each([
    ['a wrong key', { key: `tg_${'x'.repeat(43)}` }, 401],
    ['an empty key', { key: '' }, 401],
    ['an empty body', {}, 400],
    ['both a key and a password', { key: 'tg_x', password: PASSWORD }, 400],
    ['an unknown field', { password: PASSWORD, remember: true }, 400],
    ['a number', { password: 123_456_789_012 }, 400],
    ['an array', [], 400],
  ])('with %s is refused', async (_, body, status) => {
    expect((await signIn(body)).status).toBe(status)
  })

  test('replaces the previous session of the browser', async () => {
    const before = withCookie(await signIn({ account: 'alice', password: PASSWORD }))
    const answer = await before.send('POST', '/session', { body: { account: 'alice', password: PASSWORD } })
    expect(cookieOf(answer)).not.toBe(before.cookie)
    expect(await statusOf(before)).toBe(401)
    expect(await statusOf(withCookie(answer))).toBe(200)
  })
})

describe('a session ends', () => {
  test('at sign-out, together with its cookie', async () => {
    const client = await visit({ account: 'alice' })
    const answer = await client.send('DELETE', '/session')
    expect(answer.status).toBe(200)
    expect(answer.headers.getSetCookie()).toEqual([
      '__Host-tollgate=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict; Secure',
      'tollgate=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict',
    ])
    expect(await statusOf(client)).toBe(401)
  })

  test('with all sessions of the account, by key, too, and with no others', async () => {
    await gateway.account('edna')
    const key = await gateway.key('edna')
    const [one, other, by_key, operator] = [
      await visit({ account: 'edna' }),
      await visit({ account: 'edna' }),
      await visit({ key }),
      await visit('operator'),
    ]
    expect(await one.json('DELETE', '/sessions')).toEqual({ ended: 3 })
    for (const client of [one, other, by_key]) expect(await statusOf(client)).toBe(401)
    expect(await statusOf(operator)).toBe(200)
  })

  test('after a day without a request, or after a week', async () => {
    const idle = await visit({ account: 'alice' })
    const busy = await visit({ account: 'alice' })
    for (let hours = 0; hours < 167; hours += 23) {
      expect(await statusOf(busy)).toBe(200)
      await eventually('the session was marked as seen', async () => (await newestUse()) === now())
      clock.now_ms += 23 * HOUR_MS
      if (hours === 0) expect((await idle.send('GET', '/session')).status).toBe(200)
    }
    expect(await statusOf(busy)).toBe(401)
    expect(await statusOf(idle)).toBe(401)
  })

  test('later after each use, which is stored once a minute', async () => {
    await gateway.account('uwe')
    const opened_ms = now()
    const client = await signedIn(gateway, { account: 'uwe' }, opened_ms)
    const row = () =>
      gateway.db
        .query<{ seen: number; ends: number }, []>(
          "SELECT last_seen_at_ms AS seen, expires_at_ms AS ends FROM sessions JOIN accounts a ON a.id = account_id WHERE a.name = 'uwe'",
        )
        .get()
    clock.now_ms += 59_999
    await client.json('GET', '/sessions')
    expect(row()).toEqual({ seen: opened_ms, ends: opened_ms + 24 * HOUR_MS })
    clock.now_ms += 1
    await client.json('GET', '/sessions')
    await eventually('the session was marked as seen', async () => row()?.seen === opened_ms + 60_000)
    expect(row()?.ends).toBe(opened_ms + 60_000 + 24 * HOUR_MS)
  })

  test('when its key is revoked or expires', async () => {
    await gateway.account('kira')
    const revoked = await gateway.key('kira')
    const expiring = await gateway.key('kira', { expires_at_ms: now() + 1_000 })
    const [one, other] = await Promise.all([revoked, expiring].map((key) => visit({ key })))
    expect(await statusOf(one)).toBe(200)
    await revokeKey(gateway.store, revoked.slice(0, 10), now())
    expect(await statusOf(one)).toBe(401)
    expect(await statusOf(other)).toBe(200)
    clock.now_ms += 1_000
    expect(await statusOf(other)).toBe(401)
    expect((await keyByReference(gateway.store, expiring.slice(0, 10))).revoked_at_ms).toBeNull()
  })

  test('when its account is closed, but not when it is suspended', async () => {
    const client = await accountWithPassword('sue')
    await suspendAccount(gateway.store, 'sue', { now_ms: 0 })
    expect(await statusOf(client)).toBe(200)
    expect((await signIn({ account: 'sue', password: PASSWORD })).status).toBe(200)
    await reopenAccount(gateway.store, 'sue')
    expect(await statusOf(client)).toBe(200)
    await closeAccount(gateway.store, 'sue', now())
    expect(await statusOf(client)).toBe(401)
    await reopenAccount(gateway.store, 'sue')
    expect(await statusOf(client)).toBe(401)
    expect((await signIn({ account: 'sue', password: PASSWORD })).status).toBe(401)
  })

  test('by key at an address off the key’s list', async () => {
    await gateway.account('lena')
    const client = await visit({ key: await gateway.key('lena', { addresses: ['203.0.113.7'] }) })
    expect(await statusOf(client)).toBe(403)
  })

  test('if it is the oldest of more than fifty of one person', async () => {
    await gateway.account('many')
    const clients: ConsoleClient[] = []
    for (let n = 0; n < 51; n++) clients.push(await visit({ account: 'many' }))
    expect(await statusOf(clients[0])).toBe(401)
    expect(await statusOf(clients[1])).toBe(200)
  })
})

describe('sessions are listed', () => {
  test('in pages, to their owners, and all of them to the operator', async () => {
    await gateway.account('lisa')
    await gateway.account('lars')
    const key = await gateway.key('lisa', { name: 'desk' })
    const [lisa, by_key, lars, operator] = [
      await visit({ account: 'lisa' }),
      await visit({ key }),
      await visit({ account: 'lars' }),
      await visit('operator'),
    ]
    const seen = async (client: typeof lisa, query = '') =>
      (
        (await client.json('GET', `/sessions${query}`)) as {
          sessions: { id: number; role: string; account: string | null }[]
        }
      ).sessions
    expect((await seen(lisa)).map(({ role }) => role)).toEqual(['key', 'account'])
    expect(await seen(by_key)).toMatchObject([
      { role: 'key', account: 'lisa', key: { name: 'desk' }, is_current: true },
    ])
    expect(await seen(lisa, '?whose=all')).toHaveLength(2)
    expect((await seen(operator)).every(({ role }) => role === 'operator')).toBe(true)
    expect((await seen(operator, '?whose=all')).map(({ account }) => account)).toContain('lars')

    const first = await lisa.json('GET', '/sessions?limit=1')
    expect(first.sessions).toMatchObject([{ role: 'key' }])
    expect(first.next_cursor).toBeGreaterThan(0)
    const second = await lisa.json('GET', `/sessions?limit=1&cursor=${first.next_cursor}`)
    expect(second).toMatchObject({ sessions: [{ role: 'account', is_current: true }], next_cursor: null })

    const [lars_session] = await seen(lars)
    expect((await lisa.send('DELETE', `/sessions/${lars_session?.id}`)).status).toBe(404)
    expect((await by_key.send('DELETE', `/sessions/${second.sessions[0].id}`)).status).toBe(404)
    expect(await statusOf(lars)).toBe(200)
    expect((await operator.send('DELETE', `/sessions/${lars_session?.id}`)).status).toBe(200)
    expect(await statusOf(lars)).toBe(401)
    expect((await lisa.send('DELETE', `/sessions/${first.sessions[0].id}`)).status).toBe(200)
    expect(await statusOf(by_key)).toBe(401)
  })
})

describe('a password', () => {
  test('is changed by the old one, which ends the other sessions and the link', async () => {
    const client = await accountWithPassword('paul')
    const { token } = await makeInvitation(gateway.store, 'paul', issuing())
    const other = await visit({ account: 'paul' })
    const change = (old_password: string, new_password: string) =>
      client.send('PUT', '/password', { body: { old_password, new_password } })
    const wrong = await change('not the old one', 'a new good password')
    await expectRefusal(wrong, 403, { param: 'old_password' })
    const short = await change(PASSWORD, 'short')
    await expectRefusal(short, 400, { param: 'new_password' })
    expect(await statusOf(other)).toBe(200)
    expect((await change(PASSWORD, 'a new good password')).status).toBe(200)
    expect(await statusOf(client)).toBe(200)
    expect(await statusOf(other)).toBe(401)
    expect((await accept(token, 'a password of somebody else')).status).toBe(404)
    expect((await signIn({ account: 'paul', password: PASSWORD })).status).toBe(401)
    expect((await signIn({ account: 'paul', password: 'a new good password' })).status).toBe(200)
  })

  test('cannot be changed in a session by key', async () => {
    await gateway.account('pia')
    const client = await visit({ key: await gateway.key('pia') })
    const body = { old_password: PASSWORD, new_password: 'a new good password' }
    expect((await client.send('PUT', '/password', { body })).status).toBe(403)
  })
})
