// A person's own name and address, and the mails about changes: an address belongs only to its owner, who is notified.
import { describe, expect, test } from 'bun:test'
import { personsName } from '../../src/access/own-name.ts'
import { givePasswords, PASSWORD } from '../support/console.ts'
import { type ConsoleClient, clientOf, errorOf, signedIn } from '../support/console-session.ts'
import { cookieOf, fileMailScene, MINUTE_MS, tokenIn } from './mail-scene.ts'

const { gateway, clock, owner, from, mailsTo, write } = await fileMailScene()

const visit = (account: string) => signedIn(gateway, { account }, clock.now_ms)
const changeTo = (client: ConsoleClient, email: unknown) =>
  client.send('POST', '/me/email', { body: { email } })
const confirm = (client: ConsoleClient, token: string) =>
  client.send('POST', '/me/email/confirm', { body: { token } })
const me = (client: ConsoleClient) => client.json('GET', '/me')

/** Requests a change of the address. @returns the token of the mailed link */
async function linkTo(email: string, client: ConsoleClient): Promise<string> {
  const before = (await mailsTo(email, 0)).length
  expect((await changeTo(client, email)).status).toBe(200)
  return tokenIn((await mailsTo(email, before + 1)).at(-1), 'confirm-address')
}
const subjectsTo = async (email: string, count: number) =>
  (await mailsTo(email, count)).map((mail) => mail.header('subject'))

describe('a new address', () => {
  test('takes effect by the link mailed to it, and both addresses are notified', async () => {
    const { email } = await owner('anna')
    const anna = await visit('anna')
    const token = await linkTo('anna@new.example', anna)
    expect(await me(anna)).toMatchObject({ email, pending_email: 'anna@new.example' })
    expect((await confirm(anna, token)).status).toBe(200)
    expect(await me(anna)).toMatchObject({
      email: 'anna@new.example',
      email_is_verified: true,
      pending_email: null,
    })
    for (const [to, count] of [
      [email, 1],
      ['anna@new.example', 2],
    ] as const)
      expect(await subjectsTo(to, count)).toContain('Your sign-in to Tollgate was changed')
    expect((await confirm(anna, token)).status).toBe(404)
  })

  test('needs a recent sign-in, without which nothing is mailed', async () => {
    await owner('beth')
    const beth = await visit('beth')
    clock.now_ms += 11 * MINUTE_MS
    expect(await errorOf(await changeTo(beth, 'evil@new.example'))).toMatchObject({
      status: 403,
      code: 'confirm_sign_in',
    })
    await givePasswords(gateway, ['beth'])
    const confirmed = await beth.send('POST', '/session/confirm', { body: { password: PASSWORD } })
    expect((await changeTo(clientOf(gateway, cookieOf(confirmed)), 'beth@new.example')).status).toBe(200)
    expect(await mailsTo('evil@new.example', 0)).toEqual([])
  })

  test('is not given to another person who opens the link', async () => {
    await owner('cora')
    await owner('dora')
    // Mallory, as cora, enters dora's other address: dora gets the mail, and opens it.
    const token = await linkTo('dora@other.example', await visit('cora'))
    const dora = await visit('dora')
    expect(await errorOf(await confirm(dora, token))).toMatchObject({ status: 403, code: 'other_person' })
    expect((await confirm(clientOf(gateway), token)).status).toBe(401)
    expect(await me(await visit('cora'))).toMatchObject({ email: 'cora@example.org' })
    expect(await me(dora)).toMatchObject({ email: 'dora@example.org' })
  })

  test('of another person is refused only at its link, so that the request reveals nothing', async () => {
    await owner('edda')
    const { email: of_fay } = await owner('fay')
    const edda = await visit('edda')
    const answers = [await changeTo(edda, 'free@new.example'), await changeTo(edda, of_fay)]
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    const token = tokenIn((await mailsTo(of_fay, 1)).at(-1), 'confirm-address')
    expect(await errorOf(await confirm(edda, token))).toMatchObject({ status: 409, code: 'email_taken' })
    expect(await me(await visit('fay'))).toMatchObject({ email: of_fay, email_is_verified: true })
  })

  test('that is unverified at another person goes to the one who verifies it', async () => {
    const { email } = await owner('gail', { verified: false })
    await owner('hana')
    const hana = await visit('hana')
    const token = await linkTo(email, hana)
    expect((await confirm(hana, token)).status).toBe(200)
    expect(await me(await visit('gail'))).toMatchObject({ email: null, email_is_verified: false })
  })

  test('ends the links mailed to the old one', async () => {
    const { email } = await owner('ida')
    const ida = await visit('ida')
    await clientOf(gateway).json('POST', '/mailed-links', { email, purpose: 'sign_in' })
    const sign_in = tokenIn((await mailsTo(email, 1)).at(-1), 'sign-in-link')
    const token = await linkTo('ida@new.example', ida)
    expect((await confirm(ida, token)).status).toBe(200)
    const used = await clientOf(gateway).send('POST', '/links/sign-in', { body: { token: sign_in } })
    expect(used.status).toBe(404)
  })

  test('is refused after 15 minutes, by a sign-in link, or by a guess', async () => {
    const { email } = await owner('jana')
    const jana = await visit('jana')
    const token = await linkTo('jana@new.example', jana)
    clock.now_ms += 15 * MINUTE_MS
    expect((await confirm(jana, token)).status).toBe(404)
    await clientOf(gateway).json('POST', '/mailed-links', { email, purpose: 'sign_in' })
    const sign_in = tokenIn((await mailsTo(email, 1)).at(-1), 'sign-in-link')
    for (const wrong of [sign_in, 'A'.repeat(32), '']) expect((await confirm(jana, wrong)).status).toBe(404)
  })

  let kiras = 0
  test.each<[string, unknown]>([
    ['two lines', 'a@example.org\nBcc: b@example.org'],
    ['HTML', '<script>@example.org'],
    ['a look-alike', 'аnna@example.org'],
    ['empty', ''],
    ['null', null],
  ])('is refused if it is %s', async (_, email) => {
    await gateway.account(`kira-${++kiras}`)
    const kira = await visit(`kira-${kiras}`)
    expect(await errorOf(await changeTo(kira, email))).toMatchObject({
      status: 400,
      param: 'email',
    })
  })

  test('gets at most five mails an hour', async () => {
    await owner('lena')
    const lena = await visit('lena')
    const statuses: number[] = []
    for (let time = 0; time < 6; time++) statuses.push((await changeTo(lena, 'victim@new.example')).status)
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429])
  })
})

describe('a name', () => {
  const refusal = (name: string) => {
    try {
      return personsName(name)
    } catch (thrown) {
      return (thrown as { param?: string }).param
    }
  }
  test.each([
    ['two lines', 'Anna\r\nBcc: evil@example.com'],
    ['a text that reverses the writing', 'Anna\u202Egpj.exe'],
    ['only spaces', '   '],
    ['101 characters long', 'x'.repeat(101)],
  ])('is refused if it is %s', (_, name) => {
    expect(refusal(name)).toBe('name')
  })

  test('that looks like HTML stays text, in the answer and in the audit log', async () => {
    await owner('mary')
    const mary = await visit('mary')
    const name = '<img src=x onerror=alert(1)> O’Neill'
    expect(await mary.json('PUT', '/me', { name: `  ${name} ` })).toMatchObject({ name })
    const { actions } = await mary.json('GET', '/audit-log')
    expect(actions[0]).toMatchObject({ action: 'person.renamed', before: { name: 'mary' }, after: { name } })
  })

  test('or address does not exist in a session by key', async () => {
    await owner('nora')
    const by_key = await signedIn(gateway, { key: await gateway.key('nora') }, clock.now_ms)
    for (const [method, path, body] of [
      ['GET', '/me', undefined],
      ['PUT', '/me', { name: 'Nora' }],
      ['POST', '/me/email', { email: 'n@new.example' }],
      ['POST', '/me/email/confirm', { token: 'x' }],
    ] as const)
      expect([path, (await by_key.send(method, path, body ? { body } : {})).status]).toEqual([path, 403])
  })
})

describe('a sign-in', () => {
  const signIn = (address: string, account: string, user_agent = 'Mozilla/5.0 (X11; Linux) Firefox/140.0') =>
    from(address).send('POST', '/session', { account, password: PASSWORD }, { 'user-agent': user_agent })

  test('from a new address notifies the person, once for each address', async () => {
    const { email } = await owner('olga')
    await givePasswords(gateway, ['olga'])
    for (const address of ['203.0.113.50', '203.0.113.50', '203.0.113.51'])
      expect((await signIn(address, 'olga')).status).toBe(200)
    const mails = await mailsTo(email, 2)
    expect(mails.map((mail) => mail.header('subject'))).toEqual(Array(2).fill('New sign-in to Tollgate'))
    // Mails queued at the same time arrive in any order.
    const places = mails.map(({ text }) => /before: (\S+),/.exec(text)?.[1])
    expect(places.toSorted()).toEqual(['203.0.113.50', '203.0.113.51'])
    expect(mails[0]?.text).toContain('Firefox on Linux')
  })

  test('shows HTML or headers in the browser’s name as text in the mail', async () => {
    const { email } = await owner('pia')
    await givePasswords(gateway, ['pia'])
    expect((await signIn('203.0.113.52', 'pia', '<img/src=x> Bcc:evil@example.com')).status).toBe(200)
    const [mail] = await mailsTo(email, 1)
    expect(mail?.header('bcc')).toBeUndefined()
    expect(mail?.html).not.toContain('<img/src=x')
  })

  test('does not mail an unverified address', async () => {
    const { email } = await owner('rosa', { verified: false })
    await givePasswords(gateway, ['rosa'])
    expect((await signIn('203.0.113.53', 'rosa')).status).toBe(200)
    expect((await signIn('203.0.113.54', 'olga')).status).toBe(200)
    await mailsTo('olga@example.org', 3)
    expect(await mailsTo(email, 0)).toEqual([])
  })

  test('with a changed password notifies the person', async () => {
    const { email } = await owner('sara')
    await givePasswords(gateway, ['sara'])
    const sara = await visit('sara')
    await sara.json('PUT', '/password', { old_password: PASSWORD, new_password: 'another long password' })
    expect(await subjectsTo(email, 1)).toEqual(['Your sign-in to Tollgate was changed'])
  })
})

test('disabling a person ends all their sessions at once', async () => {
  const { person_id, email } = await owner('tina')
  await givePasswords(gateway, ['tina'])
  await clientOf(gateway).json('POST', '/mailed-links', { email, purpose: 'sign_in' })
  const token = tokenIn((await mailsTo(email, 1)).at(-1), 'sign-in-link')
  const answers = [
    await clientOf(gateway).send('POST', '/session', { body: { account: 'tina', password: PASSWORD } }),
    await clientOf(gateway).send('POST', '/links/sign-in', { body: { token } }),
  ]
  const sessions = answers.map((answer) => clientOf(gateway, cookieOf(answer)))
  for (const session of sessions) expect((await session.send('GET', '/me')).status).toBe(200)
  await write('UPDATE people SET disabled_at_ms = 1 WHERE id = $person_id', { person_id })
  for (const session of sessions) expect((await session.send('GET', '/me')).status).toBe(401)
  const again = await clientOf(gateway).send('POST', '/session', {
    body: { account: email, password: PASSWORD },
  })
  expect(again.status).toBe(401)
})
