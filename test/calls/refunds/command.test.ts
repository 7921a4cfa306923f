// `refund`: calls by their request ids, whole or in part, or by a filter after a question.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { requestIdAt } from '../../../src/domain/request-id.ts'
import { createWriter } from '../../../src/money/ledger/writer.ts'
import { openDatabase } from '../../../src/store/engines/sqlite/open.ts'
import { createScene, NOW, type Scene } from '../../app/commands/scene.ts'
import { addAccount, brokenInvariants, hold, post, topUp, voided } from '../../money/ledger/world.ts'

const USD = 1_000_000_000
let scene: Scene
const ids = [1, 2, 3, 4].map((nth) => requestIdAt(NOW - nth * 60_000))
const [completed = '', broken = '', failed = '', other = ''] = ids

/** Anna: a completed call of 0.25, one of 0.10 that was interrupted, one without an answer; bert: an interrupted one of 0.05. */
beforeEach(() => {
  scene = createScene()
  const db = openDatabase(scene.path('tollgate.db'))
  for (const id of [1, 2]) addAccount(db, id, { balance: USD })
  db.run("UPDATE accounts SET name = iif(id = 1, 'anna', 'bert')")
  const writer = createWriter(db)
  const call = (nth: number, outcome: 'completed' | 'broken' | 'failed') => ({
    ...{ outcome, started_at_ms: NOW - nth * 60_000, model: 'sim-flash' },
  })
  for (const [at, request_id] of ids.entries()) {
    const owner = at === 3 ? 2 : 1
    writer.commit([hold(USD / 4, { request_id, account_id: owner, key_id: owner })])
  }
  writer.commit([
    post(1, USD / 4, call(1, 'completed')),
    post(2, USD / 10, call(2, 'broken')),
    { ...voided(3), call: { ...voided(3).call, ...call(3, 'failed') } },
    post(4, USD / 20, call(4, 'broken')),
  ])
  db.close()
})
afterEach(() => {
  const db = openDatabase(scene.path('tollgate.db'))
  expect(brokenInvariants(db)).toEqual([])
  db.close()
  scene.remove()
})

const balanceOf = async (name: string) => (await scene.json('account', 'show', name)).balance_usd

test('calls are refunded by request id, whole, and the entry and the audit log have the reason', async () => {
  const { out } = await scene.run('refund', completed, other, '--reason', 'empty answers')
  expect(out).toBe(`${completed}: 0.25 USD refunded to anna.\n${other}: 0.05 USD refunded to bert.`)
  expect([await balanceOf('anna'), await balanceOf('bert')]).toEqual(['0.90', '1.00'])
  const { entries } = await scene.json('entries', 'anna', '--kind', 'refund')
  expect(entries).toMatchObject([{ amount_usd: '0.25', note: 'empty answers', request_id: completed }])
  const { actions } = await scene.json('audit-log', '--subject', completed)
  expect(actions).toMatchObject([{ action: 'call.refunded', by: 'command', command: 'refund' }])
  const { calls } = await scene.json('usage', '--account', 'anna')
  expect(calls).toContainEqual(
    expect.objectContaining({ request_id: completed, cost_usd: '0.25', refunded_usd: '0.25' }),
  )
  const { total } = await scene.json('usage', '--account', 'anna', '--by', 'day')
  expect(total).toMatchObject({ revenue_usd: '0.10' })
})

test('a part of a call is refunded, never more than is left', async () => {
  expect(await scene.json('refund', broken, '--amount', '0.06')).toEqual({
    refunds: [{ request_id: broken, account: 'anna', refunded_nanos: 60_000_000, refunded_usd: '0.06' }],
  })
  expect(await scene.refusal('refund', broken, '--amount', '0.05')).toContain(
    'was charged 0.10 USD, of which 0.06 are refunded. Enter at most 0.04.',
  )
  expect(await scene.refusal('refund', completed, broken, '--amount', '0.05')).toContain(broken)
  expect(await balanceOf('anna')).toBe('0.71')
})

test('the calls of a filter are refunded after a question with their count and sum', async () => {
  const questions: string[] = []
  scene.ask = async (question) => {
    questions.push(question)
    return 'y'
  }
  const { out, err } = await scene.run('refund', '--outcome', 'broken', '--since', '24h')
  expect(err).toContain('2 calls of 2 accounts, 0.15 USD.')
  expect(questions).toEqual(['Refund them? [y/N] '])
  expect(out).toBe('2 calls refunded, 0.15 USD.')
  expect([await balanceOf('anna'), await balanceOf('bert')]).toEqual(['0.75', '1.00'])
  const again = await scene.run('refund', '--outcome', 'broken', '--yes')
  expect(again.out).toBe('No calls of this filter have anything to refund.')
})

test('a refund has the time at which it is made, however long the question waits for an answer', async () => {
  const hour_ms = 3_600_000
  scene.ask = async () => {
    scene.now_ms += hour_ms
    return 'y'
  }
  await scene.run('refund', '--account', 'bert')
  const { entries } = await scene.json('entries', 'bert', '--kind', 'refund')
  const { actions } = await scene.json('audit-log', '--subject', other)
  expect([entries, actions]).toMatchObject([
    [{ created_at_ms: NOW + hour_ms }],
    [{ created_at_ms: NOW + hour_ms }],
  ])
})

test('a refund that fails halfway names the calls that are refunded already', async () => {
  const db = openDatabase(scene.path('tollgate.db'))
  createWriter(db).commit([topUp(Number.MAX_SAFE_INTEGER - 0.8 * USD)])
  db.close()
  const words = await scene.refusal('refund', completed, broken, '--amount', '0.1')
  expect(words).toContain(`already refunded, leave out of a repetition: ${completed}`)
  expect(words).toContain(`with the refund of ${broken} the balance would be more than an account can hold`)
})

test('answering "n" changes nothing', async () => {
  scene.ask = async () => 'n'
  expect((await scene.run('refund', '--account', 'anna')).status).toBe(1)
  expect(await balanceOf('anna')).toBe('0.65')
})

test.each([
  [['--account', 'bert'], { calls: 1, amount_usd: '0.05' }],
  [['--outcome', 'failed'], { calls: 2, amount_usd: '0.15' }],
  [['--model', 'sim-flash', '--min-cost', '0.1'], { calls: 2, amount_usd: '0.35' }],
  [['--status', '2xx', '--until', '2020-01-01'], { calls: 0, amount_usd: '0.00' }],
])('%p selects the calls to refund', async (filter, expected) => {
  expect(await scene.json('refund', ...filter, '--yes')).toMatchObject(expected)
})

describe('a refused refund moves no money', () => {
  test.each<[string, string[], string]>([
    ['neither ids nor a filter', [], 'Name calls by their request ids, or choose them by a filter'],
    ['ids beside a filter', [completed, '--account', 'anna'], 'Name calls by their request ids'],
    [
      'a part of filtered calls',
      ['--account', 'anna', '--amount', '1'],
      '--amount: is for calls that are named',
    ],
    ['a free call', [failed], 'was free'],
    [
      'an unknown call among others',
      [completed, 'req_unknown'],
      'No call found with the request id req_unknown',
    ],
    ['a filter without a terminal to ask at', ['--account', 'anna'], 'Add --yes to skip the question.'],
    ['an unknown account', ['--account', 'nobody', '--yes'], 'nobody'],
    ['a reason of two lines', [completed, '--reason', 'a\nb'], '--reason: contains the control character'],
  ])('%s', async (_, args, words) => {
    expect(await scene.refusal('refund', ...args)).toContain(words)
    expect(await balanceOf('anna')).toBe('0.65')
  })

  test.each([
    ['--amount', '0'],
    ['--amount', '-1'],
    ['--outcome', 'refused'],
    ['--status', '42'],
  ])('%s %s is wrong usage', async (option, value) => {
    expect((await scene.run('refund', completed, option, value)).status).toBe(2)
  })
})
