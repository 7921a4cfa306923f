// The usage of an account: three ways of adding up the same calls, and nobody else's.
import { expect, test } from 'bun:test'
import { usageOf } from '../../plugins/usage/usage.ts'
import { lastDays } from '../../src/domain/ranges.ts'
import { UTC } from '../../src/domain/zones.ts'
import { dailySums } from '../../src/money/ledger/sums.ts'
import type { CallTotals } from '../../src/money/ledger/totals.ts'
import { endOfTurn } from '../../src/utilities/end-of-turn.ts'
import { sessionsOf } from '../console/portal.ts'
import { recorded } from '../money/ledger/recorded.ts'
import { MODEL } from '../support/catalogue.ts'
import { fileGateway } from '../support/gateway.ts'

const DAY_MS = 86_400_000
const NOW = Date.UTC(2026, 10, 20, 12)
const COUNTS = ['calls', 'failed', 'input_tokens', 'output_tokens', 'images', 'cost_nanos'] as const

/** On three days, by two keys of anna and one of bert, with two models. */
const db = await recorded([
  [1, 100, { model: 'm1', started_at_ms: NOW - 2 * DAY_MS }],
  [1, 200, { model: 'm2', started_at_ms: NOW - DAY_MS }],
  [2, 400, { model: 'm1', started_at_ms: NOW, images: 3 }],
  [2, 0, { model: 'm1', started_at_ms: NOW, outcome: 'failed' }],
  [3, 800, { model: 'm1', started_at_ms: NOW, images: 5 }],
])
const asked = { account_id: 1, ...lastDays(NOW, 7) }

test('takes no more turns than there are days', async () => {
  let turns = 0
  const counting = async () => {
    for (; turns < 100; turns += 1) await endOfTurn()
  }
  await Promise.race([usageOf(db, asked), counting()])
  expect(turns).toBeLessThanOrEqual(7)
})

test('all accounts together are by account in place of key, and add up to the same', async () => {
  const all = { ...asked, account_id: undefined }
  const { total, days, models, accounts, keys } = await usageOf(db, all)
  expect(total).toMatchObject({ cost_nanos: 1_500, calls: 5, failed: 1 })
  expect(keys).toEqual([])
  expect(accounts.map(({ account_id, cost_nanos }) => [account_id, cost_nanos])).toEqual([
    [2, 800],
    [1, 700],
  ])
  for (const rows of [days, models, accounts])
    expect(rows.reduce((sum, { cost_nanos }) => sum + cost_nanos, 0)).toBe(1_500)
})

test('days, models and keys add up to the same total, which is that of the daily sums', async () => {
  const { total, days, models, keys } = await usageOf(db, asked)
  expect(total).toMatchObject({ cost_nanos: 700, calls: 4, failed: 1, images: 3 })
  const added = (rows: readonly CallTotals[]) =>
    COUNTS.map((name) => rows.reduce((sum, row) => sum + row[name], 0))
  for (const rows of [days, models, keys]) expect(added(rows)).toEqual(added([total]))
  const { sums } = await dailySums(db, { account_id: 1 }, { zone: UTC })
  expect(sums.reduce((sum, { cost_nanos }) => sum + cost_nanos, 0)).toBe(total.cost_nanos)
})

test.each([
  ['m1', 'm2'],
  ['m2', 'm1'],
])('of two that cost as much the one with more calls comes first: %s before %s', async (often, seldom) => {
  const together = await recorded([
    [1, 50, { model: often, started_at_ms: NOW }],
    [1, 50, { model: often, started_at_ms: NOW }],
    [1, 100, { model: seldom, started_at_ms: NOW }],
  ])
  const { models } = await usageOf(together, asked)
  expect(models.map(({ model, calls }) => [model, calls])).toEqual([
    [often, 2],
    [seldom, 1],
  ])
})

test('every day of the range is there, the oldest first, and the last one is today', async () => {
  const { days } = await usageOf(db, asked)
  expect(days).toHaveLength(7)
  expect(days.map(({ cost_nanos }) => cost_nanos)).toEqual([0, 0, 0, 0, 100, 200, 400])
  expect(days.at(-1)?.day).toBe(new Date(NOW).toISOString().slice(0, 10))
  expect((await usageOf(db, { account_id: 1, ...lastDays(NOW, 1) })).total.cost_nanos).toBe(400)
})

test('models and keys come with the most expensive first, and filter', async () => {
  const { models, keys } = await usageOf(db, asked)
  expect(models.map(({ model, cost_nanos }) => [model, cost_nanos])).toEqual([
    ['m1', 500],
    ['m2', 200],
  ])
  expect(keys.map(({ key_id, cost_nanos }) => [key_id, cost_nanos])).toEqual([
    [2, 400],
    [1, 300],
  ])
  expect((await usageOf(db, { ...asked, model: 'm1' })).keys.map(({ cost_nanos }) => cost_nanos)).toEqual([
    400, 100,
  ])
  expect((await usageOf(db, { ...asked, key_id: 1 })).total.cost_nanos).toBe(300)
})

const PATH = '/console/api/usage'

const gateway = await fileGateway()
const { alice, bob, operator } = await sessionsOf(gateway)
const HELLO = { model: MODEL, messages: [{ role: 'user', content: 'Say hello.' }] }
expect((await alice.ask('/console/api/play/chat', HELLO)).status).toBe(200)
await gateway.rest()

test('is shown to its account, and to the operator who names it', async () => {
  const { cost_nanos } = gateway.onlyCall()
  for (const [session, query] of [
    [alice, ''],
    [operator, '?account=alice'],
  ] as const) {
    const usage = await (await session.ask(`${PATH}${query}`)).json()
    expect(usage).toMatchObject({
      account: 'alice',
      total: { calls: 1, cost_nanos },
      models: [{ model: MODEL, cost_nanos }],
      keys: [{ key: 'console', cost_nanos }],
      further_keys: 0,
    })
  }
  expect(await (await bob.ask(PATH)).json()).toMatchObject({
    account: 'bob',
    total: { calls: 0 },
    models: [],
  })
})

test.each([
  ['the account of another', () => bob, '?account=alice', 404],
  ['an account that does not exist', () => operator, '?account=nobody', 404],
  ['more days than are read at once', () => alice, '?days=401', 400],
  ['more days than are read at once, by name', () => alice, '?since=2020-01-01&until=2026-01-01', 400],
  ['a day that does not exist', () => alice, '?since=2026-02-30', 400],
  ['a time in place of a day', () => alice, '?since=2026-02-03T10:00:00Z', 400],
  ['an end before the beginning', () => alice, '?since=2026-02-03&until=2026-02-01', 400],
  ['no days', () => alice, '?days=0', 400],
  ['a key of nobody', () => alice, '?key=tg_0000000', 404],
  ['an unknown parameter', () => alice, '?colour=red', 400],
] as const)('refuses %s', async (_name, session, query, status) => {
  expect((await session().ask(`${PATH}${query}`)).status).toBe(status)
})

interface Answer {
  total: { calls: number; cost_nanos: number }
  days: { day: string }[]
  accounts: { account: string }[]
}

test('is of any days, and of all accounts for the operator, by name or number', async () => {
  const { cost_nanos } = gateway.onlyCall()
  const today = new Date().toISOString().slice(0, 10)
  for (const [query, calls] of [
    ['', 1],
    [`?since=${today}&until=${today}`, 1],
    ['?since=2026-01-01&until=2026-01-03', 0],
    ['?account=1', 1],
  ] as const) {
    const usage = (await (await operator.ask(`${PATH}${query}`)).json()) as Answer
    expect([query, usage.total.calls]).toEqual([query, calls])
    expect(usage.total.cost_nanos).toBe(calls * cost_nanos)
    expect(usage.accounts.map(({ account }) => account)).toEqual(
      calls === 1 && !query.includes('account') ? ['alice'] : [],
    )
  }
  const asked = await operator.ask(`${PATH}?since=2026-01-01&until=2026-01-03`)
  const { days } = (await asked.json()) as Answer
  expect(days.map(({ day }) => day)).toEqual(['2026-01-01', '2026-01-02', '2026-01-03'])
})

test.each(['day', 'model', 'account', 'key'])('is a file by %s', async (by) => {
  const file = await operator.ask(`${PATH}.csv?by=${by}&days=7&account=alice`)
  const [head, ...lines] = (await file.text()).trimEnd().split('\r\n')
  expect(head).toStartWith(`${by},calls,failed,`)
  const calls = lines.reduce((sum, line) => sum + Number(line.split(',')[1]), 0)
  expect([lines.length, calls]).toEqual([by === 'day' ? 7 : 1, 1])
})
