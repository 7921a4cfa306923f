// Headers of limits of spending in answers to paid calls: of the tightest limit that the call counts against, and none without a limit.
import { describe, expect, test } from 'bun:test'
import { changeAccountBudgets, setBudgets } from '../../src/access/budgets.ts'
import { FIRST_CATALOGUE } from '../../src/catalogue/first.ts'
import type { BudgetPeriod } from '../../src/domain/budgets.ts'
import { signedIn } from '../support/console-session.ts'
import { fileGateway } from '../support/gateway.ts'

const PLANS = `
[[plans.offered]]
name = "pro"
price_usd = 2
models = ["sim-gpt"]
usd_per_5h = "0.5"
usd_per_month = 50
`
const NAMES = [
  'x-ratelimit-limit-usd',
  'x-ratelimit-remaining-usd',
  'x-ratelimit-reset-usd',
  'x-tollgate-spend-limit',
]
const USD = 1_000_000_000
const clock = { now_ms: Date.parse('2026-11-15T10:30:00Z') }
const gateway = await fileGateway({ catalogue: FIRST_CATALOGUE + PLANS, now: () => clock.now_ms })

async function account(name: string, limits: { account?: Limits; key?: Limits } = {}) {
  const { id } = await gateway.account(name, { balance_usd: '10' })
  const key = await gateway.key(name)
  const key_id = gateway.rows().keys.at(-1)?.id ?? 0
  if (limits.account) await changeAccountBudgets(gateway.store, name, limits.account, clock.now_ms)
  const { key: of_key } = limits
  if (of_key)
    await gateway.store.begin(async (tx) => {
      await tx.lock(id)
      await setBudgets(tx, { account_id: id, key_id }, of_key, clock.now_ms)
    })
  clock.now_ms += 1_001
  return key
}
type Limits = Partial<Record<BudgetPeriod, number>>

async function headersOf(key: string, body: object = {}) {
  const messages = [{ role: 'user', content: 'hello' }]
  const answer = await gateway.call(
    '/v1/chat/completions',
    { model: 'sim-gpt', messages, max_tokens: 10, ...body },
    { key },
  )
  expect(answer.status).toBe(200)
  await answer.arrayBuffer()
  return NAMES.map((name) => answer.headers.get(name))
}
const NONE = [null, null, null, null]

describe('headers of accounts without a plan', () => {
  test('are absent without limits', async () => {
    expect(await headersOf(await account('plain'))).toEqual(NONE)
  })

  test.each<[name: string, limits: { account?: Limits; key?: Limits }, limit: string, which: string]>([
    ['day', { account: { day: 5 * USD } }, '5.00', 'account day'],
    ['least', { account: { '5h': 3 * USD, day: 2 * USD, month: 9 * USD } }, '2.00', 'account day'],
    ['keys', { account: { day: 2 * USD }, key: { week: USD } }, '1.00', 'key week'],
    ['other', { account: { day: USD }, key: { week: 2 * USD } }, '1.00', 'account day'],
    ['same', { account: { day: USD }, key: { day: USD } }, '1.00', 'account day'],
  ])('have the tightest limit: %s', async (name, limits, limit, which) => {
    const [total, left, reset, of] = await headersOf(await account(name, limits))
    expect([total, of]).toEqual([limit, which])
    const call = await gateway.lastCall()
    expect(Number(left) * USD).toBeCloseTo(Number(limit) * USD - call.hold_nanos, 0)
    // A Sunday: the week ends with the day.
    const ends = '2026-11-16T00:00:00Z'
    expect(reset).toBe(`${Math.ceil((Date.parse(ends) - clock.now_ms) / 1_000)}s`)
  })

  test('are in streamed answers, too', async () => {
    const key = await account('streams', { account: { '5h': USD } })
    expect(await headersOf(key, { stream: true })).toEqual([
      '1.00',
      expect.any(String),
      '18000s',
      'account 5h',
    ])
    clock.now_ms += 60_000
    expect((await headersOf(key))[2]).toBe('17940s')
  })
})

test('a covered call has the headers of the plan, another one those of the account', async () => {
  const key = await account('planned', { account: { day: 5 * USD } })
  const owner = await signedIn(gateway, { account: 'planned', role: 'owner' }, clock.now_ms)
  await owner.json('POST', '/plan/buy', { plan: 'pro' })
  clock.now_ms += 1_001
  const [limit, left, reset, of] = await headersOf(key)
  expect([limit, reset, of]).toEqual(['0.50', '18000s', 'plan 5h'])
  expect(Number(left)).toBeGreaterThan(0.4)
  expect(Number(left)).toBeLessThan(0.5)
  expect(await headersOf(key, { model: 'sim-flash' })).toMatchObject({ 0: '5.00', 3: 'account day' })
})

test('GET /api/v1/account has the limits of the key’s owner', async () => {
  const key = await account('team')
  const getAccount = async () =>
    (await (await gateway.call('/api/v1/account', undefined, { key })).json()) as {
      person_spend_limits: object[]
    }
  expect((await getAccount()).person_spend_limits).toEqual([])
  const { account_id, id } = gateway.rows().keys.at(-1) ?? { account_id: 0, id: 0 }
  await signedIn(gateway, { account: 'team', role: 'member' }, clock.now_ms)
  const person_id =
    gateway.db.query<{ id: number }, []>('SELECT max(person_id) AS id FROM memberships').get()?.id ?? 0
  gateway.db.run('UPDATE keys SET person_id = ? WHERE id = ?', [person_id, id])
  await gateway.store.begin(async (tx) => {
    await tx.lock(account_id)
    await setBudgets(tx, { account_id, key_id: null, person_id }, { week: USD / 2 }, clock.now_ms)
  })
  clock.now_ms += 1_001
  expect((await getAccount()).person_spend_limits).toMatchObject([
    { period: 'week', limit_usd: '0.50', resets_at: '2026-11-16T00:00:00.000Z' },
  ])
  expect(await headersOf(key)).toMatchObject({ 0: '0.50', 3: 'person week' })
})
