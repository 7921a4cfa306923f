// `entries`: top-ups and withdrawals with their notes, charges, and debt that was paid; filtered and paged.
import { beforeAll, describe, expect, test } from 'bun:test'
import { createWriter } from '../../src/money/ledger/writer.ts'
import { openDatabase } from '../../src/store/engines/sqlite/open.ts'
import { createScene, NOW, sceneOfFile } from '../app/commands/scene.ts'
import { hold, post } from '../money/ledger/world.ts'

const HOUR_MS = 3_600_000

const scene = sceneOfFile()
/** Anna: 1 top-up, 2 withdrawal, 4 charge of which a part is unpaid, 5 top-up, 6 the debt that it paid. 3 is bert's. */
beforeAll(async () => {
  const at = async (hours_ago: number, ...args: string[]) => {
    scene.now_ms = NOW - hours_ago * HOUR_MS
    await scene.run(...args)
  }
  await at(50, 'account', 'create', 'anna')
  await at(50, 'account', 'create', 'bert')
  await at(50, 'key', 'create', 'anna')
  await at(50, 'credit', 'anna', '0.00001', '--note', 'invoice 17')
  await at(30, 'debit', 'anna', '0.000001', '--note', 'refund')
  await at(20, 'credit', 'bert', '3')
  const db = openDatabase(scene.path('tollgate.db'))
  const writer = createWriter(db)
  writer.commit([hold(9_000)])
  writer.commit([post(1, 12_000, { model: 'sim-flash' })])
  db.close()
  await at(1, 'credit', 'anna', '0.00002', '--note', 'invoice 18')
  scene.now_ms = NOW
})

const list = (...args: string[]) => scene.json('entries', 'anna', ...args)
const ids = async (...args: string[]) => (await list(...args)).entries.map(({ id }: { id: number }) => id)

test('notes are listed beside amounts, charges and debt', async () => {
  const { entries } = await list()
  const all = new Map(entries.map((entry: { id: number }) => [entry.id, entry]))
  expect([...all.keys()].sort()).toEqual([1, 2, 4, 5, 6])
  expect(all.get(1)).toMatchObject({
    kind: 'top_up',
    amount_nanos: 10_000,
    note: 'invoice 17',
    call_id: null,
  })
  expect(all.get(2)).toMatchObject({ kind: 'withdrawal', amount_usd: '-0.000001', note: 'refund' })
  expect(all.get(4)).toMatchObject({
    kind: 'charge',
    amount_nanos: -9_000,
    call_id: 1,
    model: 'sim-flash',
    unpaid_nanos: 3_000,
  })
  expect(all.get(5)).toMatchObject({ kind: 'top_up', amount_nanos: 20_000, note: 'invoice 18' })
  expect(all.get(6)).toMatchObject({ kind: 'debt_payment', amount_nanos: -3_000, unpaid_nanos: null })
})

describe('a note with control characters', () => {
  test.each(['credit', 'debit'])('is refused by %s, and nothing moves', async (command) => {
    const before = await list()
    const { status, err } = await scene.run(command, 'anna', '0.000001', '--note', 'paid\u001b[1A\u001b[2K')
    expect([status, err]).toEqual([
      1,
      expect.stringContaining('note: contains the control character \\u001b.'),
    ])
    expect(err).not.toContain('\u001b')
    expect(await list()).toEqual(before)
  })

  test('that an earlier version stored is printed escaped, and unchanged by --json', async () => {
    const note = 'invoice\u001b[31m 7\u202e\u009b2K\nx'
    await using old = { scene: createScene(), [Symbol.asyncDispose]: async () => old.scene.remove() }
    await old.scene.run('account', 'create', 'anna')
    const db = openDatabase(old.scene.path('tollgate.db'))
    createWriter(db).commit([{ op: 'top_up', account_id: 1, amount_nanos: 10, note, now_ms: NOW }])
    db.close()
    const { out } = await old.scene.run('entries', 'anna')
    expect(out).toContain('invoice\\u001b[31m 7\\u202e\\u009b2K\\u000ax')
    expect(out.trimEnd().split('\n')).toHaveLength(2)
    const json = (await old.scene.run('entries', 'anna', '--json')).out
    expect(/[\u009b\u202e]/.test(json)).toBe(false)
    expect(JSON.parse(json)).toMatchObject({ entries: [{ note }] })
  })
})

test('the sum of all entries is the balance', async () => {
  const { entries } = await list()
  const sum = entries.reduce(
    (total: number, entry: { amount_nanos: number }) => total + entry.amount_nanos,
    0,
  )
  expect(sum).toBe((await scene.json('account', 'show', 'anna')).balance_nanos)
})

describe('filters and pages', () => {
  test.each<[line: string, ids: number[]]>([
    ['--kind top_up', [5, 1]],
    ['--kind withdrawal', [2]],
    ['--kind charge', [4]],
    ['--kind debt_payment', [6]],
    ['--since 40h --kind withdrawal', [2]],
    ['--until 40h --kind top_up', [1]],
    ['--since 40h --until 25h', [2]],
    ['--since 2h --kind top_up', [5]],
    ['--since 2027-01-01', []],
  ])('%s', async (line, expected) => {
    expect(await ids(...line.split(' '))).toEqual(expected)
  })

  test('pages have every entry once', async () => {
    const whole = await ids()
    const paged: number[] = []
    for (let before: string[] = []; ; ) {
      const { entries, next_cursor } = await list('--limit', '2', ...before)
      paged.push(...entries.map(({ id }: { id: number }) => id))
      if (next_cursor === null) break
      before = ['--before', String(next_cursor)]
    }
    expect(paged).toEqual(whole)
  })
})

test('as text, each entry is a line with its note, and a hint names the next page', async () => {
  const { out, err } = await scene.run('entries', 'anna', '--limit', '1', '--kind', 'top_up')
  expect(out).toMatch(/ top_up +0\.00002 +0\.00002 +- +- +invoice 18$/m)
  expect(err).toContain('--before 5')
  expect((await scene.run('entries', 'anna', '--since', '2027-01-01')).out).toBe('No entries.')
})

test('as a table, the last line is the sum of the page', async () => {
  const { out } = await scene.run('entries', 'anna')
  const total = out.split('\n').at(-1)?.trim().split(/ +/)
  const { entries } = await list()
  const sum = entries.reduce(
    (nanos: number, { amount_nanos }: { amount_nanos: number }) => nanos + amount_nanos,
    0,
  )
  expect(total?.[0]).toBe('TOTAL')
  expect(Number(total?.[1])).toBeCloseTo(sum / 1e9, 9)
})

test('as CSV, the columns are those of the console, and no note is a formula', async () => {
  await scene.run('account', 'create', 'carl')
  await scene.run('credit', 'carl', '1.5', '--note', '=HYPERLINK("http://x")')
  const { out } = await scene.run('entries', 'carl', '--csv')
  const [head, line, rest] = `${out}\n`.split('\r\n')
  expect(head).toBe(
    'id,time_utc,account,kind,amount_usd,amount_nanos,balance_usd,balance_nanos,unpaid_usd,model,request_id,note',
  )
  expect(line).toEndWith(`,carl,top_up,1.50,1500000000,1.50,1500000000,,,,"'=HYPERLINK(""http://x"")"`)
  expect(rest).toBe('')
})

test('as CSV, all rows of the range are written, unless --limit sets their number', async () => {
  await scene.run('account', 'create', 'many')
  const db = openDatabase(scene.path('tollgate.db'))
  const account_id =
    db.query<{ id: number }, []>("SELECT id FROM accounts WHERE name = 'many'").get()?.id ?? 0
  const now_ms = NOW
  createWriter(db).commit(
    Array.from({ length: 2_100 }, () => ({
      op: 'top_up' as const,
      account_id,
      amount_nanos: 1,
      note: '',
      now_ms,
    })),
  )
  db.close()
  const idsOf = async (...args: string[]) => {
    const { out } = await scene.run('entries', 'many', '--csv', ...args)
    const [, ...lines] = out.trimEnd().split('\r\n')
    return lines.map((line) => Number(line.split(',')[0]))
  }
  const all = await idsOf()
  expect([all.length, new Set(all).size]).toEqual([2_100, 2_100])
  expect(await idsOf('--limit', '1000')).toEqual(all.slice(0, 1_000))
  expect(await idsOf('--limit', '2', '--before', String(all[4]))).toEqual(all.slice(5, 7))
})

test('the statement names its account, its month in UTC, the seller and the buyer', async () => {
  const { out } = await scene.run('statement', 'anna', '--month', '2026-11')
  expect(out).toStartWith('Statement of anna, 2026-11 (UTC)\n\nBuyer   anna\n\nENTRY ')
  const billed = 'Anna Ltd\n1 Main Street'
  await scene.run('account', 'change', 'anna', '--billing-details', billed)
  await scene.run('config', 'set', 'billing.seller=Acme GmbH')
  const with_names = (await scene.run('statement', 'anna', '--month', '2026-11')).out
  expect(with_names).toContain('\n\nSeller  Acme GmbH\nBuyer   Anna Ltd\n        1 Main Street\n\nENTRY ')
  const { seller, buyer } = await scene.json('statement', 'anna', '--month', '2026-11')
  expect([seller, buyer]).toEqual(['Acme GmbH', billed])
  const { out: csv } = await scene.run('statement', 'anna', '--month', '2026-11', '--csv')
  expect(csv.split('\r\n')[1]).toEndWith(`,Acme GmbH,"${billed}"`)
})

describe('refusals', () => {
  test.each<[line: string, status: number, words: string]>([
    ['entries nobody', 1, 'nobody'],
    ['entries anna --before 3', 1, 'Entry 3 not found'],
    ['entries anna --before 99', 1, 'Entry 99 not found'],
    ['entries anna --csv --before 99', 1, 'Entry 99 not found'],
    ['entries anna --kind gift', 2, 'top_up'],
    ['entries anna --limit 0', 2, '1 to 1000'],
    ['entries anna --csv --json', 2, 'Give --csv or --json, not both.'],
    ['entries anna --since soon', 2, 'since'],
    ['entries', 2, 'account'],
  ])('%s: status %i', async (line, status, words) => {
    const ran = await scene.run(...line.split(' '))
    expect(ran.status).toBe(status)
    expect(ran.err).toContain(words)
    // A file with a head alone would look whole.
    expect(ran.out).toBe('')
  })
})

test('the statement of a month goes from the opening to the closing balance, as a table, JSON and CSV', async () => {
  const month = new Date(NOW).toISOString().slice(0, 7)
  const { lines, account, zone } = await scene.json('statement', 'anna', '--month', month)
  expect({ account, zone }).toEqual({ account: 'anna', zone: 'UTC' })
  const amounts: number[] = lines.map(({ amount_nanos }: { amount_nanos: number }) => amount_nanos)
  expect(lines.at(0)).toMatchObject({ line: 'opening_balance' })
  expect(amounts.slice(0, -1).reduce((sum, nanos) => sum + nanos, 0)).toBe(amounts.at(-1) ?? Number.NaN)
  const csv = (await scene.run('statement', 'anna', '--csv')).out
  expect(csv).toStartWith(
    'account,month_utc,line,model,count,amount_usd,amount_nanos,covered_usd,covered_nanos,seller,buyer\r\n',
  )
  const { out } = await scene.run('statement', 'anna')
  expect(out).toMatch(/^Opening balance +-/m)
  expect(out).toMatch(/^Closing balance +-/m)
  expect(out).not.toMatch(/_| 0 +0\.00/)
  for (const [who, wrong] of [
    ['anna', '2026-13'],
    ['nobody', month],
  ] as const)
    expect((await scene.run('statement', who, '--month', wrong)).status).not.toBe(0)
})
