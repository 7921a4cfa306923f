// `entries`: top-ups and withdrawals with their notes, charges, and debt that was paid; filtered and paged.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { openDatabase } from '../../src/db/open.ts'
import { createWriter } from '../../src/ledger/writer.ts'
import { hold, post } from '../ledger/world.ts'
import { createScene, NOW, type Scene } from './scene.ts'

const HOUR_MS = 3_600_000

let scene: Scene
/** Anna: 1 top-up, 2 withdrawal, 4 charge of which a part is unpaid, 5 top-up, 6 the debt that it paid. 3 is bert's. */
beforeAll(async () => {
  scene = createScene()
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
afterAll(() => scene.remove())

const list = (...args: string[]) => scene.json('entries', 'anna', ...args)
const ids = async (...args: string[]) => (await list(...args)).entries.map(({ id }: { id: number }) => id)

test('notes can be read again, beside amounts, charges and debt', async () => {
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

test('their sum is the balance', async () => {
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

  test('page by page, every entry once', async () => {
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

test('as text: a line each, with the note, and how to go on', async () => {
  const { out, err } = await scene.run('entries', 'anna', '--limit', '1', '--kind', 'top_up')
  expect(out).toMatch(/ top_up +0\.00002 +- +- +invoice 18$/m)
  expect(err).toContain('--before 5')
  expect((await scene.run('entries', 'anna', '--since', '2027-01-01')).out).toBe('No entries.')
})

describe('refusals', () => {
  test.each<[line: string, status: number, words: string]>([
    ['entries nobody', 1, 'nobody'],
    ['entries anna --before 3', 1, 'no entry 3'],
    ['entries anna --before 99', 1, 'no entry 99'],
    ['entries anna --kind gift', 2, 'top_up'],
    ['entries anna --limit 0', 2, '1 to 1000'],
    ['entries anna --since soon', 2, 'since'],
    ['entries', 2, 'account'],
  ])('%s: status %i', async (line, status, words) => {
    const ran = await scene.run(...line.split(' '))
    expect(ran.status).toBe(status)
    expect(ran.err).toContain(words)
  })
})
