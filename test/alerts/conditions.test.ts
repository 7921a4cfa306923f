// Conditions that raise alerts: balances, spending of a day, models, providers and routes, backups.
import { beforeAll, describe, expect, test } from 'bun:test'
import { accountSpend, keySpend, lowBalances } from '../../plugins/alerts/account-conditions.ts'
import { routeConditions } from '../../plugins/alerts/route-conditions.ts'
import { lateBackups } from '../../plugins/backups/check.ts'
import type { BackupSettings } from '../../plugins/backups/settings.ts'
import { keySubject, routeSubject } from '../../plugins/health/gathered.ts'
import { addAnswer, addToKey, emptyKey, emptyRoute } from '../../plugins/health/outage.ts'
import { outagesOf } from '../../plugins/health/troubles.ts'
import type { Catalogue } from '../../src/domain/catalogue.ts'
import { markOf } from '../../src/observe/key-mark.ts'
import type { Db } from '../../src/store/db.ts'
import { recorded } from '../money/ledger/recorded.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const NOW_MS = 20_000 * DAY_MS + 12 * HOUR_MS
const CENT = 10_000_000

describe('accounts', () => {
  /** Accounts with a dollar each; anna's two keys and bert's one made calls at these times. */
  let db: Db
  beforeAll(async () => {
    db = await recorded([
      [1, 80 * CENT, { started_at_ms: NOW_MS - HOUR_MS }],
      [2, 5 * CENT, { started_at_ms: NOW_MS - DAY_MS }],
      [3, 2 * CENT, { started_at_ms: NOW_MS - 8 * DAY_MS }],
    ])
  })

  test('with a balance that does not last, if they spent something in these days', async () => {
    expect(await lowBalances(db, NOW_MS)).toEqual([
      {
        rule: 'low_balance',
        subject: 'anna',
        account_id: 1,
        sentence: "anna has 0.15 USD left, about 1 day at this week's pace.",
      },
    ])
    expect(await lowBalances(db, NOW_MS + 9 * DAY_MS)).toEqual([])
  })

  test('that are in debt, whenever they called last', async () => {
    const owing = await recorded([[3, 120 * CENT, { started_at_ms: NOW_MS - 30 * DAY_MS }]])
    expect(await lowBalances(owing, NOW_MS)).toEqual([
      { rule: 'low_balance', subject: 'bert', account_id: 2, sentence: 'bert owes 0.20 USD.' },
    ])
  })

  test.each([
    [79 * CENT, ['anna'], ['tg_']],
    [80 * CENT, [], []],
  ])('that spent more today than %d', async (limit, accounts, keys) => {
    expect((await accountSpend(db, limit, NOW_MS)).map(({ subject }) => subject)).toEqual(accounts)
    expect((await keySpend(db, limit, NOW_MS)).map(({ subject }) => subject.slice(0, 3))).toEqual(keys)
  })

  test('with a sentence, and no longer on the next day', async () => {
    expect((await accountSpend(db, 50 * CENT, NOW_MS))[0]?.sentence).toBe(
      'anna has spent 0.80 USD today (UTC), more than 0.50 USD a day.',
    )
    expect(await accountSpend(db, 50 * CENT, NOW_MS + DAY_MS)).toEqual([])
  })
})

describe('routes', () => {
  const model = (id: string, ...routes: string[]) =>
    [id, { id, routes: routes.map((provider) => ({ provider, model: 'm', order: 0, weight: 1 })) }] as const
  const provider = (name: string, ...api_keys: string[]) => [name, { name, api_keys }] as const
  const catalogue = {
    models: new Map([model('one', 'a'), model('two', 'a', 'b'), model('three', 'c'), model('four', 'd')]),
    providers: new Map([
      provider('a', 'k1'),
      provider('b', 'k1'),
      provider('c', 'k1', 'k2'),
      provider('d', 'k1'),
    ]),
  } as unknown as Pick<Catalogue, 'models' | 'providers'>

  /** Answers of a route, one each second: `.` answered, `x` an error, `t` a timeout. */
  const answers = (name: string, of: string, text: string) => {
    const state = emptyRoute()
    for (const [at, letter] of [...text].entries()) {
      const failure = letter === '.' ? null : letter === 't' ? 'timed_out' : '500'
      addAnswer(state, { at_ms: NOW_MS - 60_000 + at * 1_000, failure })
    }
    return [routeSubject({ model: name, provider: of, upstream_model: 'm' }), state] as const
  }
  const rejected = (key_id: string, api_key: string, times: number) => {
    const state = emptyKey()
    for (let at = 0; at < times; at++) addToKey(state, { at_ms: NOW_MS - 1_000, is_rejected: true })
    return [keySubject({ key_id, mark: markOf(api_key) }), state] as const
  }
  const found = (routes: ReturnType<typeof answers>[], keys: ReturnType<typeof rejected>[] = []) =>
    routeConditions(
      outagesOf(catalogue, { routes: new Map(routes), keys: new Map(keys) }, NOW_MS).troubles,
    ).map(({ rule, subject, sentence }) => `${rule} ${subject}: ${sentence}`)

  test.each<[string, ReturnType<typeof answers>[], ReturnType<typeof rejected>[], string[]]>([
    ['nothing', [], [], []],
    ['four failures', [answers('one', 'a', 'xxxx')], [], []],
    [
      'five: the provider is named, and its models are not repeated',
      [answers('one', 'a', 'xxtxx')],
      [],
      ['failing_provider a: a is failing. The last 5 calls failed: status 500 (4), timeout (1).'],
    ],
    [
      'two routes of a provider: one sum',
      [answers('one', 'a', 'xxxxx.xxxxx'), answers('two', 'a', 'ttttt')],
      [],
      ['failing_provider a: a is failing. 10 of 11 calls in the last 5 minutes failed: status 500 (10).'],
    ],
    [
      'a model that fails at a provider that serves others',
      [answers('one', 'a', 'xxxxx'), answers('two', 'a', '.')],
      [],
      ['failing_model one: one is failing. The last 5 calls failed: status 500 (5).'],
    ],
    [
      'a route that fails, while another one serves its model',
      [answers('two', 'b', 'xxxxx'), answers('two', 'a', '....')],
      [],
      ['failing_provider b: b is failing. The last 5 calls failed: status 500 (5).'],
    ],
    [
      'a route that fails at a provider that serves others',
      [answers('two', 'a', 'xxxxx'), answers('two', 'b', '....'), answers('one', 'a', '.')],
      [],
      ['failing_route two a:m: a:m of two is failing. The last 5 calls failed: status 500 (5).'],
    ],
    ['a model that is not sold any more', [answers('gone', 'c', 'xxxxxxxxx')], [], []],
    [
      'a rejected key, from the first rejection on, without another alert of its provider',
      [answers('one', 'a', 'xxxxx')],
      [rejected('a#1', 'k1', 1)],
      ['rejected_key a#1: a rejects your key. 1 request was rejected.'],
    ],
    [
      'one of two keys: the other one answers',
      [answers('three', 'c', '....')],
      [rejected('c#2', 'k2', 6)],
      ['rejected_key c#2: c rejects key 2. 6 requests were rejected.'],
    ],
    [
      'the only key, of models that no other provider has',
      [],
      [rejected('d#1', 'k1', 2)],
      ['rejected_key d#1: d rejects your key. 2 calls failed.'],
    ],
    ['a key that was replaced', [], [rejected('a#1', 'k0', 6)], []],
  ])('%s', (_, routes, keys, expected) => {
    expect(found(routes, keys)).toEqual(expected)
  })
})

describe('backups', () => {
  const settings = (schedule: BackupSettings['schedule']) =>
    ({ schedule, unavailable: undefined }) as BackupSettings
  const from = (...ages_ms: number[]) => ({
    where: '/backups',
    next_at_ms: undefined,
    list: async () =>
      ages_ms.map((age_ms) => ({ name: 'x', bytes: 1, made_at_ms: NOW_MS - age_ms })) as never,
  })
  test.each<[string, BackupSettings['schedule'], number[], number]>([
    ['none, and no schedule', undefined, [], 0],
    ['one by hand, of a week ago', undefined, [7 * DAY_MS], 0],
    ['one by hand, of nine days ago', undefined, [9 * DAY_MS], 1],
    ['one of each day, of 25 hours ago', { at_minute: 0 }, [25 * HOUR_MS], 0],
    ['one of each day, of 27 hours ago', { at_minute: 0 }, [27 * HOUR_MS, 50 * HOUR_MS], 1],
    ['one of each hour, of four hours ago', { every_ms: HOUR_MS }, [4 * HOUR_MS], 1],
  ])('%s', async (_, schedule, ages_ms, count) => {
    const found = await lateBackups(settings(schedule), () => from(...ages_ms), NOW_MS)
    expect(found.filter(({ level }) => level !== 'ok')).toHaveLength(count)
  })

  test('that cannot be made', async () => {
    const unavailable = { ...settings(undefined), unavailable: 'the environment variable X is not set' }
    expect((await lateBackups(unavailable, from, NOW_MS))[0]?.found).toContain('X is not set')
  })
})
