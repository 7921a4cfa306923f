// Plans in a running gateway: settings, the console's routes, covered calls and refusals as callers see them, and the account's view.
import { describe, expect, test } from 'bun:test'
import { FIRST_CATALOGUE } from '../../src/catalogue/first.ts'
import { signedIn } from '../support/console-session.ts'
import { readExposition } from '../support/exposition.ts'
import { fileGateway } from '../support/gateway.ts'

const TOKEN = 'the-token-of-the-metrics'
const PLANS = `
[[plans.offered]]
name = "pro"
title = "Pro"
description = "For every day."
price_usd = 2
models = ["*"]
usd_per_5h = "0.05"
usd_per_month = 50
overflow = false

[[plans.offered]]
name = "max"
price_usd = 4
models = ["sim-gpt"]
usd_per_week = 40

[[price_groups]]
name = "half"
factor = 0.5

[metrics]
token = "${TOKEN}"
`
const clock = { now_ms: Date.parse('2026-11-15T10:30:00Z') }
const gateway = await fileGateway({
  catalogue: FIRST_CATALOGUE + PLANS,
  now: () => clock.now_ms,
})
interface Body {
  plan: object
  error: { code: string; message: string }
}
const bodyOf = async (response: Response | Promise<Response>): Promise<Body> =>
  (await (await response).json()) as Body

const chat = (key: string, more: object = {}) =>
  gateway.call(
    '/v1/chat/completions',
    { model: 'sim-gpt', messages: [{ role: 'user', content: 'hello' }], max_tokens: 10, ...more },
    { key },
  )

test('an account buys a plan at the console, and its calls are covered', async () => {
  const account = await gateway.account('anna', { balance_usd: '10' })
  const key = await gateway.key('anna')
  const owner = await signedIn(gateway, { account: 'anna', role: 'owner' }, clock.now_ms)
  const before = await owner.json('GET', '/plan')
  expect(before.plan).toBeNull()
  expect(before.offered).toMatchObject([
    { plan: 'pro', title: 'Pro', price_usd: '2.00', due_usd: '2.00', overflow: false },
    { plan: 'max', title: 'max', due_usd: '4.00', limits: [{ period: 'week', limit_usd: '40.00' }] },
  ])
  expect(await owner.json('POST', '/plan/buy', { plan: 'pro' })).toEqual({
    changes_at: null,
    changes_at_ms: null,
  })
  expect((await owner.json('GET', '/start')).account).toMatchObject({ has_plan: true })
  clock.now_ms += 1_001
  const answered = await chat(key)
  expect(answered.status).toBe(200)
  await answered.arrayBuffer()
  const call = await gateway.lastCall()
  expect([call.cost_nanos, call.hold_nanos]).toEqual([0, 0])
  expect(call.covered_nanos).toBeGreaterThan(0)
  const { plan } = await bodyOf(gateway.call('/api/v1/account', undefined, { key }))
  expect(plan).toMatchObject({
    plan: 'pro',
    state: 'active',
    ends_at: '2026-12-15T10:30:00.000Z',
    limits: [
      { period: '5h', used_nanos: call.covered_nanos },
      { period: 'month', used_nanos: call.covered_nanos, resets_at: '2026-12-15T10:30:00.000Z' },
    ],
  })
  const { accounts } = gateway.rows()
  expect(accounts.find(({ id }) => id === account.id)?.balance_nanos).toBe(8_000_000_000)
  expect(gateway.log.lines().some((line) => JSON.stringify(line).includes('"paid_by":"plan"'))).toBe(true)
})

test('a covered call counts at the price of the account’s group', async () => {
  const coveredNanos = async (name: string, group?: string) => {
    await gateway.account(name, { balance_usd: '10' })
    const key = await gateway.key(name)
    if (group) gateway.db.run('UPDATE accounts SET price_group = ? WHERE name = ?', [group, name])
    const owner = await signedIn(gateway, { account: name, role: 'owner' }, clock.now_ms)
    await owner.json('POST', '/plan/buy', { plan: 'pro' })
    clock.now_ms += 1_001
    await (await chat(key)).arrayBuffer()
    return (await gateway.lastCall()).covered_nanos
  }
  expect((await coveredNanos('grouped', 'half')) * 2).toBe(await coveredNanos('ungrouped'))
})

test('a reached limit is a 429 with the time of its reset', async () => {
  gateway.db.run(
    "UPDATE budgets SET used_nanos = limit_nanos WHERE period = '5h' AND plan_period_id IS NOT NULL",
  )
  const key = await gateway.key('anna')
  const response = await chat(key)
  const body = await bodyOf(response)
  expect([response.status, body.error.code]).toEqual([429, 'PLAN_LIMIT'])
  expect(body.error.message).toMatch(
    /five-hour limit of the account's plan. The limit resets at 2026-11-15T15:30:0\d/,
  )
  const wait_s = Number(response.headers.get('retry-after'))
  expect(wait_s).toBeGreaterThan(17_000)
  expect(wait_s).toBeLessThanOrEqual(18_000)
})

test('a call that exceeds the whole limit is a 402 without a time', async () => {
  const response = await chat(await gateway.key('anna'), {
    max_tokens: undefined,
    max_completion_tokens: 60_000,
  })
  const { error } = await bodyOf(response)
  expect([response.status, error.code, response.headers.get('retry-after')]).toEqual([
    402,
    'PLAN_LIMIT',
    null,
  ])
})

test('a member may not buy a plan, and invalid purchases are refused', async () => {
  const member = await signedIn(gateway, { account: 'anna', role: 'member' }, clock.now_ms)
  expect((await member.send('POST', '/plan/buy', { body: { plan: 'max' } })).status).toBe(403)
  const billing = await signedIn(gateway, { account: 'anna', role: 'billing' }, clock.now_ms)
  const refusalOf = async (path: string, body: object) => {
    const response = await billing.send('POST', path, { body })
    return [response.status, (await bodyOf(response)).error.code]
  }
  expect(await refusalOf('/plan/buy', { plan: 'huge' })).toEqual([404, 'not_found'])
  expect(await refusalOf('/plan/buy', { plan: 'pro' })).toEqual([409, 'has_plan'])
  await gateway.account('poor', { balance_usd: '1' })
  const operator = await signedIn(gateway, 'operator', clock.now_ms)
  const poor = await operator.send('POST', '/plan/buy', { body: { account: 'poor', plan: 'pro' } })
  expect([poor.status, (await bodyOf(poor)).error.message]).toEqual([
    422,
    'The available balance is less than 2.00 USD, which this plan costs now. Add funds, then buy it.',
  ])
  expect(await refusalOf('/plan/buy', {})).toEqual([400, 'invalid_request'])
})

test('a dearer plan starts at once, for its price minus the rest of the month, and is cancelled and kept', async () => {
  clock.now_ms = Date.parse('2026-11-30T10:30:00Z')
  const owner = await signedIn(gateway, { account: 'anna', role: 'owner' }, clock.now_ms)
  const { offered } = await owner.json('GET', '/plan')
  // Half of the month is left.
  expect(offered.map(({ due_usd }: { due_usd: string }) => due_usd)).toEqual([null, '3.00'])
  await owner.json('POST', '/plan/buy', { plan: 'max' })
  const ends = '2026-12-30T10:30:00.000Z'
  expect(await owner.json('POST', '/plan/cancel', {})).toMatchObject({ changes_at: ends })
  expect((await owner.json('GET', '/plan')).plan).toMatchObject({
    plan: 'max',
    renews: false,
    covers_until_at: ends,
  })
  await owner.json('POST', '/plan/keep', {})
  expect(await owner.json('POST', '/plan/buy', { plan: 'pro' })).toMatchObject({ changes_at: ends })
  expect((await owner.json('GET', '/plan')).plan).toMatchObject({ renews: true, next_plan: 'pro' })
  const { months } = await owner.json('GET', '/plans')
  expect(months.map(({ plan, state }: { plan: string; state: string }) => [plan, state])).toEqual([
    ['max', 'active'],
    ['pro', 'replaced'],
  ])
  await gateway.rest()
})

describe('a quoted price', () => {
  const MINUTE_MS = 60_000
  const buy = async (name: string, quote: (now_ms: number) => object) => {
    await gateway.account(name, { balance_usd: '10' })
    const owner = await signedIn(gateway, { account: name, role: 'owner' }, clock.now_ms)
    return await owner.send('POST', '/plan/buy', { body: { plan: 'pro', quote: quote(clock.now_ms) } })
  }

  test.each<[name: string, quote: (now_ms: number) => object]>([
    ['another amount', (priced_at_ms) => ({ priced_at_ms, due_nanos: 1_999_999_999 })],
    ['nothing, as if it started later', (priced_at_ms) => ({ priced_at_ms, due_nanos: null })],
    ['eleven minutes ago', (now_ms) => ({ priced_at_ms: now_ms - 11 * MINUTE_MS, due_nanos: 2_000_000_000 })],
    ['a future time', (now_ms) => ({ priced_at_ms: now_ms + 2 * MINUTE_MS, due_nanos: 2_000_000_000 })],
  ])('of %s is refused, and nothing is paid', async (name, quote) => {
    const account = name.replaceAll(/[^a-z]+/g, '-')
    const response = await buy(account, quote)
    const { error } = await bodyOf(response)
    expect([response.status, error.code]).toEqual([409, 'price_changed'])
    const { id, balance_nanos } = gateway.rows().accounts.find((row) => row.name === account) ?? {}
    expect(balance_nanos).toBe(10_000_000_000)
    expect(gateway.db.query('SELECT id FROM plan_periods WHERE account_id = ?').all(id ?? 0)).toEqual([])
  })

  test('holds for ten minutes, to the nano-dollar, even minus the rest of a month', async () => {
    const response = await buy('quoted', (priced_at_ms) => ({ priced_at_ms, due_nanos: 2_000_000_000 }))
    expect(response.status).toBe(200)
    clock.now_ms += 24 * 60 * MINUTE_MS
    const owner = await signedIn(gateway, { account: 'quoted', role: 'owner' }, clock.now_ms)
    const { offered, priced_at_ms } = await owner.json('GET', '/plan')
    const { due_nanos } = offered.find(({ plan }: { plan: string }) => plan === 'max')
    clock.now_ms += 9 * MINUTE_MS
    await owner.json('POST', '/plan/buy', { plan: 'max', quote: { priced_at_ms, due_nanos } })
    const account = gateway.rows().accounts.find(({ name }) => name === 'quoted')
    expect(account?.balance_nanos).toBe(8_000_000_000 - due_nanos)
  })
})

test('the staff sees revenue by plan on the days of payment, and its unused part', async () => {
  const operator = await signedIn(gateway, 'operator', clock.now_ms)
  const sums = gateway.db
    .query<{ plan: string; months: number; nanos: number }, []>(
      `SELECT plan, count(*) AS months, sum(due_nanos) AS nanos FROM plan_periods
        WHERE state NOT IN ('open', 'lapsed') AND due_nanos > 0 GROUP BY plan ORDER BY nanos DESC`,
    )
    .all()
  const report = await operator.json('GET', '/plan-revenue')
  expect(
    report.plans.map(({ plan, months, revenue_nanos }: Record<string, unknown>) => ({
      plan,
      months,
      nanos: revenue_nanos,
    })),
  ).toEqual(sums)
  expect(sums.length).toBe(2)
  const months = gateway.db
    .query<{ price: number; starts: number; ends: number }, []>(
      "SELECT price_nanos AS price, starts_ms AS starts, ends_ms AS ends FROM plan_periods WHERE state = 'active'",
    )
    .all()
  const unused = months.map(({ price, starts, ends }) => {
    const left_ms = Math.max(0, Math.min(ends - clock.now_ms, ends - starts))
    return Number((BigInt(price) * BigInt(left_ms)) / BigInt(ends - starts))
  })
  expect(report.unused_nanos).toBe(unused.reduce((sum, nanos) => sum + nanos, 0))
  expect(report.active).toBe(months.length)
  const { liabilities } = await operator.json('GET', '/payments')
  expect(liabilities).toContainEqual(
    expect.objectContaining({ title: 'Months of plans not used yet', amount_nanos: report.unused_nanos }),
  )
  expect((await operator.json('GET', '/plan-revenue?until=2026-11-14')).plans).toEqual([])
})

test('metrics count the calls that plans covered, and their prices, as in the rows', async () => {
  await gateway.rest()
  const covered = gateway.db
    .query<{ plan: string; calls: number; nanos: number }, []>(
      `SELECT plan, count(*) AS calls, sum(covered_nanos) AS nanos FROM calls
        JOIN plan_periods ON plan_periods.id = calls.plan_period_id GROUP BY plan ORDER BY plan`,
    )
    .all()
  expect(covered.length).toBeGreaterThan(0)
  const families = readExposition(await (await gateway.call('/metrics', undefined, { key: TOKEN })).text())
  const read = (name: string) =>
    Object.fromEntries((families.get(name)?.samples ?? []).map(({ labels, value }) => [labels.plan, value]))
  expect([read('tollgate_plan_calls_total'), read('tollgate_plan_covered_usd_total')]).toEqual([
    Object.fromEntries(covered.map(({ plan, calls }) => [plan, calls])),
    Object.fromEntries(covered.map(({ plan, nanos }) => [plan, nanos / 10 ** 9])),
  ])
})

test('pages of plans exist while a plan is offered, and after that for accounts that have one', async () => {
  const featuresOf = async (who: Parameters<typeof signedIn>[1]) =>
    (await (await signedIn(gateway, who, clock.now_ms)).json('GET', '/session')).viewer.features
  const owner = { account: 'quoted', role: 'owner' } as const
  await gateway.account('planless')
  const planless = { account: 'planless', role: 'owner' } as const
  for (const who of [owner, planless, 'operator'] as const) expect(await featuresOf(who)).toContain('plans')
  await gateway.recatalogue(FIRST_CATALOGUE)
  expect(await featuresOf(owner)).toContain('plans')
  for (const who of [planless, 'operator'] as const) expect(await featuresOf(who)).not.toContain('plans')
})
