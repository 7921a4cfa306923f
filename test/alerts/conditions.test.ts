// What raises alerts: balances, spending of a day, models, providers and routes, backups.
import { beforeAll, describe, expect, test } from 'bun:test'
import { accountSpend, keySpend, lowBalances } from '../../plugins/alerts/account-conditions.ts'
import { failing } from '../../plugins/alerts/route-conditions.ts'
import { lateBackups } from '../../plugins/backups/check.ts'
import type { BackupSettings } from '../../plugins/backups/settings.ts'
import { healthNow } from '../../plugins/health/route-health.ts'
import type { RouteSum } from '../../plugins/health/route-sums.ts'
import type { Catalogue } from '../../src/domain/catalogue.ts'
import type { Db } from '../../src/store/db.ts'
import { recorded } from '../money/ledger/recorded.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const NOW_MS = 20_000 * DAY_MS + 12 * HOUR_MS
const CENT = 10_000_000

describe('accounts', () => {
  /** Each has a dollar; anna's two keys and bert's one made calls at these times. */
  let db: Db
  beforeAll(async () => {
    db = await recorded([
      [1, 80 * CENT, { started_at_ms: NOW_MS - HOUR_MS }],
      [2, 5 * CENT, { started_at_ms: NOW_MS - DAY_MS }],
      [3, 2 * CENT, { started_at_ms: NOW_MS - 8 * DAY_MS }],
    ])
  })

  test('whose balance does not last, if they spent something in these days', async () => {
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

  test.each([
    [79 * CENT, ['anna'], ['tg_']],
    [80 * CENT, [], []],
  ])('that spent more today than %d', async (limit, accounts, keys) => {
    expect((await accountSpend(db, limit, NOW_MS)).map(({ subject }) => subject)).toEqual(accounts)
    expect((await keySpend(db, limit, NOW_MS)).map(({ subject }) => subject.slice(0, 3))).toEqual(keys)
  })

  test('in words, and no longer on the next day', async () => {
    expect((await accountSpend(db, 50 * CENT, NOW_MS))[0]?.sentence).toBe(
      'anna has spent 0.80 USD today (UTC), more than 0.50 USD a day.',
    )
    expect(await accountSpend(db, 50 * CENT, NOW_MS + DAY_MS)).toEqual([])
  })
})

describe('routes', () => {
  const model = (id: string, ...routes: string[]) =>
    [id, { id, routes: routes.map((provider) => ({ provider, model: 'm', order: 0, weight: 1 })) }] as const
  const catalogue = {
    models: new Map([model('one', 'a'), model('two', 'a', 'b'), model('three', 'c')]),
    providers: new Map(['a', 'b', 'c'].map((name) => [name, { name }])),
  } as unknown as Pick<Catalogue, 'models' | 'providers'>
  const sum = (name: string, provider: string, result: string, tries: number, calls = tries): RouteSum => ({
    model: name,
    provider,
    upstream_model: 'm',
    result,
    tries,
    calls,
    first_byte_ms: 0,
  })
  const found = async (...sums: RouteSum[]) =>
    failing(catalogue, await healthNow({ since: async () => sums })).map(
      ({ rule, subject }) => `${rule} ${subject}`,
    )

  test.each<[string, RouteSum[], string[]]>([
    ['nothing', [], []],
    ['two failures', [sum('one', 'a', 'overloaded', 2)], []],
    ['three', [sum('one', 'a', 'overloaded', 3)], ['failing_model one', 'failing_provider a']],
    ['three, and an answer', [sum('one', 'a', 'overloaded', 3), sum('one', 'a', 'answered', 1)], []],
    [
      'a model that fails at a provider that serves others',
      [sum('one', 'a', 'upstream_error', 5), sum('two', 'a', 'answered', 1)],
      ['failing_model one'],
    ],
    [
      'a route that fails, while another one serves its model',
      [sum('two', 'b', 'overloaded', 4, 0), sum('two', 'a', 'answered', 4)],
      ['failing_provider b'],
    ],
    [
      'a route that fails at a provider that serves others',
      [sum('two', 'a', 'overloaded', 4, 0), sum('two', 'b', 'answered', 4), sum('one', 'a', 'answered', 1)],
      ['failing_route two a:m'],
    ],
    ['a model that is not sold any more', [sum('gone', 'c', 'overloaded', 9)], ['failing_provider c']],
  ])('%s', async (_, sums, expected) => {
    expect(await found(...sums)).toEqual(expected)
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
