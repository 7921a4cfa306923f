// The staff at the console: people are added by mail or a link, change roles, are disabled and removed; the audit log names who did it.
import { describe, expect, test } from 'bun:test'
import { hashOf } from '../../src/access/passwords.ts'
import { givePasswords } from '../support/console.ts'
import { type ConsoleClient, clientOf, errorOf, signedIn } from '../support/console-session.ts'
import { eventually } from '../support/eventually.ts'
import { newPerson } from '../support/people.ts'
import { fileScene } from '../support/scene.ts'
import { startSmtp } from '../support/smtp.ts'

const smtp = await startSmtp()
const { gateway } = await fileScene({
  server: 'public_url = "https://gateway.example.com"',
  more: `[mail]\nsmtp = "smtp://127.0.0.1:${smtp.port}"\nfrom = "Example AI <noreply@example.com>"`,
})
await givePasswords(gateway, [])
const operator = await signedIn(gateway, 'operator')
const PASSWORD = 'correct horse battery'

interface Person {
  id: number
  name: string
  email: string | null
  role: string
  state: string
}
const staffAt = async (client: ConsoleClient): Promise<Person[]> => (await client.json('GET', '/staff')).staff
const personOf = async (email: string) => (await staffAt(operator)).find((person) => person.email === email)
const add = (name: string, email: string, role: string, more: object = {}) =>
  operator.json('POST', '/staff', { name, email, role, ...more })
const tokenOf = (url: string) => new URL(url).hash.slice(1)

/** Sets a password by a link, as a browser does. */
async function accept(url: string): Promise<ConsoleClient> {
  const answer = await clientOf(gateway).send('POST', '/links/accept', {
    body: { token: tokenOf(url), password: PASSWORD },
  })
  expect(answer.status).toBe(200)
  const [cookie = ''] = (answer.headers.get('set-cookie') ?? '').split(';')
  return clientOf(gateway, cookie)
}

test('a person is added by a link, sets a password, and works with their role', async () => {
  const added = await add('Mia Berg', 'Mia@Example.com', 'support', { as_link: true })
  expect(added).toMatchObject({
    person: { name: 'Mia Berg', email: 'mia@example.com', role: 'support', state: 'invited' },
    was_here: false,
    mailed_to: null,
  })
  expect(added.url).toStartWith('https://gateway.example.com/console/invitation#')
  const mia = await accept(added.url)
  const { viewer } = await mia.json('GET', '/session')
  expect(viewer).toMatchObject({
    side: 'operator',
    role: 'support',
    person: { name: 'Mia Berg', email: 'mia@example.com' },
  })
  expect(viewer.rights).not.toContain('operate')
  expect(await personOf('mia@example.com')).toMatchObject({ state: 'active' })
  const again = await clientOf(gateway).send('POST', '/session', {
    body: { account: 'mia@example.com', password: PASSWORD },
  })
  expect(((await again.json()) as { viewer: object }).viewer).toMatchObject({ role: 'support' })
  // The link cannot set a second password.
  expect(
    (await clientOf(gateway).send('POST', '/links/look', { body: { token: tokenOf(added.url) } })).status,
  ).toBe(404)
})

test('with a mail server the link is mailed instead of returned', async () => {
  const added = await add('Otto', 'otto@example.com', 'auditor')
  expect(added).toMatchObject({ url: null, mailed_to: 'otto@example.com' })
  const invitation = () => smtp.received.find(({ text }) => text.includes('as an auditor'))
  await eventually('the mail is there', () => invitation() !== undefined)
  const mail = invitation()
  expect(mail?.header('subject')).toBe('Your invitation to Tollgate')
  const [link = ''] = /https:\/\/gateway\.example\.com\/console\/invitation#\S+/.exec(mail?.text ?? '') ?? []
  expect((await (await accept(link)).json('GET', '/session')).viewer).toMatchObject({ role: 'auditor' })
  expect(gateway.log.text()).not.toContain(tokenOf(link))
})

describe('a person is not added for', () => {
  test.each([
    ['an invalid address', { email: 'mia' }, 400, 'email: must be an email address, such as'],
    ['a look-alike of an address', { email: 'mіa@example.com' }, 400, 'email: must be an email address'],
    [
      'an address with a line break',
      { email: 'mia@example.com\r\nBcc: a@b.c' },
      400,
      'email: must be an email',
    ],
    ['an empty name', { name: '  ' }, 400, 'name: must have 1 to 100 characters.'],
    ['a long name', { name: 'x'.repeat(101) }, 400, 'name: must have 1 to 100 characters.'],
    [
      'a line break in the name',
      { name: 'Mia\r\nBcc: a@b.c' },
      400,
      'name: must be without the control character',
    ],
    [
      'a name that reverses its direction',
      { name: 'Mia\u202e' },
      400,
      'name: must be without the control character',
    ],
    ['a role of accounts', { role: 'owner' }, 400, 'role'],
    ['a missing role', { role: undefined }, 400, 'role'],
    ['an unknown field', { account_id: 1 }, 400, 'account_id'],
    [
      'an address of the staff',
      { email: 'MIA@example.com' },
      409,
      'is already on the staff, as support. Change the role instead.',
    ],
  ])('%s', async (_, change, status, message) => {
    const before = await staffAt(operator)
    const body = { name: 'Nina', email: 'nina@example.com', role: 'support', ...change }
    const refused = await errorOf(await operator.send('POST', '/staff', { body }))
    expect([refused.status, refused.message]).toEqual([status, expect.stringContaining(message)])
    expect(await staffAt(operator)).toEqual(before)
  })
})

test('a person with the verified address joins the staff with their password, and stays in their account', async () => {
  const { id } = await gateway.account('ada')
  const person_id = await newPerson(gateway.store, { account_id: id, role: 'owner' }, { name: 'Ada' })
  await gateway.store.write((db) =>
    db.rows(`UPDATE people SET email = 'ada@example.com', email_verified_at_ms = 1 WHERE id = ${person_id}`),
  )
  await gateway.store.write((db) =>
    db.rows(`INSERT INTO passwords (person_id, hash, set_at_ms) VALUES (${person_id}, '$argon2id$x', 1)`),
  )
  const there = await signedIn(gateway, { person_id, account_id: id })
  const added = await add('Another name', 'ada@example.com', 'operator')
  expect(added).toMatchObject({
    person: { id: person_id, name: 'Ada', role: 'operator', state: 'active' },
    was_here: true,
    url: null,
    mailed_to: null,
  })
  expect((await there.json('GET', '/session')).viewer).toMatchObject({ side: 'account', account: 'ada' })
  await operator.json('DELETE', `/staff/${person_id}`)
  expect((await there.json('GET', '/session')).viewer).toMatchObject({ side: 'account', account: 'ada' })
  expect(await hashOf(gateway.store, person_id)).toBe('$argon2id$x')
  // The erasure of their account erases them, as before.
  expect(await gateway.store.rows(`SELECT account_id FROM people WHERE id = ${person_id}`)).toEqual([
    { account_id: id },
  ])
})

test('an operator changes a role and a name, disables, enables, makes a new link, and removes', async () => {
  const { person } = await add('Nina', 'nina@example.com', 'support', { as_link: true })
  const at = `/staff/${person.id}`
  expect((await operator.json('PATCH', at, { role: 'auditor', name: 'Nina Roth' })).person).toMatchObject({
    name: 'Nina Roth',
    role: 'auditor',
  })
  expect((await operator.json('POST', `${at}/disable`)).person).toMatchObject({ state: 'disabled' })
  expect(await errorOf(await operator.send('POST', `${at}/link`, { body: {} }))).toMatchObject({
    status: 409,
    message: 'Nina Roth is disabled and cannot sign in. Enable them first.',
  })
  expect((await operator.json('POST', `${at}/enable`)).person).toMatchObject({ state: 'invited' })
  const { url } = await operator.json('POST', `${at}/link`, { as_link: true })
  const nina = await accept(url)
  expect(await operator.json('DELETE', at)).toEqual({ removed: true })
  expect((await nina.send('GET', '/sessions')).status).toBe(401)
  expect(await personOf('nina@example.com')).toBeUndefined()
  expect((await errorOf(await operator.send('DELETE', at))).message).toBe(
    `Nobody on the staff has the number or address "${person.id}". \`tollgate staff list\` shows all.`,
  )
  const signing_in = { body: { account: 'nina@example.com', password: PASSWORD } }
  expect((await clientOf(gateway).send('POST', '/session', signing_in)).status).toBe(401)
})

test('a removed person is added again as the same person, with the new name, and needs the new link', async () => {
  const { person, url } = await add('Paul', 'paul@example.com', 'support', { as_link: true })
  await accept(url)
  await gateway.store.write((db) =>
    db.rows(
      `INSERT INTO passkeys (person_id, credential_id, public_key, counter, transports, name, created_at_ms)
       VALUES (${person.id}, randomblob(16), randomblob(77), 0, '[]', 'laptop', 1)`,
    ),
  )
  await operator.json('DELETE', `/staff/${person.id}`)
  const again = await add('Paul Roth', 'paul@example.com', 'auditor', { as_link: true })
  expect(again).toMatchObject({
    person: { id: person.id, name: 'Paul Roth', role: 'auditor', state: 'invited' },
    was_here: false,
    url: expect.stringContaining('#'),
  })
})

test('the audit log names the acting person and filters by them, in pages and files', async () => {
  const { person } = await add('Olaf', 'olaf@example.com', 'operator', { as_link: true })
  const olaf = await signedIn(gateway, { person_id: person.id, account_id: null })
  await gateway.account('bea')
  await olaf.json('POST', '/accounts/bea/suspend')
  await olaf.json('PATCH', `/staff/${(await personOf('otto@example.com'))?.id}`, { role: 'support' })
  const query = `person=olaf@example.com`
  const { actions } = await operator.json('GET', `/audit-log?${query}`)
  expect(actions).toMatchObject([
    {
      action: 'staff.changed',
      title: 'Staff changed',
      subject: 'otto@example.com',
      person: 'Olaf',
      person_email: 'olaf@example.com',
      before: { name: 'Otto', email: 'otto@example.com', role: 'auditor' },
      after: { name: 'Otto', email: 'otto@example.com', role: 'support' },
    },
    { action: 'account.suspended', account: 'bea', person: 'Olaf', person_email: 'olaf@example.com' },
  ])
  expect((await operator.json('GET', `/audit-log?person=${person.id}`)).actions).toEqual(actions)
  const csv = await (await operator.send('GET', `/audit-log.csv?${query}`)).text()
  expect(csv.split('\n').filter((line) => line.includes('olaf@example.com')).length).toBe(2)
  expect((await operator.json('GET', '/audit-log?person=nobody@example.com')).actions).toEqual([])
  const { actions: of_staff } = await operator.json('GET', '/audit-log?area=staff&limit=1000')
  expect(new Set(of_staff.map(({ action }: { action: string }) => action))).toEqual(
    new Set(['staff.added', 'staff.changed', 'staff.removed', 'person.disabled', 'person.enabled']),
  )
})
