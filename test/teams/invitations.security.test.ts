// Invitations of people into an account, and the attacks on their links.
import { describe, expect, test } from 'bun:test'
import { changeStaff, disableStaff, removeStaff } from '../../plugins/staff/people.ts'
import { claimEmail } from '../../src/access/emails.ts'
import type { Tx } from '../../src/store/db.ts'
import { clientOf, errorOf, signedIn } from '../support/console-session.ts'
import { newPerson, personAtConsole } from '../support/people.ts'
import { PASSWORD, PUBLIC_URL, teamScene } from './scene.ts'

const NEW = { name: 'Max', password: PASSWORD }
// Near the time of the server, whose clock the gateway uses with PostgreSQL.
const clock = { now_ms: Date.now() }
const mailing = await teamScene({ now: () => clock.now_ms })
const mailless = await teamScene({ has_mail: false })

const invitationTo = (email: string, role = 'member') => ({ email, role })
const cookieOf = (answer: Response) => answer.headers.get('set-cookie')?.split(';')[0] ?? ''

describe('an invitation', () => {
  test('is mailed instead of returned; its link creates a person with a verified address', async () => {
    const { gateway, owner, mailedToken, visitor, people } = mailing
    const invited = await owner.json('POST', '/team-invitations', invitationTo('Max@Example.org'))
    expect(invited).toMatchObject({ email: 'max@example.org', url: null })
    const token = await mailedToken('max@example.org')
    const look = await visitor().json('POST', '/join/look', { token })
    expect(look).toMatchObject({ account: 'acme', role: 'member', signs_in: false, signed_in_as: null })
    const joined = await visitor().send('POST', '/join/new', { body: { token, ...NEW } })
    expect(joined.status).toBe(200)
    const max = clientOf(gateway, cookieOf(joined))
    expect((await max.json('GET', '/session')).viewer).toMatchObject({ role: 'member', account: 'acme' })
    expect(await people()).toMatchObject([
      { name: 'Max', role: 'member', email: 'max@example.org', is_verified: true },
      { role: 'owner' },
    ])
    const signed_in = await visitor().send('POST', '/session', {
      body: { account: 'max@example.org', password: PASSWORD },
    })
    expect(signed_in.status).toBe(200)
  })

  test('without a mail server is returned as a link, and the address stays unverified', async () => {
    const { linkToken, visitor, people } = mailless
    const token = await linkToken('zoe@example.org', 'billing')
    await visitor().json('POST', '/join/new', { token, name: 'Zoe', password: PASSWORD })
    expect(await people()).toMatchObject([
      { name: 'Zoe', role: 'billing', email: 'zoe@example.org', is_verified: false },
      {},
    ])
  })

  test('adds the account to a person who is signed in, by one click, and opens it', async () => {
    const { gateway, linkToken, db, people } = mailless
    const bob = await gateway.account('bob')
    const person_id = await newPerson(db, { account_id: bob.id, role: 'owner' }, { name: 'Bob' })
    const client = await signedIn(gateway, { person_id, account_id: bob.id })
    const token = await linkToken('bob@example.org')
    expect(await client.json('POST', '/join/look', { token })).toMatchObject({ signed_in_as: 'Bob' })
    const joined = await client.send('POST', '/join', { body: { token } })
    expect(joined.status).toBe(200)
    expect((await people())[0]).toMatchObject({ name: 'Bob', role: 'member' })
    expect((await client.send('GET', '/keys')).status).toBe(401)
    const moved = clientOf(gateway, cookieOf(joined))
    expect((await moved.json('GET', '/session')).viewer).toMatchObject({ role: 'member', account: 'acme' })
    expect((await moved.json('GET', '/session/accounts')).sides).toMatchObject([
      { account: 'bob', role: 'owner', is_current: false },
      { account: 'acme', role: 'member', is_current: true },
    ])
  })

  test('to the address of a person here needs their sign-in, and creates no second person', async () => {
    const { gateway, db, owner, mailedToken, visitor } = mailing
    const ann = await gateway.account('ann')
    const person_id = await newPerson(db, { account_id: ann.id, role: 'owner' }, { name: 'Ann' })
    await db.begin((tx) => claimEmail(tx, { person_id, email: 'ann@example.org', now_ms: 1 }))
    await owner.json('POST', '/team-invitations', invitationTo('ann@example.org'))
    const token = await mailedToken('ann@example.org')
    expect(await visitor().json('POST', '/join/look', { token })).toMatchObject({ signs_in: true })
    const refused = await visitor().send('POST', '/join/new', { body: { token, ...NEW } })
    expect(await errorOf(refused)).toMatchObject({ status: 409, code: 'sign_in_first' })
    const client = await signedIn(gateway, { person_id, account_id: ann.id }, clock.now_ms)
    expect((await client.send('POST', '/join', { body: { token } })).status).toBe(200)
  })

  test('has the same answer whether or not the address has a person here', async () => {
    const { gateway, db, owner } = mailing
    const { id: account_id } = await gateway.account('amy')
    const person_id = await newPerson(db, { account_id, role: 'owner' })
    await db.begin((tx) => claimEmail(tx, { person_id, email: 'amy@example.org', now_ms: 1 }))
    for (const email of ['amy@example.org', 'nobody@example.org'])
      expect(await owner.json('POST', '/team-invitations', invitationTo(email))).toEqual({
        email,
        expires_at: expect.any(String),
        expires_at_ms: clock.now_ms + 7 * 86_400_000,
        url: null,
      })
  })

  test('returned as a link does not reveal whether its address has a person here', async () => {
    const { gateway, db, linkToken, visitor } = mailless
    const cat = await gateway.account('cat')
    const person_id = await newPerson(db, { account_id: cat.id, role: 'owner' })
    await db.begin((tx) => claimEmail(tx, { person_id, email: 'cat@example.org', now_ms: 1 }))
    for (const email of ['cat@example.org', 'nobody@example.org'])
      expect(await visitor().json('POST', '/join/look', { token: await linkToken(email) })).toMatchObject({
        signs_in: false,
      })
  })
})

describe('a link', () => {
  test('creates one person in three simultaneous uses', async () => {
    const { linkToken, visitor, people } = mailless
    const token = await linkToken('twice@example.org')
    const answers = await Promise.all(
      [1, 2, 3].map((n) =>
        visitor().send('POST', '/join/new', { body: { token, name: `Twice ${n}`, password: PASSWORD } }),
      ),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404])
    expect((await people()).filter(({ name }) => name.startsWith('Twice'))).toHaveLength(1)
    expect((await visitor().send('POST', '/join/look', { body: { token } })).status).toBe(404)
  })

  test('is not valid after its expiry, or once it is revoked or replaced', async () => {
    const { owner, mailedToken, visitor } = mailing
    const statusOf = async (token: string) =>
      (await visitor().send('POST', '/join/new', { body: { token, ...NEW } })).status
    await owner.json('POST', '/team-invitations', invitationTo('late@example.org'))
    const first = await mailedToken('late@example.org')
    await owner.json('POST', '/team-invitations', invitationTo('late@example.org'))
    const second = await mailedToken('late@example.org', 2)
    expect([await statusOf(first), second === first]).toEqual([404, false])
    const { invitations } = await owner.json('GET', '/team-invitations')
    const { id } = invitations.find(({ email }: { email: string }) => email === 'late@example.org')
    await owner.json('DELETE', `/team-invitations/${id}`)
    expect(await statusOf(second)).toBe(404)
    expect((await owner.send('DELETE', `/team-invitations/${id}`)).status).toBe(404)
    await owner.json('POST', '/team-invitations', invitationTo('late@example.org'))
    const third = await mailedToken('late@example.org', 3)
    const before_ms = clock.now_ms
    clock.now_ms += 7 * 86_400_000
    expect(await statusOf(third)).toBe(404)
    clock.now_ms = before_ms
  })

  test.each(['/join', '/join/look', '/join/new'])(
    'is not used up by a GET of %s from a mail scanner',
    async (path) => {
      const { linkToken, visitor } = mailless
      const token = await linkToken('scanned@example.org')
      const looked = await visitor().send('GET', `${path}?token=${token}`)
      expect(looked.status).toBe(404)
      const page = await fetch(new URL(`/console/join?token=${token}`, mailless.gateway.url))
      expect(page.status).toBe(200)
      expect((await visitor().send('POST', '/join/look', { body: { token } })).status).toBe(200)
    },
  )

  test('of a closed account is not valid, even after it reopens', async () => {
    const { gateway, visitor } = mailless
    const dan = await gateway.account('dan')
    const client = await signedIn(gateway, { account: 'dan' })
    const { url } = await client.json('POST', '/team-invitations', invitationTo('x@example.org'))
    const operator = await signedIn(gateway, 'operator')
    await operator.json('POST', `/accounts/${dan.id}/close`, { name: 'dan' })
    await operator.json('POST', `/accounts/${dan.id}/resume`, {})
    const token = new URL(url).hash.slice(1)
    expect((await visitor().send('POST', '/join/new', { body: { token, ...NEW } })).status).toBe(404)
  })

  test('with an unknown token is not found', async () => {
    for (const token of ['', 'x', 'x'.repeat(32), `${'x'.repeat(31)}'`]) {
      const refused = await mailless.visitor().send('POST', '/join/look', { body: { token } })
      expect(await errorOf(refused)).toMatchObject({ status: 404, code: 'link_not_valid' })
    }
  })

  test('opened by a member of the account changes no role, and stays valid for its recipient', async () => {
    const { person, linkToken, visitor, people, actions } = mailless
    const mia = await person('member', 'Mia')
    const token = await linkToken('new-owner@example.org', 'owner')
    const joined = () => actions().filter((action) => action === 'member.joined').length
    const before = joined()
    const refused = await mia.client.send('POST', '/join', { body: { token } })
    expect(await errorOf(refused)).toMatchObject({ status: 409, code: 'is_member' })
    expect((await people()).find(({ name }) => name === 'Mia')).toMatchObject({ role: 'member' })
    expect([joined(), (await visitor().send('POST', '/join/look', { body: { token } })).status]).toEqual([
      before,
      200,
    ])
  })

  test.each([
    ['is removed', 'POST', '/remove', {}],
    ['gets another role', 'PATCH', '', { role: 'member' }],
  ])('ends when the owner who created it %s', async (_, method, path, body) => {
    const { person, owner, visitor } = mailless
    const { person_id, client } = await person('owner', 'Old owner')
    const { url } = await client.json(
      'POST',
      '/team-invitations',
      invitationTo(`of-${person_id}@example.org`, 'owner'),
    )
    const kept = await mailless.linkToken(`kept-${person_id}@example.org`)
    await owner.json(method, `/team/${person_id}${path}`, body)
    const statusOf = async (token: string) =>
      (await visitor().send('POST', '/join/look', { body: { token } })).status
    expect([await statusOf(new URL(url).hash.slice(1)), await statusOf(kept)]).toEqual([404, 200])
  })

  test.each([
    ['is removed', removeStaff],
    ['is disabled', (tx: Tx, who: string) => disableStaff(tx, who, 1)],
    ['gets another role', (tx: Tx, who: string) => changeStaff(tx, who, { role: 'auditor' })],
  ])('ends when the operator who created it %s', async (_, end) => {
    const { db, gateway, visitor, acme } = mailless
    await personAtConsole(db, null)
    const person_id = await newPerson(db, { account_id: null, role: 'operator' })
    const client = await signedIn(gateway, { person_id, account_id: null })
    const { url } = await client.json('POST', '/team-invitations', {
      account: String(acme.id),
      ...invitationTo(`staff-${person_id}@example.org`, 'owner'),
    })
    await db.begin((tx) => end(tx, String(person_id)))
    const looked = await visitor().send('POST', '/join/look', {
      body: { token: new URL(url).hash.slice(1) },
    })
    expect(looked.status).toBe(404)
  })

  test('is built from public_url, not from a Host header', async () => {
    const { owner, mailsTo, mailedToken } = mailing
    const headers = {
      host: 'evil.example',
      'x-forwarded-host': 'evil.example',
      forwarded: 'host=evil.example',
    }
    const sent = { body: invitationTo('host@example.org'), origin: PUBLIC_URL, headers }
    expect((await owner.send('POST', '/team-invitations', sent)).status).toBe(200)
    await mailedToken('host@example.org')
    const [mail] = mailsTo('host@example.org')
    expect(mail?.text).toContain(`${PUBLIC_URL}/console/join#`)
    expect(mail?.raw).not.toContain('evil.example')
  })
})

test('an address that a member entered as their own goes to the person who verifies it', async () => {
  const { gateway, db, owner, mailedToken, visitor } = mailing
  const thief = await newPerson(
    db,
    { account_id: mailing.acme.id, role: 'member' },
    { name: 'Thief', email: 'victim@example.org' },
  )
  const other = await gateway.account('honest')
  const honest = await signedIn(gateway, { account: 'honest' }, clock.now_ms)
  await honest.json('POST', '/team-invitations', invitationTo('victim@example.org'))
  const token = await mailedToken('victim@example.org')
  expect(await visitor().json('POST', '/join/look', { token })).toMatchObject({ signs_in: false })
  await visitor().json('POST', '/join/new', { token, name: 'Victim', password: PASSWORD })
  const { people } = await owner.json('GET', '/team')
  expect(people.find(({ person_id }: { person_id: number }) => person_id === thief)).toMatchObject({
    email: null,
  })
  const entered = await visitor().json('POST', '/session', {
    account: 'victim@example.org',
    password: PASSWORD,
  })
  expect(entered.viewer).toMatchObject({ account: 'honest', account_id: other.id })
})

describe('an invitation or a join is refused for', () => {
  test.each([
    ['an invalid address', 'max', 'email'],
    ['two addresses', 'a@example.org, b@example.org', 'email'],
    ['a header in an address', 'a@example.org\r\nBcc: all@example.org', 'email'],
    ['a look-alike in another script', 'mаx@example.org', 'email'],
    ['a domain in another script', 'max@exаmple.org', 'email'],
    ['a name around it', 'Max <max@example.org>', 'email'],
  ])('%s', async (_, email, param) => {
    const refused = await mailing.owner.send('POST', '/team-invitations', { body: invitationTo(email) })
    expect(await errorOf(refused)).toMatchObject({ status: 400, param })
  })

  test.each(['operator', 'root', ''])('the role "%s"', async (role) => {
    const refused = await mailing.owner.send('POST', '/team-invitations', {
      body: invitationTo('r@example.org', role),
    })
    expect(refused.status).toBe(400)
  })

  test('a person in the account', async () => {
    const refused = await mailless.owner.send('POST', '/team-invitations', {
      body: invitationTo('zoe@example.org'),
    })
    expect(await errorOf(refused)).toMatchObject({ status: 409, code: 'is_member' })
  })

  test.each([
    ['an empty name', { name: ' ' }, 'name'],
    ['a line break in a name', { name: 'Max\r\nBcc: all' }, 'name'],
    ['a name of 101 characters', { name: 'x'.repeat(101) }, 'name'],
    ['a short password', { password: 'short' }, 'password'],
  ])('%s, and the link stays valid', async (_, wrong, param) => {
    const { linkToken, visitor } = mailless
    const token = await linkToken('names@example.org')
    const refused = await visitor().send('POST', '/join/new', { body: { token, ...NEW, ...wrong } })
    expect(await errorOf(refused)).toMatchObject({ status: 400, param })
    expect((await visitor().send('POST', '/join/look', { body: { token } })).status).toBe(200)
  })

  test('a session by key, which cannot join', async () => {
    const { gateway, linkToken } = mailless
    const key = await gateway.key('acme')
    const client = await signedIn(gateway, { key })
    const refused = await client.send('POST', '/join', { body: { token: await linkToken('k@example.org') } })
    expect(refused.status).toBe(403)
  })

  test('more than 20 invitations an hour by an account, revoked ones included, but not by the operator', async () => {
    const { gateway } = mailing
    const spammer = await gateway.account('spammer')
    const client = await signedIn(gateway, { account: 'spammer' }, clock.now_ms)
    const statuses: number[] = []
    for (let n = 0; n < 25; n += 1) {
      const answer = await client.send('POST', '/team-invitations', {
        body: invitationTo(`s${n}@example.org`),
      })
      statuses.push(answer.status)
      const [open] = (await client.json('GET', '/team-invitations')).invitations
      if (answer.ok) await client.json('DELETE', `/team-invitations/${open.id}`)
    }
    expect(statuses).toEqual([...Array(20).fill(200), ...Array(5).fill(429)])
    const operator = await signedIn(gateway, 'operator', clock.now_ms)
    await operator.json('POST', '/team-invitations', {
      ...invitationTo('s30@example.org'),
      account: String(spammer.id),
    })
  })
})

test('HTML in names is text in mails', async () => {
  const { owner_id, db, owner, mailedToken, mailsTo } = mailing
  await db.write((db) =>
    db.rows(`UPDATE people SET name = '<img src=x onerror=alert(1)>' WHERE id = ${owner_id}`),
  )
  await owner.json('POST', '/team-invitations', invitationTo('html@example.org'))
  await mailedToken('html@example.org')
  const [mail] = mailsTo('html@example.org')
  expect(mail?.html).toContain('&lt;img src=x')
  expect(mail?.html).not.toContain('<img src=x')
})

test('the audit log has invitations and joins, without tokens', async () => {
  const { gateway, actions, linkToken } = mailless
  const token = await linkToken('audited@example.org')
  expect(actions()).toEqual(expect.arrayContaining(['member.invited', 'member.joined', 'session.started']))
  const rows = JSON.stringify(gateway.db.query('SELECT * FROM actions').all())
  expect(rows).toContain('audited@example.org')
  expect(rows).not.toContain(token)
})
