// Keys in the console: created, changed, rotated and revoked by the operator and by their account, and visible to a key.
import { describe, expect, test } from 'bun:test'
import { MAX_CHANGES_A_DAY, recordAction } from '../../src/store/actions.ts'
import { MODEL } from '../support/catalogue.ts'
import { allPages, clientOf, errorOf, signedIn } from '../support/console-session.ts'
import { ANSWER_NANOS, answer, ask, wholePath } from '../support/native.ts'
import { fileScene } from '../support/scene.ts'
import { whole } from '../support/upstream.ts'

const { gateway, call } = await fileScene({ script: whole(answer()), balance_usd: '1' })
const operator = await signedIn(gateway, 'operator')
const alice_row = await gateway.account('alice', { balance_usd: '10' })
const bob_row = await gateway.account('bob', { balance_usd: '10' })
const alices_key = await gateway.key('alice', { name: 'laptop' })
const bobs_key = await gateway.key('bob', { name: 'phone' })
const alice = await signedIn(gateway, { account: 'alice' })
const by_key = await signedIn(gateway, { key: alices_key })
const idOf = (text: string) => gateway.rows().keys.find(({ prefix }) => prefix === text.slice(0, 10))?.id ?? 0
const callWith = async (key: string) => {
  const response = await call(wholePath(), ask(), { key })
  await response.text()
  return response.status
}

describe('the list', () => {
  test('has all keys for the operator, and the keys of the account for an account or a key', async () => {
    const names = async (client: typeof operator, query = '') =>
      (await client.json('GET', `/keys${query}`)).keys.map(
        ({ account, name }: { account: string; name: string }) => `${account} ${name}`,
      )
    expect(await names(operator)).toContain('bob phone')
    expect(await names(operator, `?account=${alice_row.id}`)).toEqual(['alice laptop'])
    expect(await names(operator, '?account=bob')).toEqual(['bob phone'])
    expect(await names(alice)).toEqual(['alice laptop'])
    expect(await names(alice, '?account=alice')).toEqual(['alice laptop'])
    expect(await names(by_key)).toEqual(['alice laptop'])
  })

  test('says whether the viewer may manage keys, and with which key they are signed in', async () => {
    expect(await alice.json('GET', '/keys')).toMatchObject({ may_manage: true, keys: [{ own: false }] })
    expect(await by_key.json('GET', '/keys')).toMatchObject({ may_manage: false, keys: [{ own: true }] })
  })

  test.each([
    ['search=lap', ['laptop']],
    ['search=LAP', ['laptop']],
    [`search=${alices_key.slice(0, 8)}`, ['laptop']],
    ['search=tg_%25', []],
    ['status=usable', ['laptop', 'phone']],
    ['status=revoked', []],
    ['status=expired', []],
  ])('%s', async (query, expected) => {
    const { keys } = await operator.json('GET', `/keys?${query}`)
    const found = keys.map(({ name }: { name: string }) => name)
    expect(found.filter((name: string) => ['laptop', 'phone'].includes(name)).sort()).toEqual(expected)
  })

  test('has the spend and the last use of each key', async () => {
    expect(await callWith(bobs_key)).toBe(200)
    await gateway.rest()
    const [used] = (await operator.json('GET', '/keys?account=bob')).keys
    expect(used).toMatchObject({ spent_nanos: ANSWER_NANOS, week_nanos: ANSWER_NANOS, week_calls: 1 })
    expect(used.last_used_at_ms).toBeWithin(Date.now() - 60_000, Date.now() + 1)
    const [unused] = (await operator.json('GET', '/keys?account=alice')).keys
    expect(unused).toMatchObject({ spent_nanos: 0, week_nanos: 0, week_calls: 0, last_used_at_ms: null })
  })

  test('has every key once, in pages', async () => {
    for (let made = 0; made < 5; made += 1) await gateway.key('bob')
    const pages = await allPages((cursor) => operator.json('GET', `/keys?limit=2${cursor}`))
    const ids = pages.flatMap(({ keys }) => keys.map(({ id }: { id: number }) => id))
    expect(ids.reverse()).toEqual(gateway.rows().keys.map(({ id }) => id))
  })

  test('never contains the text or the hash of a key', async () => {
    const text = await (await operator.send('GET', '/keys')).text()
    expect(text).not.toContain(alices_key.slice(0, 20))
    expect(text).not.toContain('sha256')
  })
})

describe('a new key', () => {
  test('created by an account calls within its limits, and its text is returned once', async () => {
    const answer = await alice.send('POST', '/keys', {
      body: {
        name: 'website',
        models: [MODEL, 'nothing-*'],
        spend_limit: '2.50',
        daily_limit: '0.25',
        monthly_limit: '1',
        concurrent_calls: 3,
        expires: '2099-12-31',
        addresses: ['127.0.0.1', '::1'],
      },
    })
    expect(answer.status).toBe(200)
    const { text, key, unmatched, sample_model } = (await answer.json()) as {
      text: string
      key: { id: number }
      unmatched: string[]
      sample_model: string
    }
    expect(text).toMatch(/^tg_[A-Za-z0-9_-]{43}$/)
    expect(key).toMatchObject({
      account: 'alice',
      name: 'website',
      status: 'active',
      spend_limit_nanos: 2_500_000_000,
      left_nanos: 2_500_000_000,
      daily_limit_usd: '0.25',
      monthly_limit_usd: '1.00',
      concurrent_calls: 3,
      limits: { concurrent_calls: { limit: 3, used: 0 } },
      models: [MODEL, 'nothing-*'],
      addresses: ['127.0.0.1', '::1'],
      expires_at: '2100-01-01T00:00:00.000Z',
      may_manage: true,
    })
    expect([unmatched, sample_model]).toEqual([['nothing-*'], MODEL])
    expect(await callWith(text)).toBe(200)
    await gateway.rest()
    const used_nanos = ANSWER_NANOS
    expect(await alice.json('GET', `/keys/${key.id}`)).toMatchObject({
      spent_nanos: ANSWER_NANOS,
      spend_limits: [
        { period: 'day', used_nanos, left_nanos: 250_000_000 - ANSWER_NANOS, state: 'ok' },
        { period: 'month', used_nanos, state: 'ok' },
        { period: 'total', used_nanos, resets_at: null, state: 'ok' },
      ],
    })
    expect(JSON.stringify(await alice.json('GET', '/keys'))).not.toContain(text)
    expect(gateway.log.text()).not.toContain(text)
  })

  test('created by the operator belongs to any account, by number or name, and has a default name', async () => {
    const { key } = await operator.json('POST', '/keys', { account: String(bob_row.id) })
    expect(key).toMatchObject({
      account: 'bob',
      name: expect.stringMatching(/^key-\d+$/),
      models: null,
      spend_limit_nanos: null,
    })
    expect((await operator.json('POST', '/keys', { account: 'bob', name: 'second' })).key).toMatchObject({
      account: 'bob',
    })
  })

  test.each<[string, object, string]>([
    ['a name in use', { name: 'laptop' }, 'name'],
    ['a malformed name', { name: 'my key' }, 'name'],
    ['an empty list of models', { models: [] }, 'models'],
    ['a malformed pattern', { models: ['a b'] }, 'models'],
    ['models as text', { models: 'gpt-*' }, 'models'],
    ['a negative limit', { spend_limit: '-1' }, 'spend_limit'],
    ['a limit that is no amount', { spend_limit: 'much' }, 'spend_limit'],
    ['too large a limit', { spend_limit: '99999999999' }, 'spend_limit'],
    ['a limit as a number', { spend_limit: 1 }, 'spend_limit'],
    ['a negative limit a day', { daily_limit: '-1' }, 'daily_limit'],
    ['a limit a month that is no amount', { monthly_limit: 'much' }, 'monthly_limit'],
    ['a limit of 0 simultaneous calls', { concurrent_calls: 0 }, 'concurrent_calls'],
    ['a limit of half a simultaneous call', { concurrent_calls: 0.5 }, 'concurrent_calls'],
    ['a limit of simultaneous calls as text', { concurrent_calls: '2' }, 'concurrent_calls'],
    ['a day in the past', { expires: '2020-01-01' }, 'expires'],
    ['a day that does not exist', { expires: '2099-02-30' }, 'expires'],
    ['a word instead of a day', { expires: 'soon' }, 'expires'],
    ['an empty list of addresses', { addresses: [] }, 'addresses'],
    ['a malformed address', { addresses: ['10.0.0'] }, 'addresses'],
    ['an unknown field', { limit: 1 }, 'limit'],
  ])('with %s is refused with 400', async (_, body, param) => {
    const before = gateway.rows().keys.length
    expect(await errorOf(await alice.send('POST', '/keys', { body }))).toMatchObject({ status: 400, param })
    expect(gateway.rows().keys).toHaveLength(before)
  })

  test('for an ambiguous account, the name of one and the number of another, is refused, as is a call for it', async () => {
    const name = String(alice_row.id)
    const { id } = await operator.json('POST', '/accounts', { name })
    const keys = gateway.rows().keys.length
    const playing = operator.send('GET', `/play?account=${name}`)
    for (const answer of [await operator.send('POST', '/keys', { body: { account: name } }), await playing])
      expect(await errorOf(answer)).toMatchObject({ status: 409, param: 'account' })
    expect(gateway.rows().keys).toHaveLength(keys)
    expect((await operator.json('GET', `/accounts/${name}`)).name).toBe('alice')
    expect((await operator.json('POST', '/keys', { account: String(id) })).key.account).toBe(name)
    await operator.json('PATCH', `/accounts/${id}`, { name: 'no-number' })
    expect((await operator.json('POST', '/keys', { account: name })).key.account).toBe('alice')
  })

  test('by the operator without an account, for an unknown one, or for a closed one is refused', async () => {
    expect(await errorOf(await operator.send('POST', '/keys', { body: {} }))).toMatchObject({
      status: 400,
      param: 'account',
    })
    expect((await operator.send('POST', '/keys', { body: { account: 'nobody' } })).status).toBe(404)
    await gateway.account('gone')
    await operator.json('POST', '/accounts/gone/close', { name: 'gone' })
    expect((await operator.send('POST', '/keys', { body: { account: 'gone' } })).status).toBe(409)
  })
})

describe('a limit', () => {
  test.each(['daily_limit', 'monthly_limit', 'spend_limit'])(
    '%s is "near" from 80 %%, and "reached" at 100 %%',
    async (name) => {
      const { key, text } = await alice.json('POST', '/keys', { name: `near-${name.replaceAll('_', '-')}` })
      expect(await callWith(text)).toBe(200)
      await gateway.rest()
      const stateAt = async (nanos: number) => {
        const limit = (nanos / 1e9).toFixed(9)
        const { spend_limits } = await alice.json('PATCH', `/keys/${key.id}`, { [name]: limit })
        return spend_limits.map(({ state }: { state: string }) => state)
      }
      expect(await stateAt(ANSWER_NANOS * 2)).toEqual(['ok'])
      expect(await stateAt(ANSWER_NANOS * 1.25)).toEqual(['near'])
      expect(await stateAt(ANSWER_NANOS)).toEqual(['reached'])
      expect(await callWith(text)).toBe(402)
    },
  )
})

describe('a change', () => {
  test('of a limit takes effect at once; a missing field is kept, and null removes a limit', async () => {
    const changing = { name: 'changing', spend_limit: '1', models: [MODEL] }
    const { key, text } = await alice.json('POST', '/keys', changing)
    const change = (body: object) => alice.json('PATCH', `/keys/${key.id}`, body)
    const stays = { models: [MODEL], name: 'changing' }
    expect(await change({ spend_limit: '0' })).toMatchObject({ ...stays, spend_limit_nanos: 0 })
    expect(await callWith(text)).not.toBe(200)
    expect(await change({ spend_limit: null, name: 'changed' })).toMatchObject({
      ...stays,
      spend_limit_nanos: null,
      name: 'changed',
    })
    expect(await callWith(text)).toBe(200)
    expect(await change({ models: null, addresses: ['10.0.0.0/8'] })).toMatchObject({
      models: null,
      addresses: ['10.0.0.0/8'],
    })
    await gateway.rest()
  })

  test('of the expiry to a later day makes an expired key work again', async () => {
    const text = await gateway.key('alice', { name: 'short' })
    const id = idOf(text)
    gateway.db.run('UPDATE keys SET expires_at_ms = ? WHERE id = ?', [Date.now() - 1, id])
    expect(await alice.json('GET', `/keys/${id}`)).toMatchObject({ status: 'expired' })
    expect(await alice.json('PATCH', `/keys/${id}`, { name: 'short-2' })).toMatchObject({
      status: 'expired',
      name: 'short-2',
    })
    expect(await alice.json('PATCH', `/keys/${id}`, { expires: '2099-01-01' })).toMatchObject({
      status: 'active',
    })
    expect(await callWith(text)).toBe(200)
    await gateway.rest()
  })

  test.each<[object, string | null]>([
    [{ name: 'laptop' }, 'name'],
    [{ name: '' }, 'name'],
    [{ models: [] }, 'models'],
    [{ spend_limit: '-1' }, 'spend_limit'],
    [{ expires: '2020-01-01' }, 'expires'],
    [{ addresses: ['x'] }, 'addresses'],
    [{ account: 'bob' }, 'account'],
  ])('to %p is refused with 400, and nothing changes', async (body, param) => {
    const { key } = await alice.json('POST', '/keys', {})
    const before = gateway.rows().keys
    expect(await errorOf(await alice.send('PATCH', `/keys/${key.id}`, { body }))).toMatchObject({
      status: 400,
      param,
    })
    expect(gateway.rows().keys).toEqual(before)
  })

  test('of a revoked key is refused', async () => {
    const { key } = await alice.json('POST', '/keys', { name: 'over' })
    await alice.json('POST', `/keys/${key.id}/revoke`)
    expect((await alice.send('PATCH', `/keys/${key.id}`, { body: { name: 'x' } })).status).toBe(400)
  })
})

describe('the end of a key', () => {
  test('by rotation: the new key replaces it, and the old one works for its grace period', async () => {
    const made = await alice.json('POST', '/keys', { name: 'rotating', spend_limit: '1' })
    expect(await callWith(made.text)).toBe(200)
    await gateway.rest()
    const rotated = await alice.json('POST', `/keys/${made.key.id}/rotate`, { grace_s: 3_600 })
    expect(rotated.key).toMatchObject({ name: 'rotating', spend_limit_nanos: 1_000_000_000 - ANSWER_NANOS })
    expect(await alice.json('GET', `/keys/${made.key.id}`)).toMatchObject({ status: 'retiring' })
    expect([await callWith(made.text), await callWith(rotated.text)]).toEqual([200, 200])
    await gateway.rest()
  })

  test('by two rotations: each of the three keys names its neighbours, but not to a session by key', async () => {
    const { key: first } = await alice.json('POST', '/keys', { name: 'line' })
    const { key: second } = await alice.json('POST', `/keys/${first.id}/rotate`, {})
    const { key: third, text } = await alice.json('POST', `/keys/${second.id}/rotate`, { grace_s: 60 })
    const line = { id: first.id, prefix: first.prefix }
    const views = await Promise.all([first, second, third].map(({ id }) => alice.json('GET', `/keys/${id}`)))
    expect(views.map(({ replaces, replaced_by }) => [replaces, replaced_by])).toEqual([
      [null, second.prefix],
      [line, third.prefix],
      [{ id: second.id, prefix: second.prefix }, null],
    ])
    expect(third.replaces).toEqual({ id: second.id, prefix: second.prefix })
    const own = await signedIn(gateway, { key: text })
    expect(await own.json('GET', `/keys/${third.id}`)).toMatchObject({ replaces: null, replaced_by: null })
  })

  test('by revocation: it is refused at once, and a second revocation changes nothing', async () => {
    const { key, text } = await alice.json('POST', '/keys', { name: 'ending' })
    const first = await alice.json('POST', `/keys/${key.id}/revoke`)
    expect(first).toMatchObject({ status: 'revoked' })
    expect(await alice.json('POST', `/keys/${key.id}/revoke`)).toMatchObject({
      revoked_at_ms: first.revoked_at_ms,
    })
    expect(await callWith(text)).toBe(401)
    expect((await alice.send('POST', `/keys/${key.id}/rotate`, { body: {} })).status).toBe(400)
  })

  test.each([-1, 0.5, '1', 99_999_999])('a grace period of %p is refused with 400', async (grace_s) => {
    const { key } = await alice.json('POST', '/keys', {})
    const answer = await alice.send('POST', `/keys/${key.id}/rotate`, { body: { grace_s } })
    expect(await errorOf(answer)).toMatchObject({ status: 400, param: 'grace_s' })
  })

  test('by two tabs that rotate: the second is refused, so that only one new key exists', async () => {
    const { key } = await alice.json('POST', '/keys', { name: 'raced' })
    const both = await Promise.all(
      [1, 2].map(() => alice.send('POST', `/keys/${key.id}/rotate`, { body: {} })),
    )
    expect(both.map(({ status }) => status).sort()).toEqual([200, 400])
    expect((await alice.json('GET', '/keys?search=raced&status=active')).keys).toHaveLength(1)
  })
})

describe('the rights', () => {
  const bobs = idOf(bobs_key)
  const own = idOf(alices_key)
  const ACTIONS: [string, string, object | undefined][] = [
    ['GET', '', undefined],
    ['PATCH', '', { name: 'mine' }],
    ['POST', '/rotate', {}],
    ['POST', '/revoke', undefined],
  ]

  test.each(ACTIONS)(
    '%s /keys/{id}%s: 401 without a session, 404 for another’s key',
    async (method, path, body) => {
      const before = gateway.rows().keys
      const send = (client: typeof operator, reference: string | number) =>
        client.send(method, `/keys/${reference}${path}`, body === undefined ? {} : { body })
      expect((await send(clientOf(gateway), own)).status).toBe(401)
      const foreign = [bobs, bobs_key.slice(0, 10), 999_999, 'tg_nothing', '0']
      const statuses = await Promise.all(
        foreign.map(async (reference) => (await send(alice, reference)).status),
      )
      expect(statuses).toEqual([404, 404, 404, 404, 404])
      const [there, absent] = await Promise.all(
        [send(alice, bobs), send(alice, 999_999)].map(async (answer) => errorOf(await answer)),
      )
      expect(there?.message).toBe(absent?.message ?? '-')
      expect(gateway.rows().keys).toEqual(before)
    },
  )

  test.each(ACTIONS.slice(1))('%s /keys/{id}%s: 403 for a session by key', async (method, path, body) => {
    const before = gateway.rows().keys
    const answer = await by_key.send(method, `/keys/${own}${path}`, body === undefined ? {} : { body })
    expect(answer.status).toBe(403)
    expect((await by_key.send('POST', '/keys', { body: {} })).status).toBe(403)
    expect(gateway.rows().keys).toEqual(before)
  })

  test('an account can neither list nor create keys of another account', async () => {
    expect((await alice.send('GET', '/keys?account=bob')).status).toBe(404)
    expect((await alice.send('GET', `/keys?account=${bob_row.id}`)).status).toBe(404)
    expect((await alice.send('POST', '/keys', { body: { account: 'bob' } })).status).toBe(404)
    expect((await alice.send('POST', '/keys', { body: { account: 'alice' } })).status).toBe(200)
  })

  test('an account may have two hundred active keys, and the operator may add more', async () => {
    const carol = await gateway.account('carol')
    for (let n = 1; n <= 200; n++) await gateway.key('carol', { name: `k-${n}` })
    const client = await signedIn(gateway, { account: 'carol' })
    const refused = await errorOf(await client.send('POST', '/keys', { body: {} }))
    expect(refused).toMatchObject({ status: 409, message: expect.stringContaining('Revoke some') })
    const [last] = gateway.rows().keys.filter(({ account_id }) => account_id === carol.id)
    await client.json('POST', `/keys/${last?.id}/revoke`)
    expect((await client.json('POST', '/keys', {})).key.name).toBe('key-201')
    await operator.json('POST', '/keys', { account: 'carol' })
  })

  test('after 200 changes in a day an account cannot change keys, gets the time to wait, and can still revoke one', async () => {
    const dave = await gateway.account('dave')
    const id = idOf(await gateway.key('dave'))
    const by = { actor: { kind: 'account' as const, session_id: 1 }, now_ms: Date.now() }
    for (let n = 0; n < MAX_CHANGES_A_DAY; n++)
      await gateway.store.begin((tx) => recordAction(tx, { action: 'key.changed', account_id: dave.id }), {
        by,
      })
    const client = await signedIn(gateway, { account: 'dave' })
    const answer = await client.send('PATCH', `/keys/${id}`, { body: { name: 'mine' } })
    expect([answer.status, Number(answer.headers.get('retry-after')) > 86_000]).toEqual([429, true])
    expect((await errorOf(answer)).message).toStartWith('This account has made 200 changes in 24 hours.')
    expect(gateway.rows().keys.find((key) => key.id === id)?.name).not.toBe('mine')
    await operator.json('PATCH', `/keys/${id}`, { name: 'renamed' })
    await client.json('POST', `/keys/${id}/revoke`)
  })

  test('a key is found by its number and by its prefix', async () => {
    expect(await alice.json('GET', `/keys/${alices_key.slice(0, 10)}`)).toEqual(
      await alice.json('GET', `/keys/${own}`),
    )
  })
})
