// The people of an account: roles, removals and their keys, and attempts without the right to change them.
import { beforeEach, describe, expect, test } from 'bun:test'
import { createKey } from '../../src/access/keys.ts'
import { changeRole, removeMember } from '../../src/access/team.ts'
import { type ConsoleClient, errorOf, signedIn } from '../support/console-session.ts'
import { eventually } from '../support/eventually.ts'
import { answer, ask, wholePath } from '../support/native.ts'
import { newPerson } from '../support/people.ts'
import { heldBack, whole } from '../support/upstream.ts'
import { teamScene } from './scene.ts'

const scene = await teamScene({ has_mail: false })
const { gateway, db, owner_id, owner, upstream } = scene

const randomBytes = (length: number) => crypto.getRandomValues(new Uint8Array(length))
const keyOf = (person_id: number, name: string) =>
  createKey(db, 'acme', { name, person_id }, { randomBytes, now_ms: Date.now() })
let created = 0
/** A new member with a session and a key. */
async function member(role: 'owner' | 'member' | 'billing' = 'member') {
  created += 1
  return await scene.person(role, `${role}-${created}`)
}
const keyRow = (id: number) => gateway.rows().keys.find((key) => key.id === id)
const refusedBy = async (client: ConsoleClient, method: string, path: string, body?: object) =>
  await errorOf(await client.send(method, path, { body }))

beforeEach(() => upstream.answer(whole(answer())))

describe('a role', () => {
  test('is changed by an owner, and takes effect at once in open sessions', async () => {
    const { person_id, client } = await member()
    expect((await client.send('GET', '/entries')).status).toBe(403)
    await owner.json('PATCH', `/team/${person_id}`, { role: 'owner' })
    expect((await client.send('GET', '/entries')).status).toBe(200)
    await owner.json('PATCH', `/team/${person_id}`, { role: 'billing' })
    expect((await client.send('POST', '/keys', { body: {} })).status).toBe(403)
    expect(scene.actions().filter((action) => action === 'member.changed')).toHaveLength(2)
  })

  test.each(['member', 'billing'] as const)(
    'cannot be raised by a %s for themselves or others',
    async (role) => {
      const { person_id, client } = await member(role)
      const other = await member()
      for (const person of [person_id, other.person_id, owner_id]) {
        expect((await client.send('PATCH', `/team/${person}`, { body: { role: 'owner' } })).status).toBe(403)
        expect((await client.send('POST', `/team/${person}/remove`, { body: {} })).status).toBe(403)
      }
      expect(
        (await client.send('POST', '/team-invitations', { body: { email: 'x@example.org', role: 'owner' } }))
          .status,
      ).toBe(403)
    },
  )

  test('in another account cannot be changed, and the account is not found', async () => {
    const bob = await gateway.account('bob')
    const bobs = await newPerson(db, { account_id: bob.id, role: 'member' })
    for (const [method, path, body] of [
      ['PATCH', `/team/${bobs}`, { role: 'owner' }],
      ['POST', `/team/${bobs}/remove`, {}],
      ['PATCH', `/team/${bobs}`, { role: 'owner', account: 'bob' }],
      ['POST', `/team/${bobs}/remove`, { account: 'bob' }],
      ['POST', '/team-invitations', { account: 'bob', email: 'x@example.org', role: 'owner' }],
    ] as const)
      expect([path, body, (await owner.send(method, path, { body })).status]).toEqual([path, body, 404])
    expect((await owner.send('GET', '/team?account=bob')).status).toBe(404)
  })

  test('of billing has no keys, so that a change to it needs a decision about them', async () => {
    const { person_id } = await member()
    const { key } = await keyOf(person_id, `billing-${person_id}`)
    expect(await refusedBy(owner, 'PATCH', `/team/${person_id}`, { role: 'billing' })).toMatchObject({
      status: 409,
      code: 'keys_left',
    })
    await owner.json('PATCH', `/team/${person_id}`, { role: 'billing', keys: 'revoke' })
    expect(keyRow(key.id)).toMatchObject({ person_id: null, revoked_at_ms: expect.any(Number) })
  })
})

describe('the last owner', () => {
  test.each([
    ['PATCH', '', { role: 'member' }],
    ['POST', '/remove', {}],
  ])('is kept: %s%s', async (method, path, body) => {
    const only = await gateway.account(`only-${method}`)
    const client = await signedIn(gateway, { account: `only-${method}` })
    const [{ person_id }] = (await client.json('GET', '/team')).people
    expect(await refusedBy(client, method, `/team/${person_id}${path}`, body)).toMatchObject({
      status: 409,
      code: 'last_owner',
    })
    expect(
      (await client.send(method, `/team/${person_id}${path}`, { body: { ...body, without_owner: true } }))
        .status,
    ).toBe(409)
    const operator = await signedIn(gateway, 'operator')
    const of = { account: String(only.id) }
    expect(
      (await operator.send(method, `/team/${person_id}${path}`, { body: { ...body, ...of } })).status,
    ).toBe(409)
    await operator.json(method, `/team/${person_id}${path}`, { ...body, ...of, without_owner: true })
  })

  test('is kept if two owners remove each other, or step down, at once', async () => {
    for (const work of ['remove', 'change'] as const) {
      const account = await gateway.account(`both-${work}`)
      const owners = [
        await newPerson(db, { account_id: account.id, role: 'owner' }),
        await newPerson(db, { account_id: account.id, role: 'owner' }),
      ]
      const change = { may_end_owners: false, now_ms: Date.now() }
      const outcomes = await Promise.allSettled(
        owners.map((person_id) =>
          db.begin(async (tx) => {
            await tx.lock(account.id)
            const of = { account_id: account.id, person_id }
            if (work === 'remove') await removeMember(tx, of, change)
            else await changeRole(tx, of, 'member', change)
          }),
        ),
      )
      expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    }
  })

  test('is not replaced by a disabled owner', async () => {
    const account = await gateway.account('disabled')
    const client = await signedIn(gateway, { account: 'disabled' })
    const other = await newPerson(db, { account_id: account.id, role: 'owner' })
    await db.write((db) => db.rows(`UPDATE people SET disabled_at_ms = 1 WHERE id = ${other}`))
    const [, { person_id }] = (await client.json('GET', '/team')).people
    expect(await refusedBy(client, 'POST', `/team/${person_id}/remove`, {})).toMatchObject({
      code: 'last_owner',
    })
  })
})

describe('a removal', () => {
  test('ends the sessions in that account at once, but not those in others', async () => {
    const { person_id, client } = await member()
    const zed = await gateway.account(`zed-${person_id}`)
    await db.write((db) =>
      db.rows(
        `INSERT INTO memberships (person_id, account_id, role, created_at_ms) VALUES (${person_id}, ${zed.id}, 'member', 0)`,
      ),
    )
    const elsewhere = await signedIn(gateway, { person_id, account_id: zed.id })
    await owner.json('POST', `/team/${person_id}/remove`, {})
    expect((await client.send('GET', '/keys')).status).toBe(401)
    expect((await elsewhere.send('GET', '/keys')).status).toBe(200)
    expect((await owner.send('POST', `/team/${person_id}/remove`, { body: {} })).status).toBe(404)
  })

  test('needs a decision about the keys; revoked ones are refused in calls and sessions', async () => {
    const { person_id } = await member()
    const { key, text } = await keyOf(person_id, `revoked-${person_id}`)
    const by_key = await signedIn(gateway, { key: text })
    expect(await refusedBy(owner, 'POST', `/team/${person_id}/remove`, {})).toMatchObject({
      code: 'keys_left',
    })
    expect(keyRow(key.id)).toMatchObject({ person_id, revoked_at_ms: null })
    await owner.json('POST', `/team/${person_id}/remove`, { keys: 'revoke' })
    expect(keyRow(key.id)).toMatchObject({ person_id: null, revoked_at_ms: expect.any(Number) })
    expect((await by_key.send('GET', '/keys')).status).toBe(401)
    await eventually('the key is refused', async () => {
      const refused = await gateway.call(wholePath(), ask(), { key: text })
      await refused.text()
      return refused.status === 401
    })
  })

  test('transfers the keys to another person, who then sees their calls', async () => {
    const { person_id } = await member()
    const heir = await member()
    const { key, text } = await keyOf(person_id, `handed-${person_id}`)
    await (await gateway.call(wholePath(), ask(), { key: text })).text()
    await gateway.rest()
    await owner.json('POST', `/team/${person_id}/remove`, { keys_to: heir.person_id })
    expect(keyRow(key.id)).toMatchObject({ person_id: heir.person_id, revoked_at_ms: null })
    expect((await heir.client.json('GET', '/calls')).calls).toHaveLength(1)
    expect((await gateway.call(wholePath(), ask(), { key: text })).status).toBe(200)
  })

  test.each([
    ['a person in billing', async () => (await member('billing')).person_id, 404],
    ['an unknown person', async () => 999, 404],
  ])('cannot transfer keys to %s', async (_, heir, status) => {
    const { person_id } = await member()
    const { key } = await keyOf(person_id, `kept-${person_id}`)
    const body = { keys_to: await heir() }
    expect((await owner.send('POST', `/team/${person_id}/remove`, { body })).status).toBe(status)
    expect(
      (await owner.send('POST', `/team/${person_id}/remove`, { body: { keys_to: person_id } })).status,
    ).toBe(400)
    expect(
      (await owner.send('POST', `/team/${person_id}/remove`, { body: { keys: 'revoke', keys_to: owner_id } }))
        .status,
    ).toBe(400)
    expect(keyRow(key.id)).toMatchObject({ person_id, revoked_at_ms: null })
    expect((await scene.people()).some((one) => one.person_id === person_id)).toBe(true)
  })

  test('during a request leaves no new key, in any order of the two', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { person_id, client } = await member()
      const [removed, made] = await Promise.all([
        owner.send('POST', `/team/${person_id}/remove`, { body: { keys: 'revoke' } }),
        client.send('POST', '/keys', { body: { name: `late-${person_id}` } }),
      ])
      expect(removed.status).toBe(200)
      const late = gateway.rows().keys.find(({ name }) => name === `late-${person_id}`)
      if (made.status === 200)
        expect(late).toMatchObject({ person_id: null, revoked_at_ms: expect.any(Number) })
      else expect([made.status, late]).toEqual([401, undefined])
    }
  })

  test('during a call lets it complete, and ends the session', async () => {
    const { person_id, client } = await member()
    const held = heldBack(whole(answer()))
    upstream.answer(held.script)
    const { text } = await keyOf(person_id, `middle-${person_id}`)
    const call = gateway.call(wholePath(), ask(), { key: text })
    const pending = "SELECT id FROM holds WHERE state = 'pending'"
    await eventually('the call is running', () => gateway.db.query(pending).all().length === 1)
    await owner.json('POST', `/team/${person_id}/remove`, { keys: 'revoke' })
    held.release()
    expect((await call).status).toBe(200)
    await gateway.rest()
    expect(gateway.db.query(pending).all()).toEqual([])
    expect((await client.send('GET', '/calls')).status).toBe(401)
  })

  test('ends the live feed of the member', async () => {
    const { person_id, client } = await member()
    const feed = await fetch(new URL('/console/api/live', gateway.url), {
      headers: { cookie: client.cookie },
    })
    await owner.json('POST', `/team/${person_id}/remove`, {})
    await feed.text()
  })
})

test('owners and billing read the team of their account; members and keys cannot', async () => {
  const billing = await member('billing')
  const { client } = await member()
  expect((await billing.client.send('GET', '/team')).status).toBe(200)
  for (const path of ['/team', '/team.csv', '/team-invitations'])
    expect((await client.send('GET', path)).status).toBe(403)
  const key = await gateway.key('acme')
  expect((await (await signedIn(gateway, { key })).send('GET', '/team')).status).toBe(403)
  const csv = await (await owner.send('GET', '/team.csv')).text()
  expect(csv).toContain('person_id,account,name,email')
})

test('an owner without a recent sign-in has to confirm it first', async () => {
  const { person_id } = await member()
  await db.write((db) => db.rows(`UPDATE sessions SET confirmed_at_ms = 1 WHERE person_id = ${owner_id}`))
  for (const [method, path, body] of [
    ['POST', '/team-invitations', { email: 'fresh@example.org', role: 'member' }],
    ['PATCH', `/team/${person_id}`, { role: 'owner' }],
    ['POST', `/team/${person_id}/remove`, {}],
  ] as const)
    expect(await refusedBy(owner, method, path, body)).toMatchObject({ status: 403, code: 'confirm_sign_in' })
})
