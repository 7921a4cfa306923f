// Switching between the accounts of a person: the old token becomes invalid, and an account without a role is refused.
import { describe, expect, test } from 'bun:test'
import { type ConsoleClient, clientOf, signedIn } from '../support/console-session.ts'
import { newPerson } from '../support/people.ts'
import { teamScene } from './scene.ts'

const { gateway, db, acme } = await teamScene({ has_mail: false })
const bob = await gateway.account('bob')
const eve = await gateway.account('eve')

const join = (person_id: number, account_id: number, role: string) =>
  db.write((db) =>
    db.rows(
      `INSERT INTO memberships (person_id, account_id, role, created_at_ms) VALUES (${person_id}, ${account_id}, '${role}', 0)`,
    ),
  )
async function personInBoth() {
  const person_id = await newPerson(db, { account_id: acme.id, role: 'member' })
  await join(person_id, bob.id, 'owner')
  return { person_id, client: await signedIn(gateway, { person_id, account_id: acme.id }) }
}
const switchTo = (client: ConsoleClient, account_id: number | null) =>
  client.send('PUT', '/session/account', { body: { account_id } })
const cookieOf = (answer: Response) => answer.headers.get('set-cookie')?.split(';')[0] ?? ''
const viewerOf = async (client: ConsoleClient) => (await client.json('GET', '/session')).viewer

describe('a person with two accounts', () => {
  test('switches to the other one with a new token and the role there; the old token is invalid', async () => {
    const { client } = await personInBoth()
    const switched = await switchTo(client, bob.id)
    const moved = clientOf(gateway, cookieOf(switched))
    expect(moved.cookie).not.toBe(client.cookie)
    expect(await viewerOf(moved)).toMatchObject({ account: 'bob', role: 'owner', see_account: true })
    expect((await client.send('GET', '/keys')).status).toBe(401)
    expect((await moved.json('GET', '/sessions')).sessions).toHaveLength(1)
    const back = clientOf(gateway, cookieOf(await switchTo(moved, acme.id)))
    expect(await viewerOf(back)).toMatchObject({ account: 'acme', role: 'member', see_account: false })
  })

  test('keeps the expiry, the proof and the confirmation of the session', async () => {
    const { client, person_id } = await personInBoth()
    const kept = `SELECT id, created_at_ms, expires_at_ms, proof, confirmed_at_ms FROM sessions WHERE person_id = ${person_id}`
    await db.write((db) => db.rows(`UPDATE sessions SET confirmed_at_ms = 7 WHERE person_id = ${person_id}`))
    const before = gateway.db.query(kept).all()
    expect((await switchTo(client, bob.id)).status).toBe(200)
    expect(gateway.db.query(kept).all()).toEqual(before)
  })

  test('removed from the current one is signed out, and cannot return', async () => {
    const { client, person_id } = await personInBoth()
    await db.write((db) =>
      db.rows(`DELETE FROM memberships WHERE person_id = ${person_id} AND account_id = ${acme.id}`),
    )
    expect((await switchTo(client, bob.id)).status).toBe(401)
    const other = await signedIn(gateway, { person_id, account_id: bob.id })
    expect((await switchTo(other, acme.id)).status).toBe(404)
  })
})

describe('a switch is refused', () => {
  test.each([
    ['to an account without a role', () => eve.id, 404],
    ['to an unknown account', () => 999, 404],
    ['to the staff’s side', () => null, 404],
  ])('%s', async (_, account_id, status) => {
    const { client } = await personInBoth()
    expect((await switchTo(client, account_id())).status).toBe(status)
    expect(await viewerOf(client)).toMatchObject({ account: 'acme' })
  })

  test('to a closed account, which is not listed; a suspended one is listed as such, and can be opened', async () => {
    const { client, person_id } = await personInBoth()
    await join(person_id, eve.id, 'member')
    const operator = await signedIn(gateway, 'operator')
    await operator.json('POST', `/accounts/${eve.id}/suspend`, {})
    const listed = async () =>
      (await client.json('GET', '/session/accounts')).sides.map(
        (side: { account: string; is_suspended: boolean }) => [side.account, side.is_suspended],
      )
    expect(await listed()).toEqual([
      ['acme', false],
      ['bob', false],
      ['eve', true],
    ])
    const in_eve = clientOf(gateway, cookieOf(await switchTo(client, eve.id)))
    expect(await viewerOf(in_eve)).toMatchObject({ account: 'eve', suspension: { reason: 'operator' } })
    Object.assign(client, clientOf(gateway, cookieOf(await switchTo(in_eve, acme.id))))
    const { name } = eve
    await operator.json('POST', `/accounts/${eve.id}/close`, { name })
    expect((await switchTo(client, eve.id)).status).toBe(404)
    expect(await listed()).toEqual([
      ['acme', false],
      ['bob', false],
    ])
    await operator.json('POST', `/accounts/${eve.id}/resume`, {})
    expect((await listed()).at(-1)).toEqual(['eve', false])
  })

  test('by key, from another site, or by GET', async () => {
    const key = await gateway.key('acme')
    expect((await switchTo(await signedIn(gateway, { key }), bob.id)).status).toBe(403)
    const { client } = await personInBoth()
    const crossed = await client.send('PUT', '/session/account', {
      body: { account_id: bob.id },
      origin: 'https://evil.example',
    })
    expect(crossed.status).toBe(403)
    expect((await client.send('GET', '/session/account')).status).toBe(404)
  })
})

test('a staff member with an account switches to either side', async () => {
  const person_id = await newPerson(db, { account_id: null, role: 'support' })
  await join(person_id, bob.id, 'member')
  const client = await signedIn(gateway, { person_id, account_id: null })
  expect((await client.json('GET', '/session/accounts')).sides).toMatchObject([
    { account_id: null, role: 'support', is_current: true },
    { account_id: bob.id, role: 'member', is_current: false },
  ])
  const moved = clientOf(gateway, cookieOf(await switchTo(client, bob.id)))
  expect(await viewerOf(moved)).toMatchObject({ side: 'account', role: 'member' })
  expect((await moved.send('GET', '/accounts')).status).toBe(403)
  const back = clientOf(gateway, cookieOf(await switchTo(moved, null)))
  expect(await viewerOf(back)).toMatchObject({ side: 'operator', role: 'support' })
})
