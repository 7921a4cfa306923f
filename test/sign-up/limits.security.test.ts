// Limits of sign-up: for a network, a domain, all mails, and a mailbox; and the uses of invitations.
import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { checkSignUps } from '../../plugins/sign-up/check.ts'
import { mailboxOf } from '../../plugins/sign-up/mailbox.ts'
import type { SignUpSettings } from '../../plugins/sign-up/settings.ts'
import { errorOf, signedIn } from '../support/console-session.ts'
import { outcomeOf, PASSWORD, signUpScene } from './scene.ts'

const OPEN = 'mode = "open"\nchallenge = "none"'
const at = await signUpScene({ sign_up: OPEN })
afterAll(() => at[Symbol.asyncDispose]())
const { gateway } = at
let lines = OPEN
/** Changes [sign_up], unless it has these lines. */
async function configure(changed: string): Promise<void> {
  if (changed !== lines) await at.configure(changed)
  lines = changed
}
beforeEach(async () => {
  gateway.db.run('DELETE FROM sign_up_counts')
  await configure(OPEN)
})

const countsOf = async (asking: Promise<Response>[]) => {
  const statuses = (await Promise.all(asking)).map(({ status }) => status)
  return Object.fromEntries([...Map.groupBy(statuses, String)].map(([status, all]) => [status, all.length]))
}
const rows = (table: string) =>
  (gateway.db.query(`SELECT count(*) AS count FROM ${table}`).get() as { count: number }).count

describe('many forms at once', () => {
  test('from the addresses of one network make five sign-ups', async () => {
    const before = rows('sign_ups')
    const asking = Array.from({ length: 20 }, (_, number) =>
      at.stranger(`2001:db8:1:2::${number.toString(16)}`).ask(`n${number}@example${number}.org`),
    )
    expect(await countsOf(asking)).toEqual({ 200: 5, 429: 15 })
    expect(rows('sign_ups') - before).toBe(5)
    expect((await at.stranger('2001:db8:1:3::1').ask('next@network.example')).status).toBe(200)
  })

  test('from many networks for one domain make as many sign-ups as a domain may', async () => {
    await configure(`${OPEN}\nper_domain_per_day = 4`)
    const before = rows('sign_ups')
    const asking = Array.from({ length: 12 }, (_, number) =>
      at.stranger(`203.0.113.${number}`).ask(`d${number}@farm.example`),
    )
    expect(await countsOf(asking)).toEqual({ 200: 4, 429: 8 })
    expect(rows('sign_ups') - before).toBe(4)
  })

  test('from many networks for many domains stop at the limit of mails, which is logged once', async () => {
    await configure(`${OPEN}\nmails_per_hour = 6`)
    const asking = Array.from({ length: 16 }, (_, number) =>
      at.stranger(`192.0.2.${number}`).ask(`m${number}@m${number}.example`),
    )
    expect(await countsOf(asking)).toEqual({ 200: 6, 429: 10 })
    const warnings = gateway.log.text().split('sign-ups reached the limit of mails per hour').length - 1
    expect(warnings).toBe(1)
    const refusal = await at.stranger().ask('late@late.example')
    expect([refusal.status, Number(refusal.headers.get('retry-after')) <= 3_600]).toEqual([429, true])
  })
})

const SETTINGS: SignUpSettings = {
  mode: 'open',
  email_domains: [],
  challenge: { kind: 'none' },
  per_address_per_day: 5,
  per_domain_per_day: 50,
  mails_per_hour: 3,
  welcome_nanos: 0,
}

describe('the check', () => {
  const own = (changes: object = {}, all = async (): Promise<ReadonlySet<string>> => new Set()) => ({
    settings: (): SignUpSettings => ({ ...SETTINGS, ...changes }),
    disposable: { all },
  })
  const look = async (...parts: Parameters<typeof own>) =>
    (await checkSignUps({ db: gateway.store, now: Date.now }, own(...parts))).map(({ level, found }) => [
      level,
      found,
    ])

  test('warns at the limit of mails, and fails for an unreadable list', async () => {
    expect(await look()).toEqual([['ok', expect.stringMatching(/^open; \d+ sign-ups pending$/)]])
    for (const name of ['c1', 'c2', 'c3']) await at.stranger().ask(`${name}@${name}.example`)
    expect(await look()).toEqual([['warn', expect.stringContaining('3 mails this hour, which is the limit')]])
    expect(await look({ mails_per_hour: 0 })).toMatchObject([['ok', expect.anything()]])
    expect(await look({ mode: 'closed' })).toEqual([['ok', 'sign-up is closed']])
    const missing = () => Promise.reject(new Error('/data/list.txt not found: put the list there'))
    expect(await look({}, missing)).toEqual([['fail', '/data/list.txt not found: put the list there']])
    expect(await checkSignUps({ db: gateway.store, now: Date.now }, undefined)).toEqual([])
  })
})

test('people of a large mail provider are not counted together', async () => {
  await configure(`${OPEN}\nper_domain_per_day = 1`)
  for (const name of ['one', 'two', 'three'])
    expect((await at.stranger().ask(`${name}@gmail.com`)).status).toBe(200)
  expect((await at.stranger().ask('one@small.example')).status).toBe(200)
  expect((await at.stranger().ask('two@small.example')).status).toBe(429)
})

describe('one mailbox', () => {
  test.each([
    ['anna@example.org', 'anna@example.org'],
    ['anna+a@example.org', 'anna@example.org'],
    ['anna+a+b@example.org', 'anna@example.org'],
    ['+anna@example.org', '+anna@example.org'],
    ['a.n.n.a+x@gmail.com', 'anna@gmail.com'],
    ['a.nna@googlemail.com', 'anna@gmail.com'],
    ['a.nna@example.org', 'a.nna@example.org'],
  ])('%s belongs to %s', (email, mailbox) => {
    expect(mailboxOf(email)).toBe(mailbox)
  })

  test('gets three mails a day in all its spellings, and the answer stays the same', async () => {
    const answers = []
    for (const email of [
      'v.ictim@gmail.com',
      'victim+1@gmail.com',
      'victim@googlemail.com',
      'vic.tim+2@gmail.com',
      'victim@gmail.com',
    ])
      answers.push(await (await at.stranger().ask(email)).text())
    expect(new Set(answers)).toEqual(new Set(['{"done":true}']))
    await at.mailsTo('victim@googlemail.com', 1)
    const to_them = at.smtp.received.filter(({ to }) =>
      to.some((email) => mailboxOf(email) === 'victim@gmail.com'),
    )
    expect(to_them).toHaveLength(3)
  })

  test('with an account gets one mail a day that says so', async () => {
    await at.stranger().ask('holder@example.org')
    const token = await at.tokenFor('holder@example.org')
    await at.stranger().finish({ token, name: 'holder', password: PASSWORD, terms: null })
    gateway.db.run('DELETE FROM sign_up_counts')
    for (let times = 0; times < 3; times += 1)
      expect((await at.stranger().ask('holder@example.org')).status).toBe(200)
    expect(await at.mailsTo('holder@example.org', 2)).toHaveLength(2)
  })
})

test('an invalid address does not count, and a refusal writes nothing', async () => {
  const stranger = at.stranger('203.0.113.200')
  for (let times = 0; times < 10; times += 1) expect((await stranger.ask('nonsense')).status).toBe(400)
  expect(rows('sign_up_counts')).toBe(0)
  for (let times = 0; times < 5; times += 1) await stranger.ask(`w${times}@w${times}.example`)
  const before = gateway.db.query('SELECT kind, subject, count FROM sign_up_counts ORDER BY id').all()
  expect((await stranger.ask('six@six.example')).status).toBe(429)
  expect(gateway.db.query('SELECT kind, subject, count FROM sign_up_counts ORDER BY id').all()).toEqual(
    before,
  )
})

describe('an invitation', () => {
  const BY_INVITATION = 'mode = "invitation"\nchallenge = "none"'
  const invalid = { status: 404, code: 'invitation_not_valid' }
  async function invite(body: object): Promise<string> {
    await configure(BY_INVITATION)
    const operator = await signedIn(gateway, 'operator')
    const { url } = await operator.json('POST', '/sign-up-invitations', body)
    return new URL(url).hash.slice(1)
  }
  const askWith = async (email: string, code: string) =>
    await outcomeOf(await at.stranger().ask(email, { code }))
  async function finish(email: string, name: string) {
    const token = await at.tokenFor(email)
    return await outcomeOf(await at.stranger().finish({ token, name, password: PASSWORD, terms: null }))
  }

  test('is required, and an unknown code is refused', async () => {
    await configure(BY_INVITATION)
    expect(await outcomeOf(await at.stranger().ask('a@example.org'))).toEqual({
      status: 400,
      code: 'invalid_request',
    })
    for (const code of ['', 'x', 'x'.repeat(32), "' OR 1=1"])
      expect(await askWith('a@example.org', code)).toEqual(invalid)
  })

  test('with two uses is used by two of three people at once', async () => {
    const code = await invite({ uses: 2 })
    for (const name of ['inv-a', 'inv-b', 'inv-c'])
      expect(await askWith(`${name}@example.org`, code)).toEqual({ status: 200 })
    const outcomes = await Promise.all(
      ['inv-a', 'inv-b', 'inv-c'].map((name) => finish(`${name}@example.org`, name)),
    )
    expect(outcomes.map(({ status }) => status).sort()).toEqual([200, 200, 404])
    expect(await askWith('inv-d@example.org', code)).toEqual(invalid)
  })

  test('for one address works only for it, and is mailed instead of returned', async () => {
    await configure(BY_INVITATION)
    const operator = await signedIn(gateway, 'operator')
    const made = await operator.json('POST', '/sign-up-invitations', { email: 'Guest@example.org' })
    expect(made).toMatchObject({ url: null, mailed_to: 'guest@example.org' })
    const [mail] = await at.mailsTo('guest@example.org', 1)
    const [, code = ''] = /\/console\/sign-up#([\w-]{32})/.exec(mail?.text ?? '') ?? []
    expect(await askWith('other@example.org', code)).toEqual(invalid)
    expect(await askWith('guest@example.org', code)).toEqual({ status: 200 })
  })

  test('that was revoked creates no account, not even for an earlier form', async () => {
    const code = await invite({ uses: 5 })
    expect(await askWith('revoked@example.org', code)).toEqual({ status: 200 })
    const operator = await signedIn(gateway, 'operator')
    const { invitations } = await operator.json('GET', '/sign-up-invitations')
    await operator.json('DELETE', `/sign-up-invitations/${invitations[0].id}`)
    expect(await finish('revoked@example.org', 'revoked')).toEqual(invalid)
    expect(gateway.rows().accounts.some(({ name }) => name === 'revoked')).toBe(false)
    expect(await askWith('again@example.org', code)).toEqual(invalid)
  })

  test('is checked when its page opens, which does not use it up, and the refusal has advice', async () => {
    const code = await invite({ uses: 1 })
    const look = async (of: string) =>
      await at.stranger().client.send('POST', '/sign-up/invitation', { body: { code: of } })
    const words = async (of: string) => {
      const { status, code, message } = await errorOf(await look(of))
      expect({ status, code }).toEqual(invalid)
      return message
    }
    for (const _ of ['first', 'second']) expect(await outcomeOf(await look(code))).toEqual({ status: 200 })
    for (const unknown of ['', 'x', 'x'.repeat(32), "' OR 1=1"])
      expect(await words(unknown)).toStartWith('This invitation is not known here. Open the whole link')
    // It can be opened again before it is used.
    expect(await askWith('looked@example.org', code)).toEqual({ status: 200 })
    expect((await look(code)).status).toBe(200)
    await finish('looked@example.org', 'looked')
    expect(await words(code)).toBe(
      'This invitation was used already. If you have an account, sign in. If not, ask the sender for a new one.',
    )
    const operator = await signedIn(gateway, 'operator')
    const revoked = await invite({ uses: 2 })
    const { invitations } = await operator.json('GET', '/sign-up-invitations')
    await operator.json('DELETE', `/sign-up-invitations/${invitations[0].id}`)
    expect(await words(revoked)).toBe('This invitation was revoked. Ask the sender for a new one.')
    const expired = await invite({ days: 1 })
    gateway.db.run(
      'UPDATE sign_up_codes SET expires_at_ms = 1 WHERE id = (SELECT max(id) FROM sign_up_codes)',
    )
    expect(await words(expired)).toBe('This invitation has expired. Ask the sender for a new one.')
    // With open sign-up no code is needed; with closed sign-up every code is refused.
    await configure('mode = "open"\nchallenge = "none"')
    expect((await look('x')).status).toBe(200)
    await configure('mode = "closed"')
    expect(await outcomeOf(await look(code))).toEqual({ status: 403, code: 'sign_up_closed' })
  })

  test('cannot be guessed, because attempts are rate-limited', async () => {
    await configure(BY_INVITATION)
    const guesser = at.stranger()
    const statuses: number[] = []
    for (let tries = 0; tries < 40; tries += 1)
      statuses.push(
        (
          await guesser.client.send('POST', '/sign-up/invitation', {
            body: { code: 'y'.repeat(32) },
            headers: { 'x-forwarded-for': '198.51.100.77' },
          })
        ).status,
      )
    expect([statuses[0], statuses.at(-1)]).toEqual([404, 429])
  })

  test('can be created only by the staff', async () => {
    await gateway.account('curious')
    const account = await signedIn(gateway, { account: 'curious' })
    expect((await account.send('POST', '/sign-up-invitations', { body: {} })).status).toBe(403)
    expect((await account.send('GET', '/sign-ups')).status).toBe(403)
  })
})
