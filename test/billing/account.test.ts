// silent.md, Account surface: "GET /api/v1/account (balance, held, debt, limits)".
import { describe, expect, test } from 'bun:test'
import { MODEL } from '../support/catalogue.ts'
import { ANSWER_NANOS, answer, ask, wholePath } from '../support/native.ts'
import { fileScene } from '../support/scene.ts'
import { SILENCE, whole } from '../support/upstream.ts'

const LIMITS = `
[limits.account]
requests_per_minute = 100
concurrent_calls = 9

[limits.key]
tokens_per_minute = 5000

[limits.accounts.bounded]
requests_per_minute = 2
`
const PATH = '/api/v1/account'

const { gateway, upstream } = await fileScene({ script: whole(answer()), more: LIMITS })

const getAccount = async (key: string) => {
  const response = await gateway.call(PATH, undefined, { key })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

describe('GET /api/v1/account', () => {
  test('an account without calls has its balance, limits and key', async () => {
    await gateway.account('anna', { balance_usd: '12.5' })
    const key = await gateway.key('anna', {
      name: 'desk',
      spend_limit_nanos: 3_000_000_000,
      models: ['test-*'],
    })
    expect(await getAccount(key)).toEqual({
      status: 200,
      body: {
        account: 'anna',
        status: 'active',
        balance_nanos: 12_500_000_000,
        balance_usd: '12.50',
        held_nanos: 0,
        held_usd: '0.00',
        available_nanos: 12_500_000_000,
        available_usd: '12.50',
        debt_nanos: 0,
        debt_usd: '0.00',
        limits: {
          account: {
            requests_per_minute: { limit: 100, used: 0 },
            concurrent_calls: { limit: 9, used: 0 },
          },
          key: { tokens_per_minute: { limit: 5_000, used: 0 } },
        },
        spend_limits: [],
        person_spend_limits: [],
        plan: null,
        key: {
          name: 'desk',
          prefix: key.slice(0, 10),
          models: ['test-*'],
          spend_limit_nanos: 3_000_000_000,
          spend_limit_usd: '3.00',
          spent_nanos: 0,
          spent_usd: '0.00',
          held_nanos: 0,
          held_usd: '0.00',
          spend_limits: [
            {
              period: 'total',
              limit_nanos: 3_000_000_000,
              limit_usd: '3.00',
              used_nanos: 0,
              used_usd: '0.00',
              left_nanos: 3_000_000_000,
              left_usd: '3.00',
              resets_at_ms: null,
              resets_at: null,
              state: 'ok',
            },
          ],
          expires_at_ms: null,
          expires_at: null,
        },
      },
    })
  })

  test('a call under way is held and counted, a finished one paid and counted, and this request is not counted', async () => {
    const key = await gateway.caller('1')
    await gateway.call(wholePath(MODEL), ask(), { key })
    upstream.answer(SILENCE)
    const leaving = new AbortController()
    const hanging = gateway.call(wholePath(MODEL), ask(), { key, signal: leaving.signal }).catch(() => {})
    const deadline = performance.now() + 2_000
    let account = await getAccount(key)
    while (account.body.held_nanos === 0 && performance.now() < deadline) account = await getAccount(key)
    expect(account.body).toMatchObject({
      balance_nanos: 1_000_000_000 - ANSWER_NANOS,
      limits: {
        account: { requests_per_minute: { used: 2 }, concurrent_calls: { used: 1 } },
        key: { tokens_per_minute: { used: 15 } },
      },
      key: { spent_nanos: ANSWER_NANOS, spend_limit_nanos: null, spend_limit_usd: null },
    })
    const { balance_nanos, held_nanos, available_nanos } = account.body
    expect(held_nanos).toBeGreaterThan(0)
    expect(available_nanos).toBe(Number(balance_nanos) - Number(held_nanos))
    leaving.abort()
    await hanging
    upstream.answer(whole(answer()))
    await gateway.rest()
    expect((await getAccount(key)).body).toMatchObject({ held_nanos: 0 })
  })

  test('a caller who has reached a limit can still read it', async () => {
    await gateway.account('bounded', { balance_usd: '1' })
    const key = await gateway.key('bounded')
    for (const status of [200, 200, 429]) {
      expect((await gateway.call(wholePath(MODEL), ask(), { key })).status).toBe(status)
    }
    const { status, body } = await getAccount(key)
    expect(status).toBe(200)
    expect(body).toMatchObject({ limits: { account: { requests_per_minute: { limit: 2, used: 2 } } } })
  })

  test('debt is shown', async () => {
    const key = await gateway.caller('1')
    gateway.db.run('UPDATE accounts SET debt_nanos = 7 WHERE id = (SELECT max(id) FROM accounts)')
    expect((await getAccount(key)).body).toMatchObject({ debt_nanos: 7, debt_usd: '0.000000007' })
    gateway.db.run('UPDATE accounts SET debt_nanos = 0 WHERE id = (SELECT max(id) FROM accounts)')
  })

  test('the answer to x-api-key has a request id, and shows no more of the key than its prefix', async () => {
    const key = await gateway.caller()
    const response = await gateway.call(PATH, undefined, { key, form: 'x-api-key' })
    expect(response.status).toBe(200)
    expect(response.headers.get('x-request-id')).toMatch(/^req_/)
    const text = await response.text()
    expect(text).not.toContain(key)
    expect(text).not.toContain('sha256')
  })
})

describe('refusals', () => {
  test.each([
    ['no key', undefined],
    ['an unknown key', `tg_${'A'.repeat(43)}`],
    ['a text that is not a key', 'hello'],
  ])('%s is a 401', async (_name, key) => {
    const response = await gateway.call(PATH, undefined, { key })
    expect(response.status).toBe(401)
    const { error } = (await response.json()) as { error: { type: string; message: string } }
    expect(error.type).toBe('unauthenticated')
    expect(error.message).toMatch(/\S/)
  })

  test.each(['query', 'x-goog-api-key'] as const)('a valid key sent as %s is not accepted', async (form) => {
    const key = await gateway.caller()
    expect((await gateway.call(PATH, undefined, { key, form })).status).toBe(401)
  })

  test('a suspended account, and a revoked, an expired and a foreign key are refused', async () => {
    const suspended = await gateway.caller()
    gateway.db.run("UPDATE accounts SET status = 'suspended' WHERE id = (SELECT max(id) FROM accounts)")
    expect((await getAccount(suspended)).status).toBe(403)
    const revoked = await gateway.caller()
    gateway.db.run('UPDATE keys SET revoked_at_ms = 1 WHERE id = (SELECT max(id) FROM keys)')
    expect((await getAccount(revoked)).status).toBe(401)
    const expired = await gateway.caller()
    gateway.db.run(
      'UPDATE keys SET created_at_ms = 1, expires_at_ms = 2 WHERE id = (SELECT max(id) FROM keys)',
    )
    expect((await getAccount(expired)).status).toBe(401)
    expect((await getAccount(await gateway.caller('1', { addresses: ['192.0.2.1'] }))).status).toBe(403)
  })

  test.each(['?account=anna', '?verbose', '?a=1&b=2', '?__proto__=1'])(
    '%s is refused by name',
    async (query) => {
      const key = await gateway.caller()
      const response = await gateway.call(PATH + query, undefined, { key })
      expect(response.status).toBe(400)
      const { error } = (await response.json()) as { error: { param: string; message: string } }
      for (const name of new URLSearchParams(query).keys()) expect(error.message).toContain(`${name}: `)
      expect(error.param).toBe([...new URLSearchParams(query).keys()][0] ?? '')
    },
  )

  test.each(['POST', 'PUT', 'DELETE'])('%s is not served', async (method) => {
    const key = await gateway.caller()
    expect((await gateway.call(PATH, undefined, { key, method })).status).toBe(404)
  })
})
