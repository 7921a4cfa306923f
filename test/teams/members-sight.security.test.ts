// The view of a member: only their own keys and the calls of these, in the console and in the API.
import { describe, expect, test } from 'bun:test'
import { changeDetails } from '../../src/access/account-details.ts'
import { createKey } from '../../src/access/keys.ts'
import { MODEL } from '../support/catalogue.ts'
import { type ConsoleClient, errorOf, signedIn } from '../support/console-session.ts'
import { eventually } from '../support/eventually.ts'
import { answer, ask, wholePath } from '../support/native.ts'
import { newPerson } from '../support/people.ts'
import { idOf } from '../support/request-lines.ts'
import { fileScene } from '../support/scene.ts'
import { whole } from '../support/upstream.ts'

const { gateway } = await fileScene({ script: whole(answer()) })
const { store: db } = gateway
const alice = await gateway.account('alice', { balance_usd: '10' })
const max = await newPerson(db, { account_id: alice.id, role: 'member' }, { name: 'max' })
const eve = await newPerson(db, { account_id: alice.id, role: 'member' }, { name: 'eve' })
const bill = await newPerson(db, { account_id: alice.id, role: 'billing' }, { name: 'bill' })

const keyOf = (person_id: number | null, name: string) =>
  createKey(db, 'alice', { name, person_id }, { randomBytes, now_ms: Date.now() })
const randomBytes = (length: number) => crypto.getRandomValues(new Uint8Array(length))
const [maxs, second, eves, shared] = await Promise.all([
  keyOf(max, 'of-max'),
  keyOf(max, 'second'),
  keyOf(eve, 'of-eve'),
  keyOf(null, 'shared'),
])
const call = async ({ text: key }: { text: string }, model?: string) =>
  await idOf(await gateway.call(wholePath(model), ask(), { key }))
const ids = {
  maxs: await call(maxs),
  second: await call(second),
  eves: await call(eves),
  shared: await call(shared),
  refused: await call(maxs, 'none'),
  others_refused: await call(eves, 'none'),
}
const refusals = () => gateway.db.query('SELECT id FROM refusals').all()
await gateway.rest()
await eventually('both refusals are recorded', () => refusals().length === 2)
let member = await signedIn(gateway, { person_id: max, account_id: alice.id })
const other = await signedIn(gateway, { person_id: eve, account_id: alice.id })
const owner = await signedIn(gateway, { account: 'alice' })
const billing = await signedIn(gateway, { person_id: bill, account_id: alice.id })

const namesOf = (rows: { name: string }[]) => rows.map(({ name }) => name).sort()
const callsSeen = async (client: ConsoleClient) =>
  (await client.json('GET', '/calls?outcome=call')).calls
    .map(({ request_id }: { request_id: string }) => request_id)
    .sort()

describe('a member', () => {
  test('sees the calls of all their keys, and the sums of these', async () => {
    expect((await member.json('GET', '/session')).viewer).toMatchObject({
      role: 'member',
      see_account: false,
    })
    expect(await callsSeen(member)).toEqual([ids.maxs, ids.second].sort())
    expect(namesOf((await member.json('GET', '/keys')).keys)).toEqual(['of-max', 'second'])
    expect(namesOf((await member.json('GET', '/call-filters')).keys)).toEqual(['of-max', 'second'])
    for (const by of ['model', 'key', 'day'])
      expect((await member.json('GET', `/usage?by=${by}`)).total).toMatchObject({ calls: 2 })
    expect(await member.json('GET', '/overview')).toMatchObject({ totals: { calls: 2 }, money: null })
    expect((await member.json('GET', '/call-sums')).calls).toBe(2)
    expect(await member.json('GET', '/refusals')).toMatchObject({ refused: 1 })
    expect((await member.json('GET', `/search?q=${ids.second}`)).calls).toHaveLength(1)
    expect([maxs.key.id, second.key.id]).toContain((await member.json('GET', '/start')).account.key_id)
    expect((await member.json('GET', '/history').catch(String)) as string).toContain('403')
  })

  test.each(['calls', 'keys', 'usage', 'sessions', 'audit-log'])(
    'sees no data of others in %s.csv',
    async (list) => {
      const csv = await (await member.send('GET', `/${list}.csv`)).text()
      for (const text of [ids.eves, ids.shared, ids.others_refused, 'of-eve', 'shared'])
        expect([list, csv.includes(text)]).toEqual([list, false])
    },
  )

  test.each([
    ['a call of another key', () => `/calls/${ids.eves}`, 404],
    ['a call of the account’s key', () => `/calls/${ids.shared}`, 404],
    ['a refused request of another key', () => `/refusals/${ids.others_refused}`, 404],
    ['calls of another key', () => `/calls?key=${eves.key.id}`, 404],
    ['calls of another key by its prefix', () => `/calls?key=${eves.key.prefix}`, 404],
    ['calls of another key as a file', () => `/calls.csv?key=${eves.key.id}`, 404],
    ['usage of another key', () => `/usage?key=${eves.key.id}`, 404],
    ['the overview of another key', () => `/overview?key=${eves.key.id}`, 404],
    ['refusals of another key', () => `/refusals?key=${eves.key.id}`, 404],
    ['failed calls of another key', () => `/failed-calls?key=${eves.key.id}`, 404],
    ['the audit log of another key', () => `/audit-log?key=${eves.key.id}`, 404],
    ['another key', () => `/keys/${eves.key.id}`, 404],
    ['the account’s key', () => `/keys/${shared.key.id}`, 404],
    ['the first call of another key', () => `/first-call?key_id=${eves.key.id}`, 404],
    ['entries', () => '/entries', 403],
    ['entries as a file', () => '/entries.csv', 403],
    ['the sums of entries', () => '/entry-sums', 403],
    ['the statement', () => '/statement', 403],
    ['the statement as a file', () => '/statement.csv', 403],
  ])('is refused %s', async (_, path, status) => {
    expect((await member.send('GET', path())).status).toBe(status)
  })

  test('does not find calls, keys and refused requests of others', async () => {
    const found = await Promise.all(
      [ids.eves, ids.others_refused, 'of-eve', eves.key.prefix].map((q) =>
        member.json('GET', `/search?q=${q}`),
      ),
    )
    for (const { calls, refusals, keys } of found) expect([calls, refusals, keys]).toEqual([[], [], []])
  })

  test.each([
    ['PATCH', '', { name: 'mine' }],
    ['POST', '/rotate', {}],
    ['POST', '/revoke', undefined],
  ])('gets 404 for %s of another key%s, which changes nothing', async (method, path, body) => {
    for (const { key } of [eves, shared]) {
      const refused = await member.send(method, `/keys/${key.id}${path}`, { body })
      expect(refused.status).toBe(404)
    }
    const { keys } = gateway.rows()
    expect(keys.filter(({ name, revoked_at_ms }) => name === 'mine' || revoked_at_ms !== null)).toEqual([])
    expect(keys).toHaveLength(5)
  })

  test('creates keys only for themselves', async () => {
    const made = await member.json('POST', '/keys', { name: 'third' })
    expect(made.key).toMatchObject({ person_id: max, person: 'max' })
    expect(namesOf((await member.json('GET', '/keys')).keys)).toEqual(['of-max', 'second', 'third'])
    expect(namesOf((await other.json('GET', '/keys')).keys)).toEqual(['of-eve'])
    const refused = await member.send('POST', '/keys', { body: { name: 'x', person: eve } })
    expect(await errorOf(refused)).toMatchObject({ status: 404, param: 'person' })
    const rotated = await member.json('POST', `/keys/${made.key.id}/rotate`, {})
    expect(rotated.key).toMatchObject({ person_id: max })
    await member.json('POST', `/keys/${rotated.key.id}/revoke`)
  })

  test('calls from the playground with their own key, and sees these calls', async () => {
    const body = { model: MODEL, messages: [{ role: 'user', content: 'Hello' }] }
    expect((await member.send('POST', '/play/chat', { body })).status).toBe(200)
    await gateway.rest()
    expect(await callsSeen(member)).toHaveLength(3)
    expect(await callsSeen(other)).toEqual([ids.eves])
  })

  test('cannot end sessions of other keys or people', async () => {
    const by_key = await signedIn(gateway, { key: eves.text })
    const listed = (await member.json('GET', '/sessions')).sessions
    expect(listed).toHaveLength(1)
    const [own] = (await by_key.json('GET', '/sessions')).sessions
    expect((await member.send('DELETE', `/sessions/${own.id}`)).status).toBe(404)
    const again = await signedIn(gateway, { person_id: max, account_id: alice.id })
    await again.json('DELETE', '/sessions')
    expect((await by_key.send('GET', '/sessions')).status).toBe(200)
    expect((await other.send('GET', '/sessions')).status).toBe(200)
    member = await signedIn(gateway, { person_id: max, account_id: alice.id })
  })
})

describe('an owner and a person of billing', () => {
  test('see all calls, and the person of each key', async () => {
    for (const client of [owner, billing]) {
      expect(await callsSeen(client)).toContain(ids.eves)
      expect((await client.send('GET', '/entries')).status).toBe(200)
      const { keys } = await client.json('GET', '/keys?search=of-max')
      expect(keys).toMatchObject([{ person: 'max', person_id: max }])
    }
  })

  test('an owner and an operator can create a key for a member, not for billing, disabled people or other accounts', async () => {
    const operator = await signedIn(gateway, 'operator')
    const account = String(alice.id)
    const by_operator = await operator.json('POST', '/keys', { name: 'lent', account, person: eve })
    expect(by_operator.key).toMatchObject({ person: 'eve' })
    await operator.json('POST', `/keys/${by_operator.key.id}/revoke`)
    const made = await owner.json('POST', '/keys', { name: 'gift', person: eve })
    expect(made.key).toMatchObject({ person: 'eve' })
    expect(namesOf((await other.json('GET', '/keys')).keys)).toEqual(['gift', 'lent', 'of-eve'])
    const bob = await gateway.account('bob')
    const dora = await newPerson(db, { account_id: alice.id, role: 'member' }, { name: 'dora' })
    await db.write((db) => db.rows(`UPDATE people SET disabled_at_ms = 1 WHERE id = ${dora}`))
    for (const person of [
      bill,
      dora,
      await newPerson(db, { account_id: bob.id, role: 'member' }, { name: 'ben' }),
      999,
    ])
      for (const [client, body] of [
        [owner, { name: 'x', person }],
        [operator, { name: 'x', person, account }],
      ] as const)
        expect((await client.send('POST', '/keys', { body })).status).toBe(404)
  })

  test('billing cannot create keys or make calls', async () => {
    expect((await billing.send('POST', '/keys', { body: { name: 'x' } })).status).toBe(403)
    expect((await billing.send('POST', '/play/chat', { body: {} })).status).toBe(403)
  })
})

describe('a member’s key', () => {
  const api = async (path: string) => {
    const response = await gateway.call(`/api/v1/${path}`, undefined, { key: maxs.text, method: 'GET' })
    return { status: response.status, text: await response.text() }
  }

  test.each([false, true])(
    'sees only its own calls, even if limited keys see the account: %p',
    async (allowed) => {
      await changeDetails(db, 'alice', { keys_see_account: allowed })
      const { text } = await api('usage')
      expect([text.includes(ids.maxs), text.includes(ids.eves), text.includes(ids.shared)]).toEqual([
        true,
        false,
        false,
      ])
      expect((await api('refusals')).text).not.toContain(ids.others_refused)
      expect((await api(`usage?key=${eves.key.prefix}`)).status).toBe(403)
      expect((await api('entries')).status).toBe(403)
      const session = await signedIn(gateway, { key: maxs.text })
      expect(await callsSeen(session)).toEqual([ids.maxs])
      await changeDetails(db, 'alice', { keys_see_account: false })
    },
  )

  test('of an owner sees all of the account', async () => {
    const [{ id }] = (await db.rows<{ id: number }>(
      "SELECT person_id AS id FROM memberships WHERE role = 'owner'",
    )) as [{ id: number }]
    const { text } = await keyOf(id, 'of-owner')
    const response = await gateway.call('/api/v1/usage', undefined, { key: text, method: 'GET' })
    expect(await response.text()).toContain(ids.eves)
  })
})

test('the live feed of a member has only their calls, including those of a key added meanwhile', async () => {
  const feed = await fetch(new URL('/console/api/live', gateway.url), { headers: { cookie: other.cookie } })
  const reader = feed.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  const reading = (async () => {
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) text += part.value
  })()
  const of_max = await idOf(await gateway.call(wholePath(), ask(), { key: maxs.text }))
  const of_eve = await idOf(await gateway.call(wholePath(), ask(), { key: eves.text }))
  await eventually('their own call is seen', () => text.includes(of_eve))
  expect(text).not.toContain(of_max)
  const { text: gift } = await keyOf(eve, 'live')
  await eventually('a call of the new key is seen', async () => {
    await (await gateway.call(wholePath(), ask(), { key: gift })).text()
    return text.includes(gift.slice(0, 10))
  })
  await reader?.cancel()
  await reading
})

test('a lowered role and a removal take effect at once in an open session', async () => {
  const carl = await newPerson(db, { account_id: alice.id, role: 'owner' }, { name: 'carl' })
  const client = await signedIn(gateway, { person_id: carl, account_id: alice.id })
  expect((await client.send('GET', '/entries')).status).toBe(200)
  await db.write((db) => db.rows(`UPDATE memberships SET role = 'member' WHERE person_id = ${carl}`))
  expect((await client.send('GET', '/entries')).status).toBe(403)
  expect(await callsSeen(client)).toEqual([])
  expect((await client.json('GET', '/keys')).keys).toEqual([])
  await db.write((db) => db.rows(`DELETE FROM memberships WHERE person_id = ${carl}`))
  expect((await client.send('GET', '/keys')).status).toBe(401)
})
