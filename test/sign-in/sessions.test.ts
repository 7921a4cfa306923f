// Ending one session by its number: the rights of each viewer.
import { describe, expect, test } from 'bun:test'
import { type ConsoleUser, signedIn } from '../support/console-session.ts'
import { fileScene } from '../support/scene.ts'

const { gateway } = await fileScene()
await gateway.account('alice')
await gateway.account('bob')
const phone = { key: await gateway.key('alice', { name: 'phone' }) }
const desk = { key: await gateway.key('alice', { name: 'desk' }) }
const alice = { account: 'alice' }
const bob = { account: 'bob' }

/** The number of the newest session. */
const newest = () => gateway.db.query<{ id: number }, []>('SELECT max(id) AS id FROM sessions').get()?.id ?? 0

describe('the session of', () => {
  test.each<[owner: string, by: string, may_end: boolean, who: ConsoleUser, ender: ConsoleUser]>([
    ['an account', 'itself', true, alice, alice],
    ['an account', 'the operator', true, alice, 'operator'],
    ['an account', 'another account', false, alice, bob],
    ['an account', 'a key of it', false, alice, phone],
    ['a key', 'its account', true, phone, alice],
    ['a key', 'itself', true, phone, phone],
    ['a key', 'another key of its account', false, phone, desk],
    ['a key', 'another account', false, phone, bob],
    ['the operator', 'the operator', true, 'operator', 'operator'],
    ['the operator', 'an account', false, 'operator', alice],
    ['the operator', 'a key', false, 'operator', phone],
  ])('%s can be ended by %s: %p', async (_owner, _by, may_end, who, ender) => {
    const session = await signedIn(gateway, who)
    const id = newest()
    const { status } = await (await signedIn(gateway, ender)).send('DELETE', `/sessions/${id}`)
    expect(status).toBe(may_end ? 200 : 404)
    expect((await session.send('GET', '/sessions')).status).toBe(may_end ? 401 : 200)
  })
})

test('an unknown session is not found, and ending one’s own removes its cookie', async () => {
  const client = await signedIn(gateway, 'operator')
  const own = newest()
  expect((await client.send('DELETE', `/sessions/${own + 1}`)).status).toBe(404)
  const ended = await client.send('DELETE', `/sessions/${own}`)
  expect([ended.status, ended.headers.get('set-cookie')]).toEqual([200, expect.stringContaining('Max-Age=0')])
  expect((await client.send('DELETE', `/sessions/${own}`)).status).toBe(401)
})
