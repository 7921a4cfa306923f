// A person's own identities: linking, unlinking and confirming in a session, and signing out here and at the provider.
import { afterAll, describe, expect, test } from 'bun:test'
import { plugins } from '../../plugins/index.ts'
import { givePasswords } from '../support/console.ts'
import { signedIn } from '../support/console-session.ts'
import { eventually } from '../support/eventually.ts'
import { personAt, startProvider } from '../support/identity-provider.ts'
import { gatewaySpy } from '../support/plugins.ts'
import { browserAt, gatewayAddress, gatewayWith, type TestBrowser } from './scene.ts'

const address = gatewayAddress()
const provider = await startProvider(address.url, { people: { anna: {}, bert: {}, carla: {} } })
let now_ms = Date.now()
const spy = gatewaySpy()
const gateway = await gatewayWith(address, provider.lines('for = "both"'), {
  now: () => now_ms,
  plugins: [...plugins, spy.plugin],
})
afterAll(async () => {
  await gateway.stop()
  await provider[Symbol.asyncDispose]()
})
await gateway.account('alice')
await gateway.account('bob')
await givePasswords(gateway, ['alice'])

/** A browser with a new session, opened without the form. */
async function browserOf(who: 'operator' | { account: string }): Promise<TestBrowser> {
  const { cookie } = await signedIn(gateway, who, now_ms)
  const [name = '', value = ''] = cookie.split('=')
  const browser = browserAt(gateway)
  browser.cookies.set(name, value)
  return browser
}

async function goTo(browser: TestBrowser, purpose: 'link' | 'confirm', sub: string) {
  const { status, body } = await browser.send('POST', '/identities/start', { provider: 'real', purpose })
  if (status !== 200) return { status, body }
  const person = personAt(provider.issuer)
  return await browser.finish('real', await person.signIn(body.url, sub))
}

async function signIn(sub: string) {
  const [browser, person] = [browserAt(gateway), personAt(provider.issuer)]
  const back = await person.signIn((await browser.start('real')).href, sub)
  return { browser, person, ...(await browser.finish('real', back)) }
}

const identitiesOf = async (browser: TestBrowser) =>
  (await browser.send('GET', '/identities')).body.identities
const actions = (name: string) =>
  gateway.store.rows(`SELECT subject, before, after FROM actions WHERE action = '${name}' ORDER BY id`)
const sessionsOf = (account: string) =>
  gateway.store.rows(
    `SELECT s.id FROM sessions s JOIN accounts a ON a.id = s.account_id WHERE a.name = '${account}'`,
  )

describe('linking', () => {
  test('makes the identity a way to sign in, and is in the audit log', async () => {
    const browser = await browserOf({ account: 'alice' })
    expect((await browser.send('GET', '/identities')).body).toEqual({
      identities: [],
      providers: [{ name: 'real', title: 'Example ID' }],
    })
    expect(await goTo(browser, 'link', 'anna')).toEqual({
      status: 200,
      body: { purpose: 'link', next: '/settings' },
    })
    expect(await identitiesOf(browser)).toMatchObject([
      { provider: 'real', title: 'Example ID', email: null },
    ])
    expect(await actions('identity.linked')).toMatchObject([{ subject: 'alice' }])
    expect((await (await signIn('anna')).browser.viewer()).account).toBe('alice')
    // A second time changes nothing.
    expect((await goTo(browser, 'link', 'anna')).status).toBe(200)
    expect(await identitiesOf(browser)).toHaveLength(1)
  })

  test('another person’s identity is refused', async () => {
    const { status, body } = await goTo(await browserOf({ account: 'bob' }), 'link', 'anna')
    expect([status, body.error.code]).toEqual([409, 'identity_taken'])
  })

  test('and unlinking need a recent sign-in, for which the identity itself can be used', async () => {
    const browser = await browserOf({ account: 'alice' })
    now_ms += 11 * 60_000
    const [{ id }] = await identitiesOf(browser)
    for (const refused of [
      await goTo(browser, 'link', 'carla'),
      await browser.send('DELETE', `/identities/${id}`),
    ])
      expect([refused.status, refused.body.error.code]).toEqual([403, 'confirm_sign_in'])
    expect((await browser.send('GET', '/session/confirm')).body.ways).toEqual(['identity_providers'])
    const other = await goTo(browser, 'confirm', 'bert')
    expect([other.status, other.body.error.code]).toEqual([403, 'other_person'])
    const start = await browser.send('POST', '/identities/start', { provider: 'real', purpose: 'confirm' })
    expect(Object.fromEntries(new URL(start.body.url).searchParams)).toMatchObject({
      prompt: 'login',
      max_age: '0',
    })
    const before = browser.cookies.get('__Host-tollgate')
    expect(await goTo(browser, 'confirm', 'anna')).toEqual({
      status: 200,
      body: { purpose: 'confirm', next: '/settings' },
    })
    expect(browser.cookies.get('__Host-tollgate')).not.toBe(before)
    expect((await goTo(browser, 'link', 'carla')).status).toBe(200)
    now_ms = Date.now()
  })
})

describe('unlinking', () => {
  test('ends the other sessions that the identity opened, and prevents new ones', async () => {
    const browser = await browserOf({ account: 'alice' })
    const opened = (await signIn('carla')).browser
    const rows = await identitiesOf(browser)
    const { id } = rows.at(-1)
    expect((await browser.send('DELETE', `/identities/${id}`)).status).toBe(200)
    expect(await opened.viewer()).toBeNull()
    expect((await browser.viewer()).account).toBe('alice')
    const { status, body } = await signIn('carla')
    expect([status, body.error.code]).toEqual([403, 'identity_unknown'])
    expect(await actions('identity.unlinked')).toMatchObject([{ subject: 'alice' }])
  })

  test('another person’s identity is not found', async () => {
    const [{ id }] = await identitiesOf(await browserOf({ account: 'alice' }))
    const { status } = await (await browserOf({ account: 'bob' })).send('DELETE', `/identities/${id}`)
    expect(status).toBe(404)
  })

  test('the last way to sign in is refused', async () => {
    const browser = await browserOf({ account: 'bob' })
    expect((await goTo(browser, 'link', 'bert')).status).toBe(200)
    const [{ id }] = await identitiesOf(browser)
    const { status, body } = await browser.send('DELETE', `/identities/${id}`)
    expect([status, body.error.code]).toEqual([409, 'last_way_to_sign_in'])
    await givePasswords(gateway, ['bob'])
    expect((await browser.send('DELETE', `/identities/${id}`)).status).toBe(200)
  })
})

describe('signing out', () => {
  test('at the provider ends only the sessions of that provider session', async () => {
    const { browser, person } = await signIn('anna')
    const elsewhere = (await signIn('anna')).browser
    expect((await browser.viewer()).account).toBe('alice')
    const before = (await sessionsOf('alice')).length
    await provider.signOutThere(person)
    await eventually('the session ended', async () => (await browser.viewer()) === null)
    expect((await elsewhere.viewer()).account).toBe('alice')
    expect((await sessionsOf('alice')).length).toBe(before - 1)
    expect((await actions('session.ended')).at(-1)).toMatchObject({ after: expect.stringContaining('real') })
  })

  test('here offers once to sign out at the provider, too', async () => {
    const { browser, person } = await signIn('anna')
    expect((await browser.send('GET', '/identity-providers')).body.left).toBeNull()
    await browser.send('DELETE', '/session')
    expect((await browser.send('GET', '/identity-providers')).body.left).toEqual({
      name: 'real',
      title: 'Example ID',
    })
    const { url } = (await browser.send('POST', '/identity-providers/leave', {})).body
    expect(url).toStartWith(`${provider.issuer}/session/end?`)
    expect(new URL(url).searchParams.get('post_logout_redirect_uri')).toBe(`${address.url}/console`)
    expect(await person.get(url)).toContain('Do you want to sign-out')
    expect((await browser.send('GET', '/identity-providers')).body.left).toBeNull()
  })
})

test('closing an account deletes its identities', async () => {
  const { closeAccount } = await import('../../src/access/closing.ts')
  await closeAccount(gateway.store, 'alice', now_ms)
  expect(await gateway.store.rows('SELECT id FROM identities')).toEqual([])
  expect((await signIn('anna')).body.error.code).toBe('identity_unknown')
})

describe('identities and other plugins', () => {
  test('linking and unlinking raise the events that notify people', async () => {
    await gateway.account('nora')
    await givePasswords(gateway, ['nora'])
    const notices: unknown[] = []
    spy.gateway().people.sign_in_events.on(async (_, { kind, person, ...event }) => {
      notices.push([kind, person.name, 'change' in event ? event.change : ''])
    })
    const browser = await browserOf({ account: 'nora' })
    await goTo(browser, 'link', 'carla')
    const [{ id }] = await identitiesOf(browser)
    await browser.send('DELETE', `/identities/${id}`)
    expect(notices).toEqual([
      ['changed', 'nora', 'identity'],
      ['changed', 'nora', 'identity_removed'],
    ])
  })

  test('the only identity can be unlinked if there is another way to sign in, such as a passkey', async () => {
    await gateway.account('pia')
    const browser = await browserOf({ account: 'pia' })
    await goTo(browser, 'link', 'carla')
    const [{ id }] = await identitiesOf(browser)
    expect((await browser.send('DELETE', `/identities/${id}`)).body.error.code).toBe('last_way_to_sign_in')
    spy.gateway().people.sign_in_ways.push({ name: 'played', isOffered: () => true, isOf: () => true })
    expect((await browser.send('DELETE', `/identities/${id}`)).status).toBe(200)
  })
})
