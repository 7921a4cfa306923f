// A suspended account and its people: the reason, the remaining rights, and the refusals in open sessions and for existing keys.
import { beforeAll, describe, expect, test } from 'bun:test'
import { suspendAccount } from '../../src/access/accounts.ts'
import { reopenAccount } from '../../src/access/closing.ts'
import { confirmViewer } from '../../src/access/confirm-viewer.ts'
import type { Viewer } from '../../src/access/viewer.ts'
import { MODEL } from '../support/catalogue.ts'
import { type ConsoleClient, clientOf, signedIn } from '../support/console-session.ts'
import { eventually } from '../support/eventually.ts'
import { answer, ask, wholePath } from '../support/native.ts'
import { newPerson } from '../support/people.ts'
import { whole } from '../support/upstream.ts'
import { PASSWORD, teamScene } from './scene.ts'

const SCENE = await teamScene({ has_mail: false })
const { gateway, db, acme, owner, owner_id } = SCENE
const TO_DO = {
  operator: 'This account is suspended. Ask the operator of this gateway to resume it.',
  lost_dispute:
    'This account is suspended, since a bank took a payment back. Pay what the account owes at the console, then ask the operator of this gateway to resume it.',
}
const WORDS = 'The card was reported as stolen'
const CHAT = { model: MODEL, messages: [{ role: 'user', content: 'Hello' }] }

const errorOf = async (answer: Response) => {
  const { error } = (await answer.json()) as { error: { code: string; message: string } }
  return { status: answer.status, code: error.code, message: error.message }
}
const sessionOf = async (client: ConsoleClient) => (await client.json('GET', '/session')).viewer
const operator = await signedIn(gateway, 'operator')
const member = (await SCENE.person('member')).client
const billing = (await SCENE.person('billing')).client
const key = await gateway.key('acme')
const key_client = await signedIn(gateway, { key })
const call = (with_key: string) => gateway.call(wholePath(), ask(), { key: with_key })
let token = ''

beforeAll(async () => {
  SCENE.upstream.answer(whole(answer()))
  expect((await call(key)).status).toBe(200)
  token = await SCENE.linkToken('new@example.com')
  await operator.json('POST', `/accounts/${acme.id}/suspend`, { words: ` ${WORDS} ` })
})

describe('the people see the reason', () => {
  test.each([
    ['an owner', owner, '0.00'],
    ['billing', billing, '0.00'],
    ['a member, who sees no payments', member, null],
  ])('as %s, in an open session', async (_, client, debt_usd) => {
    expect(await sessionOf(client)).toMatchObject({
      account: 'acme',
      suspension: { reason: 'operator', words: WORDS, suspended_at_ms: expect.any(Number), debt_usd },
    })
  })

  test('in a new session', async () => {
    const person_id = await newPerson(db, { account_id: acme.id, role: 'owner' }, { name: 'olga' })
    expect(await sessionOf(await signedIn(gateway, { person_id, account_id: acme.id }))).toMatchObject({
      suspension: { words: WORDS },
    })
  })

  test('as staff in the list and in the account, and as an owner in the audit log', async () => {
    const suspended = { status: 'suspended', suspension_reason: 'operator', suspension_words: WORDS }
    expect(await operator.json('GET', `/accounts/${acme.id}`)).toMatchObject(suspended)
    expect((await operator.json('GET', '/accounts?search=acme')).accounts).toMatchObject([suspended])
    const { actions } = await owner.json('GET', '/audit-log')
    expect(actions.find(({ action }: { action: string }) => action === 'account.suspended')).toMatchObject({
      after: { status: 'suspended', reason: 'operator', words: WORDS },
    })
  })

  test.each([
    ['several lines', 'one\ntwo'],
    ['more than 500 characters', 'x'.repeat(501)],
  ])('words of %s are refused', async (_, words) => {
    expect((await operator.send('POST', `/accounts/${acme.id}/suspend`, { body: { words } })).status).toBe(
      400,
    )
    expect(await operator.json('GET', `/accounts/${acme.id}`)).toMatchObject({ suspension_words: WORDS })
  })
})

describe('API keys', () => {
  const calls = () => gateway.rows().calls.length
  test.each(['operator', 'lost_dispute'] as const)(
    'are refused with the remedy for the reason %s, without the operator’s words',
    async (reason) => {
      const name = `of-${reason}`
      await gateway.account(name, { balance_usd: '1' })
      const own = await gateway.key(name)
      const before = calls()
      await suspendAccount(db, name, {
        reason,
        words: reason === 'operator' ? WORDS : '',
        now_ms: Date.now(),
      })
      const answer = await call(own)
      expect(answer.status).toBe(403)
      const text = await answer.text()
      expect(text).toContain(TO_DO[reason])
      expect(text).not.toContain(WORDS)
      expect(calls()).toBe(before)
    },
  )

  test('open no sessions, and their open ones are refused everywhere', async () => {
    for (const path of ['/keys', '/calls', '/overview', '/sessions'])
      expect((await errorOf(await key_client.send('GET', path))).message).toBe(TO_DO.operator)
    expect(await sessionOf(key_client)).toBeNull()
    const opened = await clientOf(gateway).send('POST', '/session', { body: { key } })
    expect(await errorOf(opened)).toMatchObject({ status: 403, message: TO_DO.operator })
  })
})

describe('the people cannot', () => {
  const key_id = () => gateway.db.query<{ id: number }, []>('SELECT id FROM keys').get()?.id
  test.each<[string, string, () => string, unknown]>([
    ['create a key', 'POST', () => '/keys', { name: 'second' }],
    ['rotate a key', 'POST', () => `/keys/${key_id()}/rotate`, {}],
    ['raise a key’s limit', 'PATCH', () => `/keys/${key_id()}`, { limits: {} }],
    ['call a model from the playground', 'POST', () => '/play/chat', CHAT],
    ['create the playground’s key', 'POST', () => '/play/key', undefined],
    ['upload a file', 'POST', () => '/files', undefined],
    ['invite a person', 'POST', () => '/team-invitations', { email: 'x@example.com', role: 'owner' }],
    ['remove a person', 'POST', () => `/team/${owner_id}/remove`, {}],
    ['make a person an owner', 'PATCH', () => `/team/${owner_id}`, { role: 'owner' }],
    ['redeem a voucher', 'POST', () => '/vouchers/redeem', { code: 'AAAA-AAAA-AAAA-AAAA' }],
    ['buy a plan', 'POST', () => '/plan/buy', { plan: 'pro' }],
    ['turn automatic top-up on', 'PUT', () => '/automatic-top-up', {}],
  ])('%s, and read the remedy', async (_, method, path, body) => {
    expect(await errorOf(await owner.send(method, path(), { body }))).toEqual({
      ...{ status: 403, code: 'account_suspended', message: TO_DO.operator },
    })
  })

  test('do more than their role allows, which is refused for that reason first', async () => {
    const refused = await billing.send('POST', '/keys', { body: { name: 'x' } })
    expect(await errorOf(refused)).toMatchObject({ code: 'role_may_not' })
  })

  test('leave a new key, invitation or call by these attempts', async () => {
    const count = (table: string) =>
      gateway.db.query(`SELECT count(*) AS n FROM ${table} WHERE account_id = ?`).get(acme.id)
    expect(['keys', 'invitations', 'calls'].map(count)).toEqual([{ n: 1 }, { n: 1 }, { n: 1 }])
  })

  test('join by an earlier invitation, as new or existing people, until the account is resumed', async () => {
    const look = { body: { token } }
    const joined = await clientOf(gateway).send('POST', '/join/new', {
      body: { token, name: 'Nina', password: PASSWORD },
    })
    expect(await errorOf(joined)).toMatchObject({ status: 403, code: 'account_suspended' })
    const bert = await gateway.account('bert')
    const person_id = await newPerson(db, { account_id: bert.id, role: 'owner' }, { name: 'bert' })
    const client = await signedIn(gateway, { person_id, account_id: bert.id })
    expect((await client.send('POST', '/join', look)).status).toBe(403)
    expect((await client.json('GET', '/session/accounts')).sides).toHaveLength(1)
    await reopenAccount(db, 'acme')
    expect((await client.send('POST', '/join', look)).status).toBe(200)
    await suspendAccount(db, 'acme', { words: WORDS, now_ms: Date.now() })
  })
})

describe('the remaining rights', () => {
  test.each([
    ['the balance', '/overview'],
    ['transactions', '/entries'],
    ['transactions as a file', '/entries.csv'],
    ['the statement', '/statement'],
    ['calls as a file', '/calls.csv'],
    ['keys', '/keys'],
    ['orders', '/orders'],
    ['payment methods', '/payment-methods'],
    ['the plan', '/plan'],
    ['the team', '/team'],
    ['their accounts', '/session/accounts'],
    ['their sign-in', '/me'],
  ])('an owner sees %s', async (_, path) => {
    const answer = await owner.send('GET', path)
    expect(answer.status).toBe(200)
    await answer.body?.cancel()
  })

  test('a member sees their keys, and still cannot pay', async () => {
    expect((await member.send('GET', '/keys')).status).toBe(200)
    expect(await errorOf(await member.send('POST', '/orders', { body: {} }))).toMatchObject({
      code: 'role_may_not',
    })
  })

  test('owners and billing can place orders', async () => {
    for (const client of [owner, billing])
      expect((await errorOf(await client.send('POST', '/orders', { body: {} }))).status).toBe(400)
  })

  test('a person changes their name, and signs out', async () => {
    const { client } = await SCENE.person('owner', 'lea')
    await client.json('PUT', '/me', { name: 'Lea' })
    await client.json('DELETE', '/session')
    expect((await client.send('GET', '/keys')).status).toBe(401)
  })

  test('an owner reads the live feed', async () => {
    const feed = await owner.send('GET', '/live')
    expect(feed.status).toBe(200)
    await feed.body?.cancel()
  })
})

test('a change is refused if its account is suspended during the request', async () => {
  const { id } = await gateway.account('cora')
  const person_id = await newPerson(db, { account_id: id, role: 'owner' })
  const viewer: Viewer = {
    side: 'account',
    role: 'owner',
    session_id: 1,
    account_id: id,
    account: 'cora',
    person_id,
    sees: 'account',
  }
  const confirm = (of: Viewer) => db.begin((tx) => confirmViewer(tx, of))
  await confirm(viewer)
  await suspendAccount(db, 'cora', { reason: 'lost_dispute', now_ms: 0 })
  await expect(confirm(viewer)).rejects.toMatchObject({ kind: 'conflict', code: 'account_suspended' })
  await confirm({ ...viewer, suspended_for: 'lost_dispute' })
  await reopenAccount(db, 'cora')
  await confirm({ ...viewer, suspended_for: 'lost_dispute' })
})

test('resuming an account restores its calls and the rights of its sessions', async () => {
  await operator.json('POST', `/accounts/${acme.id}/resume`)
  expect(await sessionOf(owner)).toMatchObject({
    suspension: null,
    rights: expect.arrayContaining(['manage_keys']),
  })
  expect((await owner.send('POST', '/keys', { body: { name: 'second' } })).status).toBe(200)
  // Keys are cached for a second.
  await eventually('the key works', async () => (await call(key)).status === 200)
})
