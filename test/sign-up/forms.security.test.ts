// The forms of sign-up: names, addresses, extra fields, other sites, terms, and closed sign-up.
import { afterAll, describe, expect, test } from 'bun:test'
import { checkChosenName, nameFrom } from '../../plugins/sign-up/names.ts'
import { signedIn } from '../support/console-session.ts'
import { outcomeOf, PASSWORD, signUpScene } from './scene.ts'

const OPEN = 'mode = "open"\nchallenge = "none"'
const at = await signUpScene({ sign_up: OPEN })
afterAll(() => at[Symbol.asyncDispose]())
const { gateway } = at
const linkFor = async (email: string) => {
  await at.stranger().ask(email)
  return await at.tokenFor(email)
}

describe('the name of an account', () => {
  test.each(['anna', 'anna-smith', 'a1b', 'anna.smith_2', 'x'.repeat(40)])('may be %s', (name) => {
    expect(() => checkChosenName(name)).not.toThrow()
  })

  test.each([
    ['too short', 'an'],
    ['too long', 'x'.repeat(41)],
    ['an address, with which another person signs in', 'victim@example.org'],
    ['a label of an address', 'anna+smith'],
    ['in upper case, similar to another name', 'Anna'],
    ['a number, as of an account', '12345'],
    ['a text with a dot at its end', 'anna.'],
    ['two dots', 'anna..smith'],
    ['a text with a hyphen at its start', '-anna'],
    ['HTML', '<b>anna</b>'],
    ['a line break', 'anna\r\nBcc: x@y.z'],
    ['a line break at its end', 'anna\n'],
    ['a NUL', 'anna\0'],
    ['a look-alike in another script', 'аnna'],
    ['full-width letters', 'ａnna'],
    ['an override of the direction', 'anna\u202e'],
    ['a space', 'anna smith'],
    ['a path', '../anna'],
    ['that of the operator', 'operator'],
    ['that of an administrator', 'admin'],
    ['that of support', 'support'],
    ['that of an erased account', 'erased-7'],
  ])('may not be %s', async (_, name) => {
    expect(() => checkChosenName(name)).toThrow()
    const token = await tokenOfRefused()
    const { status, code } = await outcomeOf(
      await at.stranger().finish({ token, name, password: PASSWORD, terms: null }),
    )
    expect([status, code]).toEqual([400, 'invalid_request'])
  })

  let refused: Promise<string> | undefined
  const tokenOfRefused = () => (refused ??= linkFor('refused@example.org'))

  test('may not differ from another one only by case', async () => {
    await gateway.account('Globex')
    const token = await tokenOfRefused()
    expect(
      (await at.stranger().finish({ token, name: 'globex', password: PASSWORD, terms: null })).status,
    ).toBe(400)
  })

  test.each([
    ['anna.smith@example.org', 'anna-smith'],
    ['anna+shop@example.org', 'anna'],
    ['a@example.org', 'a-account'],
    ['123@example.org', 'user-account'],
    ['--__--@example.org', 'user-account'],
    [`${'y'.repeat(64)}@example.org`, 'y'.repeat(36)],
  ])('for %s is proposed as %s', (email, name) => {
    expect(nameFrom(email)).toBe(name)
    expect(() => checkChosenName(nameFrom(email))).not.toThrow()
  })
})

describe('an address', () => {
  test.each([
    'anna@example.org\r\nBcc: all@example.org',
    'anna@example.org, bert@example.org',
    'Anna <anna@example.org>',
    '"anna"@example.org',
    '<script>alert(1)</script>@example.org',
    'anna@exаmple.org',
    'anna@ｅxample.org',
    'ännä@example.org',
    'anna@localhost',
    'anna@example.org\0',
    '@example.org',
    '',
  ])('%p is refused, and no mail is sent', async (email) => {
    const before = at.smtp.received.length
    expect((await at.stranger().ask(email)).status).toBe(400)
    expect(at.smtp.received).toHaveLength(before)
  })

  test.each(['x@mailinator.com', 'x@sub.mailinator.com', 'x@MAILINATOR.com'])(
    '%s is refused as disposable',
    async (email) => {
      expect(await outcomeOf(await at.stranger().ask(email))).toEqual({
        status: 400,
        code: 'disposable_address',
      })
    },
  )

  test('is refused by the operator’s list of disposable domains in place of the built-in one', async () => {
    await Bun.write(`${gateway.data_folder}/throw-away.txt`, '# ours\nthrown.example\n\n')
    await at.configure(`${OPEN}\ndisposable_domains = "throw-away.txt"`)
    expect((await outcomeOf(await at.stranger().ask('x@thrown.example'))).code).toBe('disposable_address')
    expect((await at.stranger().ask('x@mailinator.com')).status).toBe(200)
    await at.configure(`${OPEN}\ndisposable_domains = "missing.txt"`)
    expect((await at.stranger().ask('x@mailinator.com')).status).toBe(503)
    await at.configure(OPEN)
  })
})

describe('a request', () => {
  test('with extra fields is refused: no role, balance or other account (mass assignment)', async () => {
    const token = await linkFor('greedy@example.org')
    const form = { token, name: 'greedy', password: PASSWORD, terms: null }
    for (const more of [
      { role: 'operator' },
      { balance_usd: 1_000 },
      { account_id: 1 },
      { email: 'boss@example.org' },
      { __proto__x: 1 },
      { credit_nanos: 5 },
    ])
      expect([more, (await at.stranger().finish({ ...form, ...more })).status]).toEqual([more, 400])
    expect((await at.stranger().ask('more@example.org', { name: 'x', mode: 'open' })).status).toBe(400)
    expect((await at.stranger().finish(form)).status).toBe(200)
    expect(gateway.rows().accounts.find(({ name }) => name === 'greedy')).toMatchObject({ balance_nanos: 0 })
    expect(
      gateway.db
        .query("SELECT role FROM staff JOIN people ON people.id = person_id WHERE people.name = 'greedy'")
        .all(),
    ).toEqual([])
  })

  test.each(['https://evil.example', 'null', null])('of the origin %p is refused (CSRF)', async (origin) => {
    const { client } = at.stranger()
    const token = await linkFor(`csrf-${String(origin).length}@example.org`)
    for (const [path, body] of [
      ['/sign-up', { email: 'csrf@example.org' }],
      ['/sign-up/invitation', { code: 'x' }],
      ['/sign-up/look', { token }],
      ['/sign-up/finish', { token, name: 'csrf', password: PASSWORD, terms: null }],
    ] as const)
      expect([path, (await client.send('POST', path, { body, origin })).status]).toEqual([path, 403])
    const plain = { headers: { 'content-type': 'text/plain' }, body: '{"email":"csrf@example.org"}' }
    expect((await client.send('POST', '/sign-up', plain)).status).toBe(400)
    expect(at.smtp.received.some(({ to }) => to.includes('csrf@example.org'))).toBe(false)
  })

  test('with a short password is refused, and the link stays valid', async () => {
    const token = await linkFor('short@example.org')
    expect(
      (await at.stranger().finish({ token, name: 'short', password: 'short', terms: null })).status,
    ).toBe(400)
    expect(
      (await at.stranger().finish({ token, name: 'short', password: PASSWORD, terms: null })).status,
    ).toBe(200)
  })
})

describe('terms', () => {
  const TERMS = '[brand]\nterms_url = "https://example.com/terms"'
  test('have to be accepted in their current version', async () => {
    await at.configure(`${OPEN}\nterms_version = "2"`, TERMS)
    const token = await linkFor('terms@example.org')
    const { terms } = (await (await at.stranger().look(token)).json()) as {
      terms: { url: string; version: string }
    }
    expect(terms).toEqual({ url: 'https://example.com/terms', version: '2' })
    const finish = (accepted: unknown) =>
      at.stranger().finish({ token, name: 'terms', password: PASSWORD, terms: accepted })
    expect(await outcomeOf(await finish(null))).toEqual({ status: 400, code: 'terms_not_accepted' })
    expect(await outcomeOf(await finish({ ...terms, version: '1' }))).toEqual({
      status: 409,
      code: 'terms_changed',
    })
    expect(await outcomeOf(await finish({ ...terms, url: 'https://evil.example' }))).toEqual({
      status: 409,
      code: 'terms_changed',
    })
    expect((await finish(terms)).status).toBe(200)
    expect(gateway.db.query('SELECT url, version FROM terms_acceptances').all()).toEqual([{ ...terms }])
    const operator = await signedIn(gateway, 'operator')
    const { actions } = await operator.json('GET', '/audit-log')
    expect(actions.find(({ action }: { action: string }) => action === 'terms.accepted')).toMatchObject({
      account: 'terms',
      after: terms,
    })
    await at.configure(OPEN)
  })
})

describe('while sign-up is closed', () => {
  test('forms, challenges and links are refused', async () => {
    const token = await linkFor('closing@example.org')
    await at.configure('mode = "closed"')
    const closed = { status: 403, code: 'sign_up_closed' }
    expect(await outcomeOf(await at.stranger().ask('new@example.org'))).toEqual(closed)
    expect(await outcomeOf(await at.stranger().client.send('GET', '/sign-up/challenge'))).toEqual(closed)
    expect(await outcomeOf(await at.stranger().look(token))).toEqual(closed)
    expect(
      await outcomeOf(
        await at.stranger().finish({ token, name: 'closing', password: PASSWORD, terms: null }),
      ),
    ).toEqual(closed)
    expect((await at.stranger().client.json('GET', '/sign-up')).mode).toBe('closed')
    expect((await at.stranger().client.json('GET', '/session')).ways).not.toContain('sign_up')
    await at.configure('mode = "invitation"')
    expect(
      await outcomeOf(
        await at.stranger().finish({ token, name: 'closing', password: PASSWORD, terms: null }),
      ),
    ).toEqual(closed)
    await at.configure(OPEN)
    expect((await at.stranger().client.json('GET', '/session')).ways).toContain('sign_up')
  })
})
