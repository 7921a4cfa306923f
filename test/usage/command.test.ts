// `usage`: recorded calls, filtered, paged and summed by day.
import { beforeAll, describe, expect, test } from 'bun:test'
import { createWriter } from '../../src/money/ledger/writer.ts'
import { openDatabase } from '../../src/store/engines/sqlite/open.ts'
import { NOW, sceneOfFile } from '../app/commands/scene.ts'
import { hold, post, refund, voided } from '../money/ledger/world.ts'

const HOUR_MS = 3_600_000

const scene = sceneOfFile()
beforeAll(async () => {
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

const linesOf = (out: string) => out.trimEnd().split('\r\n')

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

  test('is paged, and each page names the next one', async () => {
    const first = await scene.json('usage', '--limit', '3')
    expect([first.calls.length, first.next_cursor]).toEqual([3, 2])
    expect((await scene.run('usage', '--limit', '3')).err).toBe(
      'More calls: add --before 2. TOTAL is for this page.',
    )
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

  const linesIn = (out: string) => out.split('\n').map((line) => line.split(/ {2,}/))

  test('--by model has the revenue, cost and margin of each, with the total', async () => {
    const { out, err } = await scene.run('usage', '--by', 'model')
    expect(linesIn(out)).toEqual([
      ['MODEL', 'CALLS', 'FAILED', 'TOKENS', 'REVENUE', 'COST', 'MARGIN', 'MARGIN %', 'KNOWN'],
      ['sim-flash', '2', '0', '30', '0.0000045', '-', '-', '-', '50 %'],
      ['sim-pro', '1', '0', '22', '0.000002', '0.0000025', '-0.0000005', '-25 %', '100 %'],
      ['TOTAL', '3', '0', '52', '0.0000065', '0.0000025', '-0.0000005', '-25 %', '66.7 %'],
    ])
    expect(err).toBe('Calls of the last 30 days. Add --since for earlier ones.')
  })

  test.each<[string, string[]]>([
    ['--by day --since 2026-11-20', ['2026-11-21', '2026-11-20', 'TOTAL']],
    ['--by month', ['2026-11']],
    ['--by account', ['anna', 'bert', 'TOTAL']],
    ['--by account --order revenue', ['bert', 'anna', 'TOTAL']],
    ['--by account --limit 1', ['anna']],
    ['--by route', ['simulator: text']],
    ['--by provider --account bert', ['simulator']],
    ['--by model --key 2', ['sim-pro']],
    ['--by model --since 3h --order name', ['sim-flash', 'sim-pro', 'TOTAL']],
    ['--by model --provider simulator --model sim-pro', ['sim-pro']],
    ['--by month --until 2026-10-31', []],
  ])('%s has these lines', async (line, names) => {
    const { out } = await scene.run('usage', ...line.split(' '))
    expect(
      out === 'No calls.'
        ? []
        : linesIn(out)
            .slice(1)
            .map(([name]) => name),
    ).toEqual(names)
  })

  test('--by as --json has rows and their total, in both units', async () => {
    const { by, rows, total } = await scene.json('usage', '--by', 'account', '--since', '2026-11-20')
    expect(by).toBe('account')
    expect(rows).toMatchObject([
      { name: 'anna', calls: 2, revenue_nanos: 4_500, revenue_usd: '0.0000045', margin_nanos: null },
      {
        name: 'bert',
        calls: 1,
        revenue_nanos: 2_000,
        provider_cost_nanos: 2_500,
        margin_nanos: -500,
        margin_percent: -25,
      },
    ])
    expect(total).toMatchObject({ calls: 3, input_tokens: 30, revenue_nanos: 6_500, margin_nanos: -500 })
  })

  test('--margin has the cost of providers, and - where it is unknown', async () => {
    const calls = await scene.run('usage', '--margin', '--since', '3h')
    expect(calls.out.split('\n').map((line) => line.split(/ +/).slice(-3))).toEqual([
      ['USD', 'COST', 'MARGIN'],
      ['0.000003', '-', '-'],
      ['0.000002', '0.0000025', '-0.0000005'],
      ['0.000005', '0.0000025', '-0.0000005'],
    ])
    expect(calls.err).toContain("COST: the provider's cost")
    expect((await scene.run('usage', '--margin', '--model', 'none')).err).toBe('')
  })

  test('--csv has all columns of calls, amounts as numbers, and unknown values empty', async () => {
    const { out } = await scene.run('usage', '--csv', '--since', '3h')
    const lines = `${out}\n`.split('\r\n')
    expect(lines[0]).toBe(
      'request_id,started_utc,account,key,key_prefix,surface,model,outcome,status,input_tokens,output_tokens,images,' +
        'cost_usd,unpaid_usd,refunded_usd,first_byte_ms,duration_ms,refusal,cause,paid_by,covered_usd,provider,upstream_model,failed_tries,provider_cost_usd,margin_usd',
    )
    expect(lines[1]).toContain(`,${new Date(NOW - HOUR_MS).toISOString()},anna,phone,tg_`)
    expect(lines[1]).toContain(',10,5,0,0.000003,0.00,')
    expect(lines[1]).toEndWith(',,')
    expect(lines[2]).toContain(',10,12,0,0.000002,0.00,')
    expect(lines[2]).toEndWith(',0.0000025,-0.0000005')
    expect(lines.slice(3)).toEqual([''])
  })

  test.each<[args: string, rows: number]>([
    ['--csv', 4],
    ['--csv --limit 2', 2],
    ['--csv --limit 50', 4],
    ['--csv --before 3', 2],
    ['--csv --account bert', 1],
  ])('%s: %d calls', async (args, rows) => {
    expect(linesOf((await scene.run('usage', ...args.split(' '))).out)).toHaveLength(1 + rows)
  })

  test('--csv of figures has no total, which a spreadsheet would add', async () => {
    const { out } = await scene.run('usage', '--by', 'model', '--csv', '--since', '2026-11-20')
    const [head, ...lines] = linesOf(out)
    expect(head).toStartWith(
      'name,calls,failed,input_tokens,output_tokens,images,revenue_usd,provider_cost_usd,',
    )
    expect(lines).toEqual([
      'sim-flash,2,0,20,10,0,0.0000045,,,,50,0,0.00,0.00',
      'sim-pro,1,0,10,12,0,0.000002,0.0000025,-0.0000005,-25,100,0,0.00,0.00',
    ])
  })

  test('--order without --by is wrong usage', async () => {
    const { status, err } = await scene.run('usage', '--order', 'margin')
    expect([status, err]).toEqual([2, expect.stringContaining('--order sorts figures: give --by, too.')])
  })

  test('--csv without calls is only its head', async () => {
    expect((await scene.run('usage', '--csv', '--model', 'none')).out).toMatch(/^request_id,[a-z_,]+\r$/)
  })

  test('--csv with --json is wrong usage', async () => {
    const { status, out, err } = await scene.run('usage', '--csv', '--json')
    expect({ status, out }).toEqual({ status: 2, out: '' })
    expect(JSON.parse(err).error.message).toBe('Give --csv or --json, not both.')
  })

  test('--margin of a refunded call counts its charge less the refund, as figures do', async () => {
    const db = openDatabase(scene.path('tollgate.db'))
    createWriter(db).commit([refund(2, 1_000, { account_id: 2, key_id: 2 })])
    db.close()
    const { out } = await scene.run('usage', '--margin', '--since', '3h', '--account', 'bert')
    expect(out.split('\n').map((line) => line.split(/ +/).slice(-3))).toEqual([
      ['USD', 'COST', 'MARGIN'],
      ['0.000001', '0.0000025', '-0.0000015'],
    ])
    const { total } = await scene.json('usage', '--by', 'account', '--since', '3h', '--account', 'bert')
    expect(total).toMatchObject({ revenue_nanos: 1_000, margin_nanos: -1_500 })
  })

  test('prints a note without calls', async () => {
    expect((await scene.run('usage', '--model', 'none')).out).toBe('No calls.')
    expect((await scene.run('usage', '--model', 'none', '--by', 'day')).out).toBe('No calls.')
  })
})

test.each([
  'usage',
  'usage --margin',
  'usage --by key',
  'usage --by account',
  'usage --by month',
  'entries bert',
  'key list',
  'account list',
  'models',
])('tollgate %s fits a terminal of 80 columns, and is not cut elsewhere', async (line) => {
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
