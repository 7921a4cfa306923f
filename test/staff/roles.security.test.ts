// Roles of the staff: the limits of each role, the effect of changes in open sessions, and attacks by addresses, links and pages.
import { describe, expect, test } from 'bun:test'
import { changeDetails } from '../../src/access/account-details.ts'
import { catalogueOf, PROVIDER_KEYS } from '../support/catalogue.ts'
import { givePasswords } from '../support/console.ts'
import { type ConsoleClient, clientOf, errorOf, signedIn } from '../support/console-session.ts'
import { fileGateway } from '../support/gateway.ts'
import { newPerson, personAtConsole } from '../support/people.ts'

const SECRETS = {
  SMTP_URL: 'smtp://gateway:smtp-secret-word@127.0.0.1:2525',
  PROVIDER_KEY: 'provider-secret-of-env',
  WEBHOOK: 'https://hooks.example.com/secret-path-of-the-webhook',
}
const OF_PROVIDER = 'client-secret-of-the-identity-provider'
const OF_CHALLENGE = '1x0000000000000000000000000000000AA'
const SIGNING = `whsec_${Buffer.from('a secret of thirty-two bytes ok!').toString('base64')}`
/** A time after the creation of the scene's operator, from which the audit log names them. */
const clock = { now_ms: Date.now() + 60_000 }
const gateway = await fileGateway({
  now: () => clock.now_ms,
  sweep_every_ms: 3_600_000,
  env: SECRETS,
  catalogue: catalogueOf({
    upstream_url: 'http://127.0.0.1:9',
    server: 'public_url = "https://gateway.example.com"',
    api_keys: [PROVIDER_KEYS[0], 'env:PROVIDER_KEY'],
    more: `[mail]\nsmtp = "env:SMTP_URL"\nfrom = "Example AI <noreply@example.com>"
[alerts]\nwebhook_url = "env:WEBHOOK"\nwebhook_secret = "${SIGNING}"
[sign_up]\nmode = "open"\nchallenge = "turnstile"\nturnstile_site_key = "1x00000000000000000000AA"\nturnstile_secret = "${OF_CHALLENGE}"
[[sign_in.oidc]]\nname = "example"\nissuer = "https://id.example.com"\nclient_id = "tollgate"\nclient_secret = "${OF_PROVIDER}"\nfor = "both"`,
  }),
})
const { store } = gateway
const sql = (text: string) => store.write((db) => db.rows(text))
await givePasswords(gateway, [])
const operator = await signedIn(gateway, 'operator')
const ada = await gateway.account('ada', { balance_usd: '1' })

interface Member {
  id: number
  email: string
  client: ConsoleClient
}
async function member(role: 'operator' | 'support' | 'auditor'): Promise<Member> {
  const email = `${role}-${crypto.randomUUID()}@example.com`
  const id = await newPerson(store, { account_id: null, role }, { email })
  await sql(`INSERT INTO passwords (person_id, hash, set_at_ms) VALUES (${id}, '$argon2id$x', 1)`)
  return { id, email, client: await signedIn(gateway, { person_id: id, account_id: null }, clock.now_ms) }
}
const suspend = (client: ConsoleClient) => client.send('POST', '/accounts/ada/suspend')

describe('during a session', () => {
  test('a lowered role takes effect from the next request', async () => {
    const { id, client } = await member('operator')
    expect((await client.send('GET', '/staff')).status).toBe(200)
    await operator.json('PATCH', `/staff/${id}`, { role: 'auditor' })
    expect(await errorOf(await suspend(client))).toMatchObject({
      status: 403,
      message: 'Your role is auditor, which may not do this. Ask an operator.',
    })
    expect((await client.send('PATCH', `/staff/${id}`, { body: { role: 'operator' } })).status).toBe(403)
  })

  test('a change by an operator who becomes an auditor at the same moment comes first or is refused', async () => {
    const one = await member('operator')
    const two = await member('operator')
    for (let round = 0; round < 5; round++) {
      await operator.json('PATCH', `/staff/${one.id}`, { role: 'operator' })
      const [lowering, change] = await Promise.all([
        operator.send('PATCH', `/staff/${one.id}`, { body: { role: 'auditor' } }),
        one.client.send('PATCH', `/staff/${two.id}`, { body: { name: `By one, ${round}` } }),
      ])
      expect(lowering.status).toBe(200)
      const { actions } = await operator.json('GET', '/audit-log?area=staff&limit=2')
      const order = actions.map(({ subject }: { subject: string }) => subject)
      if (change.status === 200) expect(order).toEqual([one.email, two.email])
      else expect([401, 403]).toContain(change.status)
    }
  })

  test('disabling a person ends their sessions and links at once, and enabling does not restore them', async () => {
    const { id, client } = await member('support')
    const { url } = await operator.json('POST', `/staff/${id}/link`, { as_link: true })
    await operator.json('POST', `/staff/${id}/disable`)
    expect((await client.send('GET', '/accounts')).status).toBe(401)
    await operator.json('POST', `/staff/${id}/enable`)
    expect((await client.send('GET', '/accounts')).status).toBe(401)
    const token = new URL(url).hash.slice(1)
    expect((await clientOf(gateway).send('POST', '/links/look', { body: { token } })).status).toBe(404)
  })

  test('removing a person ends their sessions at once, and their earlier links open none', async () => {
    const { id, client } = await member('operator')
    const { url } = await operator.json('POST', `/staff/${id}/link`, { as_link: true })
    await operator.json('DELETE', `/staff/${id}`)
    expect((await client.send('GET', '/accounts')).status).toBe(401)
    const body = { token: new URL(url).hash.slice(1), password: 'correct horse battery' }
    expect((await clientOf(gateway).send('POST', '/links/accept', { body })).status).toBe(404)
    expect(await store.rows(`SELECT id FROM passwords WHERE person_id = ${id}`)).toEqual([])
  })
})

describe('a session without a recent sign-in cannot change the staff', () => {
  test.each([
    ['add', 'POST', '/staff', { name: 'Eve', email: 'eve@example.com', role: 'operator' }],
    ['change', 'PATCH', '/staff/1', { role: 'support' }],
    ['remove', 'DELETE', '/staff/1', undefined],
    ['disable', 'POST', '/staff/1/disable', undefined],
    ['enable', 'POST', '/staff/1/enable', undefined],
    ['a link', 'POST', '/staff/1/link', {}],
  ])('%s', async (_, method, path, body) => {
    const { client } = await member('operator')
    const before = (await client.json('GET', '/staff')).staff
    clock.now_ms += 11 * 60_000
    const answer = await errorOf(await client.send(method, path, body === undefined ? {} : { body }))
    expect([answer.status, answer.code]).toEqual([403, 'confirm_sign_in'])
    expect((await client.json('GET', '/staff')).staff).toMatchObject(
      before.map(({ id, role, state }: { id: number; role: string; state: string }) => ({ id, role, state })),
    )
    clock.now_ms -= 11 * 60_000
  })
})

describe('a page of another origin cannot change the staff', () => {
  test.each([null, 'null', 'https://evil.example'])('%s', async (origin) => {
    const { id, client } = await member('operator')
    const other = await member('support')
    for (const [method, path, body] of [
      ['POST', '/staff', { name: 'Eve', email: 'eve@example.com', role: 'operator' }],
      ['PATCH', `/staff/${other.id}`, { role: 'operator' }],
      ['DELETE', `/staff/${id}`, {}],
      ['POST', `/staff/${other.id}/disable`, {}],
      ['POST', `/staff/${other.id}/link`, { as_link: true }],
    ] as const) {
      const answer = await client.send(method, path, { origin, body })
      expect([method, path, answer.status]).toEqual([method, path, 403])
    }
    expect((await other.client.json('GET', '/session')).viewer).toMatchObject({ role: 'support' })
  })
})

describe('an unverified address of a staff member', () => {
  test('is taken from the member of an account who entered it first, and gives them no role', async () => {
    const mallory = await newPerson(
      store,
      { account_id: ada.id, role: 'member' },
      { name: 'Mallory', email: 'boss@example.com' },
    )
    const at_account = await signedIn(gateway, { person_id: mallory, account_id: ada.id })
    const { person, was_here, url } = await operator.json('POST', '/staff', {
      ...{ name: 'The boss', email: 'boss@example.com', role: 'operator', as_link: true },
    })
    expect([was_here, person.name, person.id !== mallory]).toEqual([false, 'The boss', true])
    expect(url).toContain('#')
    expect((await at_account.json('GET', '/session')).viewer).toMatchObject({ role: 'member' })
    expect(await store.rows(`SELECT email FROM people WHERE id = ${mallory}`)).toEqual([{ email: null }])
    expect(await store.rows(`SELECT role FROM staff WHERE person_id = ${mallory}`)).toEqual([])
  })
})

describe('the invitation of an account', () => {
  test('is refused if its owner is an operator, as a link and as a mail', async () => {
    const bob = await gateway.account('bob')
    await changeDetails(store, 'bob', { email: 'billing@bob.example' })
    const owner = await personAtConsole(store, bob.id)
    await sql(`UPDATE people SET email = 'bob@example.com', email_verified_at_ms = 1 WHERE id = ${owner}`)
    await operator.json('POST', '/staff', { name: 'Bob', email: 'bob@example.com', role: 'operator' })
    const support = await member('support')
    for (const client of [support.client, operator])
      for (const body of [{ account: 'bob' }, { account: 'bob', as_link: true }]) {
        const refused = await errorOf(await client.send('POST', '/invitations', { body }))
        if (client === operator || !('as_link' in body))
          expect(refused).toMatchObject({
            status: 409,
            message:
              'The owner of "bob" is of the staff, and signs in as such. An operator makes a link for them by `tollgate console link --email bob@example.com`.',
          })
        else expect(refused.status).toBe(403)
      }
    expect(await store.rows(`SELECT id FROM mails WHERE recipient = 'billing@bob.example'`)).toEqual([])
  })

  test('by support is mailed, and never returned as a link', async () => {
    await gateway.account('carl')
    const { client } = await member('support')
    expect(
      await errorOf(await client.send('POST', '/invitations', { body: { account: 'carl' } })),
    ).toMatchObject({
      status: 409,
      message:
        'There is no email address that an invitation of "carl" can go to. Ask an operator for a link.',
    })
    const as_link = { account: 'carl', as_link: true }
    expect(await errorOf(await client.send('POST', '/invitations', { body: as_link }))).toMatchObject({
      status: 403,
      code: 'role_may_not',
    })
    await changeDetails(store, 'carl', { email: 'carl@example.com' })
    expect(await client.json('POST', '/invitations', { account: 'carl' })).toMatchObject({
      url: null,
      mailed_to: 'carl@example.com',
    })
    expect(
      (await client.send('PATCH', '/accounts/carl', { body: { email: 'mine@example.com' } })).status,
    ).toBe(403)
  })
})

describe('support and auditors', () => {
  test('can end only their own sessions', async () => {
    const [row] = await store.rows<{ id: number }>('SELECT id FROM sessions ORDER BY id LIMIT 1')
    for (const role of ['support', 'auditor'] as const) {
      const { client } = await member(role)
      const refused = await errorOf(await client.send('DELETE', `/sessions/${row?.id}`))
      expect([refused.status, refused.message]).toEqual([404, 'Session not found. It may have ended.'])
      const { viewer } = await client.json('GET', '/session')
      expect(await client.json('DELETE', `/sessions/${viewer.session_id}`)).toEqual({ ended: 1 })
    }
    expect((await operator.send('GET', '/sessions')).status).toBe(200)
  })

  test('cannot reopen a closed account; support can resume a suspended one', async () => {
    await gateway.account('dora')
    const { client } = await member('support')
    await client.json('POST', '/accounts/dora/suspend')
    expect(await client.json('POST', '/accounts/dora/resume')).toMatchObject({ status: 'active' })
    await operator.json('POST', '/accounts/dora/close', { name: 'dora' })
    expect(await errorOf(await client.send('POST', '/accounts/dora/resume'))).toMatchObject({
      code: 'role_may_not',
    })
    expect(await operator.json('GET', '/accounts/dora')).toMatchObject({ status: 'closed' })
  })

  test('cannot read secrets: keys of providers, the mail server’s password, the webhook', async () => {
    const secrets = [
      ...PROVIDER_KEYS.slice(0, 1),
      SECRETS.PROVIDER_KEY,
      'smtp-secret-word',
      'secret-path-of-the-webhook',
      SIGNING,
      OF_PROVIDER,
      OF_CHALLENGE,
    ]
    const paths = [
      '/catalogue /catalogue/settings /catalogue/known /catalogue/versions /catalogue/versions/1 /providers /providers.csv',
      '/system /alerts /mails /mails.csv /backups /plugins /doctor /audit-log?limit=1000 /audit-log.csv /sessions?whose=all',
      '/models /models/detail?id=test-model /health /overview /staff /identity-providers /identities /sign-up /sign-ups /sign-up-invitations /team?account=ada /keys /keys.csv /search?q=secret',
    ].flatMap((line) => line.split(' '))
    for (const role of ['support', 'auditor'] as const) {
      const { client } = await member(role)
      for (const path of paths) {
        const answer = await client.send('GET', path)
        const text = await answer.text()
        expect([path, answer.status, secrets.filter((secret) => text.includes(secret))]).toEqual([
          path,
          200,
          [],
        ])
      }
    }
  })
})
