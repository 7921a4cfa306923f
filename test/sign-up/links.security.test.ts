// The link of a sign-up: an address belongs only to the owner of the mailbox, and a link creates one account.
import { afterAll, describe, expect, test } from 'bun:test'
import { claimEmail, personOfEmail, setUnverifiedEmail } from '../../src/access/emails.ts'
import { clientOf } from '../support/console-session.ts'
import { personAtConsole } from '../support/people.ts'
import { outcomeOf, PASSWORD, PUBLIC_URL, signUpScene } from './scene.ts'

const clock = { ahead_ms: 0 }
const at = await signUpScene({ now: () => Date.now() + clock.ahead_ms })
afterAll(() => at[Symbol.asyncDispose]())
const { gateway } = at

const ask = async (email: string, count = 1) => {
  expect(await outcomeOf(await at.stranger().ask(email))).toEqual({ status: 200 })
  return await at.tokenFor(email, count)
}
const finish = (token: string, name: string) =>
  at.stranger().finish({ token, name, password: PASSWORD, terms: null })
const accountsLike = (name: string) =>
  gateway.rows().accounts.filter((account) => account.name.startsWith(name))

describe('a pre-registered address', () => {
  test('is not bound to a stranger who asked first: the owner of the mailbox chooses name and password', async () => {
    // A stranger signs up with a victim's address: this creates no account, person, session or password.
    const stranger = at.stranger()
    const answer = await stranger.ask('victim@example.org')
    expect(await answer.json()).toEqual({ done: true })
    expect(answer.headers.get('set-cookie')).toBeNull()
    expect(await personOfEmail(gateway.store, 'victim@example.org')).toBeUndefined()
    // The victim signs up later. The link of the stranger's request is no longer valid.
    const first = await at.tokenFor('victim@example.org')
    const second = await ask('victim@example.org', 2)
    expect(await outcomeOf(await finish(first, 'thief'))).toEqual({ status: 404, code: 'link_not_valid' })
    expect((await finish(second, 'victim')).status).toBe(200)
    expect(accountsLike('thief')).toEqual([])
  })

  test('that is unverified at another account goes to the person who verifies it', async () => {
    const account = await gateway.account('squatter')
    const person_id = await personAtConsole(gateway.store, account.id)
    await gateway.store.begin((tx) => setUnverifiedEmail(tx, { person_id, email: 'owner@example.org' }))
    expect((await finish(await ask('owner@example.org'), 'owner-of-it')).status).toBe(200)
    const holder = await personOfEmail(gateway.store, 'owner@example.org')
    expect([holder?.id === person_id, holder?.email_verified_at_ms !== null]).toEqual([false, true])
  })

  test('that another person verifies meanwhile gets no second account', async () => {
    const token = await ask('meanwhile@example.org')
    const account = await gateway.account('faster')
    const person_id = await personAtConsole(gateway.store, account.id)
    await gateway.store.begin((tx) =>
      claimEmail(tx, { person_id, email: 'meanwhile@example.org', now_ms: 5 }),
    )
    expect(await outcomeOf(await finish(token, 'meanwhile'))).toEqual({ status: 409, code: 'has_account' })
    expect(accountsLike('meanwhile')).toEqual([])
  })
})

describe('a link', () => {
  test('creates one account in four simultaneous uses', async () => {
    const token = await ask('twice@example.org')
    const answers = await Promise.all(
      ['twice-a', 'twice-b', 'twice-c', 'twice-d'].map((name) => finish(token, name)),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404])
    expect(accountsLike('twice')).toHaveLength(1)
    expect(await outcomeOf(await finish(token, 'twice-e'))).toEqual({ status: 404, code: 'link_not_valid' })
  })

  test('stays valid for another name if a simultaneous sign-up got the first one', async () => {
    const tokens = [await ask('same-a@example.org'), await ask('same-b@example.org')]
    const answers = await Promise.all(tokens.map((token) => finish(token, 'same')))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400])
    const unused = tokens[answers.findIndex(({ status }) => status === 400)] ?? ''
    expect((await finish(unused, 'same-2')).status).toBe(200)
  })

  test('is not used up by the GET and HEAD requests of a scanner', async () => {
    const token = await ask('scanned@example.org')
    for (const path of [
      `/console/sign-up/confirm`,
      `/console/api/sign-up/look?token=${token}`,
      `/console/api/sign-up/finish?token=${token}`,
    ])
      for (const method of ['GET', 'HEAD']) await fetch(new URL(path, gateway.url), { method })
    for (let times = 0; times < 3; times += 1) expect((await at.stranger().look(token)).status).toBe(200)
    expect((await finish(token, 'scanned')).status).toBe(200)
  })

  test('has its token after the #, so that no server gets it', async () => {
    await ask('fragment@example.org')
    const [mail] = await at.mailsTo('fragment@example.org', 1)
    expect(mail?.text).toMatch(/https:\/\/gateway\.example\.com\/console\/sign-up\/confirm#[\w-]{32}/)
  })

  test('is built from public_url, regardless of the Host header', async () => {
    const body = JSON.stringify({ email: 'host@example.org' })
    const headers = {
      'content-type': 'application/json',
      origin: PUBLIC_URL,
      host: 'evil.example',
      'x-forwarded-host': 'evil.example',
      forwarded: 'host=evil.example',
    }
    await fetch(new URL('/console/api/sign-up', gateway.url), { method: 'POST', body, headers })
    const [mail] = await at.mailsTo('host@example.org', 1)
    expect(mail?.raw).not.toContain('evil.example')
    expect(mail?.text).toContain(`${PUBLIC_URL}/console/sign-up/confirm#`)
  })

  test.each(['', 'x', 'x'.repeat(32), 'x'.repeat(256), '../../etc', "' OR 1=1 --aaaaaaaaaaaaaaaaaaaaaa"])(
    'with the token %p is not found',
    async (token) => {
      expect(await outcomeOf(await at.stranger().look(token))).toEqual({
        status: 404,
        code: 'link_not_valid',
      })
      expect(await outcomeOf(await finish(token, 'guessed'))).toEqual({ status: 404, code: 'link_not_valid' })
    },
  )

  test('cannot be guessed, because further guesses get 429', async () => {
    const guesser = at.stranger()
    const statuses: number[] = []
    for (let times = 0; times < 30; times += 1)
      statuses.push((await guesser.look(String(times).padStart(32, 'x'))).status)
    expect(statuses.slice(0, 20)).toEqual(Array(20).fill(404))
    expect(statuses.slice(20)).toEqual(Array(10).fill(429))
  })

  test('ends the previous session of the browser (session fixation)', async () => {
    const answer = await finish(await ask('before@example.org'), 'before')
    const old = answer.headers.get('set-cookie')?.split(';')[0] ?? ''
    const token = await ask('after@example.org')
    const client = clientOf(gateway, `${old}; __Host-tollgate-probe=1`)
    const next = await client.send('POST', '/sign-up/finish', {
      body: { token, name: 'after', password: PASSWORD, terms: null },
    })
    const fresh = next.headers.get('set-cookie')?.split(';')[0] ?? ''
    expect([next.status, fresh === old]).toEqual([200, false])
    expect((await clientOf(gateway, old).json('GET', '/session')).viewer).toBeNull()
    expect((await clientOf(gateway, fresh).json('GET', '/session')).viewer.account).toBe('after')
  })

  test('is not used up by a browser without cookies', async () => {
    const token = await ask('cookieless@example.org')
    const refused = await clientOf(gateway, '').send('POST', '/sign-up/finish', {
      body: { token, name: 'cookieless', password: PASSWORD, terms: null },
    })
    expect(refused.status).toBeGreaterThanOrEqual(400)
    expect((await finish(token, 'cookieless')).status).toBe(200)
  })

  test('that has expired is not valid, and the address may sign up again', async () => {
    const token = await ask('late@example.org')
    clock.ahead_ms = 24 * 3_600_000 + 1_000
    expect(await outcomeOf(await finish(token, 'late'))).toEqual({ status: 404, code: 'link_not_valid' })
    expect((await finish(await ask('late@example.org', 2), 'late')).status).toBe(200)
    clock.ahead_ms = 0
  })
})
