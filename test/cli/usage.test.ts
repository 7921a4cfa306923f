// `usage`: recorded calls, filtered, paged and summed by day.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { openDatabase } from '../../src/db/open.ts'
import { createWriter } from '../../src/ledger/writer.ts'
import { hold, post, voided } from '../ledger/world.ts'
import { createScene, NOW, type Scene } from './scene.ts'

const HOUR_MS = 3_600_000

let scene: Scene
beforeAll(async () => {
  scene = createScene()
  for (const [account, key] of [
    ['anna', 'phone'],
    ['bert', 'desk'],
  ] as const) {
    await scene.run('account', 'create', account)
    await scene.run('credit', account, '10')
    await scene.run('key', 'create', account, '--name', key)
  }
  const db = openDatabase(scene.path('tollgate.db'))
  const writer = createWriter(db)
  const of = { account_id: 2, key_id: 2 }
  writer.commit([hold(9_000), hold(9_000, of), hold(9_000), hold(9_000)])
  writer.commit([
    post(1, 1_500, { model: 'sim-flash', started_at_ms: NOW - 30 * HOUR_MS, price: '{"unit":"token"}' }),
    post(2, 2_000, {
      model: 'sim-pro',
      started_at_ms: NOW - 2 * HOUR_MS,
      estimated: 1,
      thinking_tokens: 7,
      provider_cost_nanos: 2_500,
    }),
    post(3, 3_000, { model: 'sim-flash', started_at_ms: NOW - HOUR_MS, streamed: 1 }),
    voided(4),
  ])
  db.close()
})
afterAll(() => scene.remove())

const ids = async (...args: string[]) =>
  (await scene.json('usage', ...args)).calls.map(({ id }: { id: number }) => id)

describe('usage', () => {
  const cases: [line: string, ids: number[]][] = [
    ['--since 1990-01-01', [3, 2, 1]],
    ['--since 3h', [3, 2]],
    ['--since 90m', [3]],
    ['--until 90m --since 1990-01-01', [2, 1]],
    ['--since 2026-11-21', [3, 2]],
    ['--until 2026-11-20 --since 1990-01-01', [1]],
    ['--since 2026-11-20 --until 2026-11-21', [3, 2, 1]],
    ['--since 3h --account anna', [3]],
    ['--since 3h --key 2', [2]],
    ['--since 1990-01-01 --model sim-flash', [3, 1]],
    ['--since 2027-01-01', []],
  ]
  test.each(cases)('%s', async (line, expected) => {
    expect(await ids(...line.split(' '))).toEqual(expected)
  })

  test('is paged: each page says how to get the next one', async () => {
    const first = await scene.json('usage', '--limit', '3')
    expect([first.calls.length, first.next_cursor]).toEqual([3, 2])
    expect((await scene.run('usage', '--limit', '3')).err).toBe('There are more calls: --before 2')
    const second = await scene.json('usage', '--limit', '3', '--before', String(first.next_cursor))
    expect([second.calls.length, second.next_cursor]).toEqual([1, null])
  })

  test('--json has calls with names, booleans, money in both units and the applied price', async () => {
    const [call] = (await scene.json('usage', '--until', '24h', '--since', '2d')).calls
    expect(call).toMatchObject({
      account: 'anna',
      key: 'phone',
      streamed: false,
      estimated: false,
      cost_nanos: 1_500,
      cost_usd: '0.0000015',
      price: { unit: 'token' },
      started_at: new Date(NOW - 30 * HOUR_MS).toISOString(),
    })
  })

  test('is a table where ~ marks an estimate, and thinking counts as output', async () => {
    const { out } = await scene.run('usage', '--account', 'bert')
    expect(out.split('\n')[1]).toMatch(/ bert +desk +sim-pro +completed +200 +10 +12~ +- +0\.000002 +100$/)
  })

  test('--sums day has a line per day, account, key and model', async () => {
    const { out } = await scene.run('usage', '--sums', 'day', '--since', '2026-11-20')
    expect(
      out
        .split('\n')
        .slice(1)
        .map((line) => line.split(/ +/)),
    ).toEqual([
      ['2026-11-21', 'anna', 'phone', 'sim-flash', '1', '10', '5', '-', '0.000003'],
      ['2026-11-21', 'bert', 'desk', 'sim-pro', '1', '10', '12', '-', '0.000002'],
      ['2026-11-20', 'anna', 'phone', 'sim-flash', '1', '10', '5', '-', '0.0000015'],
    ])
    expect((await scene.json('usage', '--sums', 'day', '--account', 'bert')).sums).toMatchObject([
      { day: '2026-11-21', account: 'bert', calls: 1, cost_nanos: 2_000, cost_usd: '0.000002' },
    ])
  })

  test('--margin says what providers take, and - where that is not known', async () => {
    const calls = await scene.run('usage', '--margin', '--since', '3h')
    expect(calls.out.split('\n').map((line) => line.split(/ +/).slice(-3))).toEqual([
      ['USD', 'TAKEN', 'MARGIN'],
      ['0.000003', '-', '-'],
      ['0.000002', '0.0000025', '-0.0000005'],
    ])
    expect(calls.err).toContain('TAKEN: what the provider takes')
    const sums = await scene.run('usage', '--margin', '--sums', 'day', '--since', '3h')
    expect(sums.out.split('\n').map((line) => line.split(/ +/).slice(-4))).toEqual([
      ['USD', 'KNOWN', 'TAKEN', 'MARGIN'],
      ['0.000003', '-', '-', '-'],
      ['0.000002', '0.000002', '0.0000025', '-0.0000005'],
    ])
    expect(sums.err).toContain('KNOWN: what those calls paid')
    expect((await scene.run('usage', '--margin', '--model', 'none')).err).toBe('')
  })

  test('without calls says so', async () => {
    expect((await scene.run('usage', '--model', 'none')).out).toBe('No calls.')
    expect((await scene.run('usage', '--model', 'none', '--sums', 'day')).out).toBe('No calls.')
  })
})

test.each([
  'usage',
  'usage --margin',
  'usage --sums day',
  'usage --sums day --margin',
  'key list',
  'account list',
  'models',
])('tollgate %s fits a terminal of 80 columns, and is whole elsewhere', async (line) => {
  await scene.run('account', 'create', 'somebody-with-a-long-name@department.example.com')
  const options = '--models gemini-2.5-flash,gemini-2.5-pro,sim-* --expires 30d --addresses 10.0.0.0/8'
  const name = `key-of-a-very-long-name-${line.replaceAll(' ', '')}`
  await scene.run('key', 'create', 'bert', '--name', name, ...options.split(' '))
  scene.columns = 80
  const { out } = await scene.run(...line.split(' '))
  scene.columns = undefined
  expect(out.split('\n').length).toBeGreaterThan(2)
  expect(out.split('\n').filter((text) => text.length > 80)).toEqual([])
  expect((await scene.run(...line.split(' '))).out).not.toContain('…')
})
