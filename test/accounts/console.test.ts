// Accounts in the console: the list, low balances, and the operator's actions.
import { beforeAll, describe, expect, test } from 'bun:test'
import { allPages, clientOf, errorOf, signedIn } from '../support/console-session.ts'
import { eventually } from '../support/eventually.ts'
import { ANSWER_NANOS, answer, ask, wholePath } from '../support/native.ts'
import { fileScene } from '../support/scene.ts'
import { whole } from '../support/upstream.ts'

const { gateway, call, key } = await fileScene({
  script: whole(answer()),
  balance_usd: '1',
  more: '[limits.account]\nrequests_per_minute = 500\n[limits.accounts."o.b"]\nconcurrent_calls = 2',
})
const operator = await signedIn(gateway, 'operator')
const USD = 1_000_000_000
const TOO_MUCH = ['9007199.254740992', '9'.repeat(39), '9'.repeat(99)]
let created = 0

/** A new account for a test. */
async function fresh(balance_usd = '0') {
  created += 1
  return await gateway.account(`fresh-${created}`, { balance_usd })
}
/** Moves money under a new idempotency key, or under the one passed. */
const move = async (path: string, body: object, key: string = crypto.randomUUID()) =>
  await operator.send('POST', path, { body, headers: { 'idempotency-key': key } })
const post = async (path: string, body?: object) =>
  await operator.send('POST', path, body === undefined ? {} : { body })
const names = (accounts: { name: string }[]) => accounts.map(({ name }) => name)

describe('the list', () => {
  beforeAll(async () => {
    await gateway.account('amy', { balance_usd: '5' })
    await gateway.account('Ben', { balance_usd: '2' })
    await gateway.account('cora', { balance_usd: '9' })
    await post('/accounts/cora/suspend')
    await operator.json('PATCH', '/accounts/cora', { display_name: 'Ébène & Co', email: 'Cora@b.org' })
    await gateway.account('dan')
    await post('/accounts/dan/close', { name: 'dan' })
    for (let made = 0; made < 3; made += 1) await (await call(wholePath(), ask())).text()
    await gateway.rest()
  })

  test('is ordered by name, with the money and the state of each account', async () => {
    const { accounts, next_cursor } = await operator.json('GET', '/accounts?search=a')
    expect(names(accounts)).toEqual(['account-1', 'amy', 'cora', 'dan'])
    expect(accounts[1]).toMatchObject({
      name: 'amy',
      status: 'active',
      balance_usd: '5.00',
      available_nanos: 5 * USD,
      week_nanos: 0,
      lasts_days: null,
      low: null,
    })
    expect(accounts).toMatchObject(['active', 'active', 'suspended', 'closed'].map((status) => ({ status })))
    expect(next_cursor).toBeNull()
  })

  test('has the spend of the week, and the days until the balance runs out', async () => {
    const { accounts } = await operator.json('GET', '/accounts?order=-spent&limit=1')
    expect(accounts).toMatchObject([
      { name: 'account-1', week_nanos: 3 * ANSWER_NANOS, change_percent: null },
    ])
    const [{ available_nanos, lasts_days }] = accounts
    expect(lasts_days).toBe(Math.floor(available_nanos / (3 * ANSWER_NANOS)))
  })

  test.each([
    ['order=name', ['Ben', 'account-1', 'amy', 'cora', 'dan']],
    ['order=-name', ['dan', 'cora', 'amy', 'account-1', 'Ben']],
    ['order=balance', ['dan', 'account-1', 'Ben', 'amy', 'cora']],
    ['order=-balance', ['cora', 'amy', 'Ben', 'account-1', 'dan']],
    ['status=active', ['Ben', 'account-1', 'amy']],
    ['status=suspended', ['cora']],
    ['status=closed', ['dan']],
    ['search=AM', ['amy']],
    ['search=%25', []],
    ['search=zzz', []],
    ['search=%C3%89b%C3%A8ne', ['cora']],
    ['search=CORA%40B', ['cora']],
    ['low=yes', []],
  ])('%s', async (query, expected) => {
    const { accounts } = await operator.json('GET', `/accounts?${query}`)
    expect(names(accounts).filter((name) => !name.startsWith('fresh-'))).toEqual(expected)
  })

  test('filters accounts with a low balance: those that called this week, not those that never called', async () => {
    const unused = await fresh()
    const { available_usd: amount } = await operator.json('GET', '/accounts/account-1')
    await post('/accounts/account-1/debit', { amount, note: 'moved' })
    const { accounts } = await operator.json('GET', '/accounts?low=yes')
    expect(accounts).toMatchObject([{ name: 'account-1', low: 'empty' }])
    expect(await operator.json('GET', `/accounts/${unused.id}`)).toMatchObject({ low: null })
    await post('/accounts/account-1/top-up', { amount })
    expect(names((await operator.json('GET', '/accounts?low=yes')).accounts)).toEqual([])
  })

  test.each(['name', '-name', 'balance', '-balance', 'spent', '-spent'])(
    'has every account once and in order, in pages by %s',
    async (order) => {
      const all = names((await operator.json('GET', `/accounts?order=${order}`)).accounts)
      const pages = await allPages((cursor) =>
        operator.json('GET', `/accounts?order=${order}&limit=2${cursor}`),
      )
      expect(pages.flatMap(({ accounts }) => names(accounts))).toEqual(all)
      expect(new Set(all).size).toBe(gateway.rows().accounts.length)
    },
  )

  test.each([
    ['order=wealth', 'order'],
    ['status=gone', 'status'],
    ['low=no', 'low'],
    ['cursor=999999', 'cursor'],
    ['cursor=999999&order=spent', 'cursor'],
    ['limit=0', 'limit'],
    ['name=x', 'name'],
    ['order=name&order=spent', 'order'],
  ])('refuses ?%s with 400', async (query, param) => {
    expect(await errorOf(await operator.send('GET', `/accounts?${query}`))).toMatchObject({
      status: 400,
      param,
    })
  })
})

describe('one account', () => {
  test('is found by its number and by its name, with its limits and its keys', async () => {
    const by_number = await operator.json('GET', '/accounts/1')
    expect(await operator.json('GET', `/accounts/${by_number.name}`)).toEqual(by_number)
    expect(by_number).toMatchObject({
      name: 'account-1',
      keys: 1,
      last_call_at_ms: expect.any(Number),
      limits: { requests_per_minute: { limit: 500, used: expect.any(Number) } },
      closed_at_ms: null,
    })
  })

  test('has its limits even if its name needs quotes in the catalogue', async () => {
    await gateway.account('o.b')
    expect(await operator.json('GET', '/accounts/o.b')).toMatchObject({
      limits: { concurrent_calls: { limit: 2, used: 0 } },
    })
  })

  test.each(['999999', 'nobody', '0', '-1', '1e3', '%00', '9'.repeat(30)])(
    '%s is not found',
    async (reference) => {
      expect((await operator.send('GET', `/accounts/${reference}`)).status).toBe(404)
    },
  )
})

describe('a new account', () => {
  test('has neither money nor keys', async () => {
    expect(await operator.json('POST', '/accounts', { name: 'newcomer' })).toMatchObject({
      name: 'newcomer',
      balance_nanos: 0,
      keys: 0,
      status: 'active',
      low: null,
    })
  })

  test('is created once by two simultaneous requests', async () => {
    const both = await Promise.all([post('/accounts', { name: 'twin' }), post('/accounts', { name: 'twin' })])
    expect(both.map(({ status }) => status).sort()).toEqual([200, 400])
    expect(gateway.rows().accounts.filter(({ name }) => name === 'twin')).toHaveLength(1)
  })

  test.each<[object, string]>([
    ...['account-1', '', 'a b', '-x', 'x'.repeat(65), 'é', 7, undefined].map((name): [object, string] => [
      { name },
      'name',
    ]),
    [{ name: 'x', balance: 1 }, 'balance'],
  ])('%p is refused with 400', async (body, param) => {
    expect(await errorOf(await post('/accounts', body))).toMatchObject({ status: 400, param })
  })
})

describe('money', () => {
  test('a top-up and a debit are entries with their notes, and the balance is their sum', async () => {
    const { id } = await fresh()
    const moved = (path: string, amount: string, note: string) =>
      operator.json('POST', `/accounts/${id}/${path}`, { amount, note })
    expect(await moved('top-up', '10.50', 'invoice 7')).toMatchObject({
      again: false,
      account: { balance_nanos: 10.5 * USD },
    })
    expect(await moved('debit', '0.5', 'refund')).toMatchObject({
      again: false,
      account: { balance_usd: '10.00' },
    })
    const entries = gateway.rows().entries.filter(({ account_id }) => account_id === id)
    expect(entries).toMatchObject([
      { kind: 'top_up', amount_nanos: 10.5 * USD, note: 'invoice 7' },
      { kind: 'withdrawal', amount_nanos: -0.5 * USD, note: 'refund' },
    ])
  })

  test('a double click is one entry', async () => {
    const { id } = await fresh()
    const body = { amount: '3', note: '' }
    const answers = await Promise.all([1, 2, 3].map(() => move(`/accounts/${id}/top-up`, body, 'a key')))
    const bodies = await Promise.all(answers.map((each) => each.json() as Promise<{ again: boolean }>))
    expect(bodies.map(({ again }) => again).sort()).toEqual([false, true, true])
    expect(await operator.json('GET', `/accounts/${id}`)).toMatchObject({ balance_nanos: 3 * USD })
  })

  test.each([{}, { note: 'x' }])('two tabs make two movements: %p', async (more) => {
    const { id } = await fresh()
    await Promise.all([1, 2].map(() => move(`/accounts/${id}/top-up`, { amount: '3', ...more })))
    expect(await operator.json('GET', `/accounts/${id}`)).toMatchObject({ balance_nanos: 6 * USD })
  })

  test.each<[string, string, object]>([
    ['another amount', 'top-up', { amount: '4', note: 'x' }],
    ['another note', 'top-up', { amount: '3', note: 'y' }],
    ['a debit', 'debit', { amount: '3', note: 'x' }],
  ])('the key of another movement is refused, and moves nothing: %s', async (_, path, body) => {
    const { id } = await fresh()
    await move(`/accounts/${id}/top-up`, { amount: '3', note: 'x' }, 'invoice 7')
    const other = await move(`/accounts/${id}/${path}`, body, 'invoice 7')
    expect(await errorOf(other)).toMatchObject({
      status: 422,
      code: 'idempotency_key_reused',
      param: 'Idempotency-Key',
    })
    expect(await operator.json('GET', `/accounts/${id}`)).toMatchObject({ balance_nanos: 3 * USD })
  })

  test('the same key in two accounts is two movements', async () => {
    for (const { id } of [await fresh(), await fresh()]) {
      const answer = await move(`/accounts/${id}/top-up`, { amount: '3' }, 'a key')
      expect(await answer.json()).toMatchObject({ again: false, account: { balance_nanos: 3 * USD } })
    }
  })

  test('each request without a key is a separate movement', async () => {
    const { id } = await fresh()
    for (const balance_nanos of [3 * USD, 6 * USD])
      expect(await operator.json('POST', `/accounts/${id}/top-up`, { amount: '3' })).toMatchObject({
        again: false,
        account: { balance_nanos },
      })
  })

  test('a refused debit succeeds under the same key once the balance covers it', async () => {
    const { id } = await fresh('1')
    const body = { amount: '2', note: 'x' }
    const refused = await errorOf(await move(`/accounts/${id}/debit`, body, 'a key'))
    expect(refused).toMatchObject({ status: 422, param: 'amount', code: 'insufficient_balance' })
    expect(refused.message).toContain('1.00 USD are available, less than 2.00')
    await post(`/accounts/${id}/top-up`, { amount: '1' })
    const done = await move(`/accounts/${id}/debit`, body, 'a key')
    expect(await done.json()).toMatchObject({ again: false })
    expect(await operator.json('GET', `/accounts/${id}`)).toMatchObject({ balance_nanos: 0 })
  })

  test.each<[string, object, number, string]>([
    ...['0', '-1', '', '1,5', '1e3', 'NaN', '0.0000000001', ...TOO_MUCH, 10, null].map(
      (amount): [string, object, number, string] => ['top-up', { amount }, 400, 'amount'],
    ),
    ['top-up', { amount: '1', note: 'x'.repeat(501) }, 400, 'note'],
    ['top-up', { amount: '1', note: 'paid\u001b[2K' }, 400, 'note'],
    ['debit', { amount: '1', note: 'two\nlines' }, 400, 'note'],
    ['top-up', { amount: '1', deed: 'deed-12345' }, 400, 'deed'],
    ['top-up', { amount: '1', currency: 'EUR' }, 400, 'currency'],
    ['debit', { amount: '1' }, 400, 'note'],
    ['debit', { amount: '1', note: '  ' }, 400, 'note'],
    ['debit', { amount: '5.000000001', note: 'x' }, 422, 'amount'],
  ])('%s %p: %d, and nothing moves', async (path, body, status, param) => {
    const { id } = await fresh('5')
    const answer = await move(`/accounts/${id}/${path}`, body)
    expect(await errorOf(answer)).toMatchObject({ status, param })
    expect(gateway.rows().entries.filter(({ account_id }) => account_id === id)).toHaveLength(1)
  })

  test.each(['', 'x'.repeat(256), 'gr\u00fcn'])('the key %p: 400, and nothing moves', async (key) => {
    const { id } = await fresh()
    const answer = await move(`/accounts/${id}/top-up`, { amount: '1' }, key)
    expect(await errorOf(answer)).toMatchObject({ status: 400, param: 'idempotency-key' })
    expect(gateway.rows().entries.filter(({ account_id }) => account_id === id)).toEqual([])
  })

  test('the maximum balance can be reached exactly, but not exceeded', async () => {
    const { id } = await fresh()
    await post(`/accounts/${id}/top-up`, { amount: '9007199.254740991' })
    const over = await post(`/accounts/${id}/top-up`, { amount: '0.000000001' })
    expect(await errorOf(over)).toMatchObject({ status: 422, param: 'amount', code: 'amount_out_of_range' })
    expect(await operator.json('GET', `/accounts/${id}`)).toMatchObject({
      balance_nanos: Number.MAX_SAFE_INTEGER,
    })
    await post(`/accounts/${id}/debit`, { amount: '9007199.254740991', note: 'test' })
  })

  test('a movement of an unknown account is 404', async () => {
    expect((await post('/accounts/999999/top-up', { amount: '1' })).status).toBe(404)
    expect((await post('/accounts/999999/debit', { amount: '1', note: 'x' })).status).toBe(404)
  })
})

describe('suspend, resume, close', () => {
  const tryCall = async (text: string) => (await call(wholePath(), ask(), { key: text })).status

  test('a suspended account is refused, and calls again once it is resumed', async () => {
    const { id, name } = await fresh('1')
    const text = await gateway.key(name)
    expect(await operator.json('POST', `/accounts/${id}/suspend`)).toMatchObject({ status: 'suspended' })
    expect(await operator.json('POST', `/accounts/${id}/suspend`)).toMatchObject({ status: 'suspended' })
    expect(await tryCall(text)).toBe(403)
    expect(await operator.json('POST', `/accounts/${id}/resume`)).toMatchObject({ status: 'active' })
    // The gate caches a key for a second.
    await eventually('the account calls again', async () => (await tryCall(text)) === 200)
    await gateway.rest()
  })

  test('a closed account keeps its money and loses its keys; closing needs its name', async () => {
    const { id, name } = await fresh('1')
    const text = await gateway.key(name)
    for (const wrong of ['', 'yes', `${name} `, name.toUpperCase()])
      expect(await errorOf(await post(`/accounts/${id}/close`, { name: wrong }))).toMatchObject({
        status: 400,
        param: 'name',
      })
    const closed = await operator.json('POST', `/accounts/${id}/close`, { name })
    expect(closed).toMatchObject({
      revoked_keys: 1,
      account: { status: 'closed', keys: 0, balance_nanos: USD },
    })
    expect(closed.account.closed_at_ms).toBeNumber()
    expect(await tryCall(text)).toBe(401)
    expect((await post(`/accounts/${id}/suspend`)).status).toBe(409)
    expect(await operator.json('POST', `/accounts/${id}/resume`)).toMatchObject({ status: 'active', keys: 0 })
  })

  test.each(['suspend', 'resume'])('%s of an unknown account is 404', async (action_path) => {
    expect((await post(`/accounts/999999/${action_path}`)).status).toBe(404)
  })
})

describe('the details of an account', () => {
  test('are set with the account, changed and removed; the name stays', async () => {
    const name = `noted-${crypto.randomUUID().slice(0, 8)}`
    const details = {
      display_name: 'Zoë',
      email: 'zoe@example.com',
      note: 'pays late',
      keys_see_account: true,
    }
    const made = await operator.json('POST', '/accounts', { name, ...details })
    expect(made).toMatchObject({ name, ...details })
    const { account } = await operator.json('PATCH', `/accounts/${made.id}`, { email: '' })
    expect(account).toMatchObject({ name, ...details, email: '' })
  })

  test.each([
    [{ display_name: 'a\nb' }, 'display_name'],
    [{ display_name: 'x'.repeat(101) }, 'display_name'],
    [{ email: 'nobody' }, 'email'],
    [{ email: 7 }, 'email'],
    [{ note: 'x'.repeat(1_001) }, 'note'],
    [{ keys_see_account: 'yes' }, 'keys_see_account'],
    [{ phone: '1' }, 'phone'],
  ])('%j is refused with 400, and the name in the same request is not changed', async (details, param) => {
    const { id, name } = await fresh()
    const answer = await operator.send('PATCH', `/accounts/${id}`, {
      body: { name: `${name}-x`, ...details },
    })
    expect(await errorOf(answer)).toMatchObject({ status: 400, param })
    expect(await operator.json('GET', `/accounts/${id}`)).toMatchObject({ name, display_name: '', email: '' })
  })
})

describe('a new name', () => {
  test('changes nothing else, and the account is found by its number', async () => {
    const { id, name } = await fresh('1')
    const renamed = await operator.json('PATCH', `/accounts/${name}`, { name: `${name}-new` })
    expect(renamed).toMatchObject({ remark: null, account: { id, name: `${name}-new`, balance_nanos: USD } })
    expect((await operator.send('GET', `/accounts/${name}`)).status).toBe(404)
    expect(await operator.json('PATCH', `/accounts/${id}`, { name: `${name}-new` })).toMatchObject({
      remark: null,
    })
  })

  test('comes with a remark about limits under the old name', async () => {
    const { remark } = await operator.json('PATCH', '/accounts/o.b', { name: 'o.c' })
    expect(remark).toContain('rename [limits.accounts."o.b"] there')
  })

  test.each(['account-1', '', 'a b'])('%p is refused with 400: in use or malformed', async (name) => {
    const { id } = await fresh()
    const answer = await operator.send('PATCH', `/accounts/${id}`, { body: { name } })
    expect(await errorOf(answer)).toMatchObject({ status: 400, param: 'name' })
  })
})

describe('the rights', () => {
  const ROUTES: [string, string, object | undefined][] = [
    ['GET', '/accounts', undefined],
    ['POST', '/accounts', { name: 'x' }],
    ['GET', '/accounts/1', undefined],
    ['PATCH', '/accounts/1', { name: 'x' }],
    ['POST', '/accounts/1/top-up', { amount: '1' }],
    ['POST', '/accounts/1/debit', { amount: '1', note: 'x' }],
    ['POST', '/accounts/1/suspend', undefined],
    ['POST', '/accounts/1/resume', undefined],
    ['POST', '/accounts/1/close', { name: 'account-1' }],
  ]

  test.each(ROUTES)('%s %s: only for the operator', async (method, path, body) => {
    const send = (client: typeof operator) => client.send(method, path, body === undefined ? {} : { body })
    const before = gateway.rows()
    expect((await send(clientOf(gateway))).status).toBe(401)
    expect((await send(await signedIn(gateway, { account: 'account-1' }))).status).toBe(403)
    expect((await send(await signedIn(gateway, { key }))).status).toBe(403)
    const { accounts, entries } = gateway.rows()
    expect({ accounts, entries }).toEqual({ accounts: before.accounts, entries: before.entries })
  })
})

test('the books are clean after all of these tests', async () => {
  const { accounts, entries } = await gateway.atRest()
  for (const { id, balance_nanos } of accounts) {
    const sum = entries
      .filter(({ account_id }) => account_id === id)
      .reduce((total, entry) => total + entry.amount_nanos, 0)
    expect([id, sum]).toEqual([id, balance_nanos])
  }
})

test('every list has the display name beside the short one, only for the operator', async () => {
  const display_name = 'Zoë & 株式会社'
  const { name, id } = await gateway.account('zoe-of-the-lists', { balance_usd: '5' })
  await gateway.key(name, { name: 'laptop' })
  await operator.json('PATCH', `/accounts/${id}`, { display_name })
  const names_of_account = { account: name, account_display_name: display_name }
  const query = `?account=${name}`
  expect((await operator.json('GET', `/entries${query}`)).entries[0]).toMatchObject(names_of_account)
  expect((await operator.json('GET', `/keys${query}`)).keys[0]).toMatchObject(names_of_account)
  expect((await operator.json('GET', `/audit-log${query}`)).actions[0]).toMatchObject(names_of_account)
  const found = { accounts: [{ name, display_name }] }
  expect(await operator.json('GET', '/search?q=zoe-of')).toMatchObject(found)
  expect(await operator.json('GET', `/search?q=${encodeURIComponent('株式')}`)).toMatchObject(found)
  expect((await operator.json('GET', '/call-filters')).accounts).toContainEqual({ id, name, display_name })
  const own = await signedIn(gateway, { account: name })
  expect((await own.json('GET', '/entries')).entries[0].account_display_name).toBe('')
  expect((await own.json('GET', '/keys')).keys[0].account_display_name).toBe('')
})
