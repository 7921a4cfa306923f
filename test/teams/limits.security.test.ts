// Spend limits of people: set by owners and the staff, not by members, and applied to all keys of the person.
import { describe, expect, test } from 'bun:test'
import { createKey } from '../../src/access/keys.ts'
import { errorOf, signedIn } from '../support/console-session.ts'
import { answer, ask, wholePath } from '../support/native.ts'
import { whole } from '../support/upstream.ts'
import { teamScene } from './scene.ts'

const { gateway, db, owner, person, upstream, actions } = await teamScene({ has_mail: false })
upstream.answer(whole(answer()))
const randomBytes = (length: number) => crypto.getRandomValues(new Uint8Array(length))
const keyOf = async (person_id: number | null, name: string) =>
  (await createKey(db, 'acme', { name, person_id }, { randomBytes, now_ms: Date.now() })).text
const call = async (key: string) => await gateway.call(wholePath(), ask(), { key })
const limitsOf = async (person_id: number) =>
  (await owner.json('GET', '/team')).people.find((one: { person_id: number }) => one.person_id === person_id)
    .spend_limits

describe('the limit of a person', () => {
  test('refuses the calls of all their keys, with the reason and the time of the reset', async () => {
    const max = await person('member', 'max')
    const [first, second] = [await keyOf(max.person_id, 'first'), await keyOf(max.person_id, 'second')]
    const shared = await keyOf(null, 'shared')
    await owner.json('PUT', `/team/${max.person_id}/limits`, { daily_limit: '1' })
    await db.write((db) => db.rows('UPDATE budgets SET used_nanos = limit_nanos WHERE person_id IS NOT NULL'))
    const made = await max.client.json('POST', '/keys', { name: 'third' })
    for (const key of [first, second, made.text]) {
      const refused = await call(key)
      expect(refused.status).toBe(402)
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
      expect(await refused.text()).toContain('daily spend limit of the person whose API key this is')
    }
    expect((await call(shared)).status).toBe(200)
    expect(await limitsOf(max.person_id)).toMatchObject([
      { period: 'day', limit_nanos: 1_000_000_000, state: 'reached' },
    ])
    await owner.json('PUT', `/team/${max.person_id}/limits`, { daily_limit: null, monthly_limit: '5' })
    expect((await call(first)).status).toBe(200)
    expect(await limitsOf(max.person_id)).toMatchObject([{ period: 'month' }])
    expect(actions().filter((action) => action === 'member.limited')).toHaveLength(2)
  })

  test('is visible only to that person, with the remaining amount and the time of the reset', async () => {
    const [max, other] = [await person('member'), await person('member')]
    await owner.json('PUT', `/team/${max.person_id}/limits`, { weekly_limit: '3' })
    const [limit, ...rest] = (await max.client.json('GET', '/session/limits')).spend_limits
    expect([limit, rest]).toMatchObject([
      { period: 'week', limit_nanos: 3_000_000_000, left_nanos: 3_000_000_000, state: 'ok' },
      [],
    ])
    expect(limit.resets_at_ms).toBeGreaterThan(Date.now())
    const by_key = await signedIn(gateway, { key: await keyOf(max.person_id, `of-${max.person_id}`) })
    for (const client of [other.client, owner, by_key, await signedIn(gateway, 'operator')])
      expect(await client.json('GET', '/session/limits')).toEqual({ spend_limits: [] })
  })

  test('cannot be changed by members or billing, or for people of other accounts', async () => {
    const [max, bill] = [await person('member'), await person('billing')]
    for (const { client } of [max, bill])
      expect(
        (await client.send('PUT', `/team/${max.person_id}/limits`, { body: { daily_limit: null } })).status,
      ).toBe(403)
    const bob = await gateway.account('bob')
    const refused = await owner.send('PUT', '/team/999/limits', { body: { daily_limit: '1' } })
    expect(await errorOf(refused)).toMatchObject({ status: 404, param: 'person' })
    const of_bob = { account: String(bob.id), daily_limit: '1' }
    expect((await owner.send('PUT', `/team/${max.person_id}/limits`, { body: of_bob })).status).toBe(404)
  })

  test.each([['-1'], ['x'], ['1e3'], ['99999999999']])('cannot be "%s"', async (daily_limit) => {
    const max = await person('member')
    const refused = await owner.send('PUT', `/team/${max.person_id}/limits`, { body: { daily_limit } })
    expect(await errorOf(refused)).toMatchObject({ status: 400, param: 'daily_limit' })
    expect(await limitsOf(max.person_id)).toEqual([])
  })
})
