// Subscriptions: a plan is bought, renewed, changed and cancelled; each month is paid once, by many rounds at once and after a stop at any step.
import { describe, expect, test } from 'bun:test'
import { beginPeriod } from '../../plugins/plans/beginning.ts'
import { buyPlan } from '../../plugins/plans/buying.ts'
import { cancelPlan, keepPlan } from '../../plugins/plans/cancelling.ts'
import { createCoveredSums, planMetrics } from '../../plugins/plans/metrics.ts'
import { payPeriod } from '../../plugins/plans/paying.ts'
import { revenueByPlan } from '../../plugins/plans/report.ts'
import { budgetsOfPeriod, periodById, periodIn, periodsOf } from '../../plugins/plans/store.ts'
import { stateChangesOf } from '../../src/store/state-changes.ts'
import { hold, post, topUp } from '../money/ledger/world.ts'
import { MAX, MINI, PRO, planScene, USD } from './scene.ts'

const refusalOf = (work: Promise<unknown>) =>
  work.then(
    () => 'none',
    (thrown) => thrown.code ?? thrown.kind,
  )

describe('a first plan', () => {
  test('takes its price from the balance, and covers calls until its end', async () => {
    await using scene = planScene()
    expect(await scene.buy('pro')).toBe('active')
    expect([scene.balance(), await scene.months()]).toEqual([80 * USD, ['pro active 2026-11-15..2026-12-15']])
    const [period] = await periodsOf(scene.db, 1)
    expect(scene.planOf()).toBe(period?.id)
    expect(period).toMatchObject({
      overflow: 1,
      renews: 1,
      covers_until_ms: Date.parse('2026-12-18T10:30:00Z'),
    })
    const limits = await budgetsOfPeriod(scene.db, period?.id ?? 0)
    expect(limits.map(({ period, limit_nanos }) => [period, limit_nanos])).toEqual([
      ['5h', 5 * USD],
      ['week', 20 * USD],
      ['month', 60 * USD],
    ])
    const call = hold(USD, { model_id: 'sim-text', now_ms: scene.clock.now_ms })
    expect(await scene.ledger.submit(call)).toMatchObject({ covered_nanos: USD })
    expect(scene.broken()).toEqual([])
  })

  test('starts only once the balance pays for it', async () => {
    await using scene = planScene({ balance: 20 * USD - 1 })
    expect(await scene.buy('pro')).toBe('unpaid')
    expect([scene.balance(), scene.planOf(), await scene.months()]).toEqual([
      20 * USD - 1,
      null,
      ['pro open 2026-11-15..2026-12-15'],
    ])
    await scene.ledger.submit(topUp(1))
    scene.at('2026-11-17T08:00:00')
    const open = await periodIn(scene.db, 1, 'open')
    expect(open && (await payPeriod(scene.parts, open))).toBe('active')
    // Its month starts when it is paid.
    expect([scene.balance(), await scene.months()]).toEqual([0, ['pro active 2026-11-17..2026-12-17']])
  })

  test('without a price starts without an entry', async () => {
    await using scene = planScene({ balance: 0 })
    scene.offered.push({ ...MINI, name: 'free', price_nanos: 0 })
    expect([await scene.buy('free'), scene.balance()]).toEqual(['active', 0])
    expect(scene.sql.query('SELECT id FROM entries').all()).toEqual([])
    expect(scene.broken()).toEqual([])
  })

  test.each([
    ['an unknown plan', 'huge', 'not_found'],
    ['the same plan again', 'pro', 'has_plan'],
  ])('%s is refused', async (_, name, refusal) => {
    await using scene = planScene()
    await scene.buy('pro')
    expect(await refusalOf(scene.buy(name))).toBe(refusal)
    expect(await scene.months()).toHaveLength(1)
  })

  test('is bought once for many requests at once', async () => {
    await using scene = planScene()
    const answers = await Promise.all(Array.from({ length: 20 }, () => refusalOf(scene.buy('pro'))))
    expect(answers).toContain('none')
    expect([scene.balance(), (await scene.months()).filter((month) => month.includes('active'))]).toEqual([
      80 * USD,
      ['pro active 2026-11-15..2026-12-15'],
    ])
    expect(scene.broken()).toEqual([])
  })

  test('has a history of its states', async () => {
    await using scene = planScene()
    await scene.buy('pro')
    const changes = await stateChangesOf(scene.db, 'plan_periods', 1)
    expect(changes.map(({ from_state, to_state }) => `${from_state} ${to_state}`)).toEqual([
      'open paid',
      'paid active',
    ])
  })
})

describe('a renewal', () => {
  test('is paid at the end of the month, to the second, and keeps the day of the calendar', async () => {
    await using scene = planScene()
    scene.at('2027-01-31T12:00:00')
    await scene.buy('pro')
    scene.at('2027-02-28T11:59:59')
    await scene.renew()
    expect([scene.balance(), (await scene.months()).length]).toEqual([80 * USD, 1])
    scene.at('2027-02-28T12:00:00')
    await scene.renew()
    scene.at('2027-03-31T12:00:00')
    await scene.renew()
    await scene.renew()
    expect([scene.balance(), await scene.months()]).toEqual([
      40 * USD,
      [
        'pro ended 2027-01-31..2027-02-28',
        'pro ended 2027-02-28..2027-03-31',
        'pro active 2027-03-31..2027-04-30',
      ],
    ])
    expect(scene.broken()).toEqual([])
  })

  test('resets the limit of the month, while those of five hours and weeks continue', async () => {
    await using scene = planScene()
    await scene.buy('pro')
    scene.at('2026-12-15T10:29:00')
    const call = (id: string) =>
      scene.ledger.submit(hold(4 * USD, { model_id: 'sim-text', request_id: id, now_ms: scene.clock.now_ms }))
    const first = await call('one')
    await scene.ledger.barrier()
    scene.at('2026-12-15T10:30:00')
    await scene.renew()
    const used = async () =>
      (await budgetsOfPeriod(scene.db, scene.planOf() ?? 0)).map(({ period, used_nanos }) => [
        period,
        used_nanos / USD,
      ])
    expect(await used()).toEqual([
      ['5h', 4],
      ['week', 4],
      ['month', 0],
    ])
    // The call of the last month is settled now: it counts in the week, and in no later month.
    await scene.ledger.submit({ ...post(first.ok ? first.hold_id : 0, 3 * USD), is_covered: true })
    expect(await used()).toEqual([
      ['5h', 3],
      ['week', 3],
      ['month', 0],
    ])
    expect(scene.broken()).toEqual([])
  })

  test('that is not paid covers calls for three days, then the plan ends', async () => {
    await using scene = planScene({ balance: 25 * USD })
    await scene.buy('pro')
    const isCovered = async () => {
      const outcome = await scene.ledger.submit(hold(1, { model_id: 'sim-text', now_ms: scene.clock.now_ms }))
      return outcome.ok && outcome.plan_period_id !== undefined
    }
    const states: unknown[] = []
    for (const time of [
      '2026-12-15T10:30:00',
      '2026-12-17T10:30:00',
      '2026-12-18T10:29:59',
      '2026-12-18T10:30:00',
    ]) {
      scene.at(time)
      await scene.renew()
      states.push([await isCovered(), scene.planOf()])
    }
    expect(states).toEqual([
      [true, 1],
      [true, 1],
      [true, 1],
      [false, null],
    ])
    expect([scene.balance(), await scene.months()]).toEqual([
      5 * USD,
      ['pro ended 2026-11-15..2026-12-15', 'pro lapsed 2026-12-15..2027-01-15'],
    ])
    expect(scene.sql.query('SELECT id FROM budgets').all()).toEqual([])
    expect(scene.broken()).toEqual([])
  })

  test('that is not paid ends after three days, despite unpaid orders meanwhile', async () => {
    await using scene = planScene({ balance: 25 * USD })
    await scene.buy('pro')
    const { offered, parts } = scene
    for (const time of [
      '2026-12-15T10:30:00',
      '2026-12-16T11:00:00',
      '2026-12-17T11:00:00',
      '2026-12-18T10:29:00',
    ]) {
      scene.at(time)
      await scene.renew()
      const buying = buyPlan(parts, offered, { account_id: 1, plan: 'max', by: undefined })
      await expect(buying).rejects.toThrow('The available balance is less')
      await scene.renew()
    }
    expect(scene.planOf()).toBe(1)
    scene.at('2026-12-18T10:30:00')
    await scene.renew()
    expect([scene.balance(), scene.planOf()]).toEqual([5 * USD, null])
    expect(await scene.months()).toContain('pro lapsed 2026-12-15..2027-01-15')
    expect(scene.broken()).toEqual([])
  })

  test.each([
    ['in time', '2026-12-15T10:31:00'],
    ['late, which starts a new month', '2027-02-20T00:00:00'],
  ])(
    'that the balance cannot pay stays open after another try on the page; processed %s',
    async (_, time) => {
      await using scene = planScene({ balance: 25 * USD })
      await scene.buy('pro')
      scene.at(time)
      await scene.renew()
      const { offered, parts } = scene
      const buying = buyPlan(parts, offered, { account_id: 1, plan: 'pro', by: undefined })
      await expect(buying).rejects.toThrow('The available balance is less')
      const states = (await scene.months()).map((month) => month.split(' ').slice(0, 2).join(' '))
      expect(states).toEqual(['pro active', 'pro open'])
    },
  )

  test('that is processed late has three days from then, once', async () => {
    await using scene = planScene({ balance: 25 * USD })
    await scene.buy('pro')
    const { offered, parts } = scene
    for (const time of ['2027-02-20T00:00:00', '2027-02-22T00:00:00']) {
      scene.at(time)
      await scene.renew()
      const buying = buyPlan(parts, offered, { account_id: 1, plan: 'max', by: undefined })
      await expect(buying).rejects.toThrow('The available balance is less')
    }
    await scene.renew()
    expect(scene.planOf()).toBe(1)
    scene.at('2027-02-23T00:00:00')
    await scene.renew()
    expect([scene.balance(), scene.planOf()]).toEqual([5 * USD, null])
  })

  test('that is paid within the days of grace continues from the end of the month', async () => {
    await using scene = planScene({ balance: 25 * USD })
    await scene.buy('pro')
    scene.at('2026-12-15T10:31:00')
    await scene.renew()
    await scene.ledger.submit(topUp(15 * USD))
    scene.at('2026-12-17T00:00:00')
    await scene.renew()
    expect([scene.balance(), await scene.months()]).toEqual([
      0,
      ['pro ended 2026-11-15..2026-12-15', 'pro active 2026-12-15..2027-01-15'],
    ])
  })

  test('after a long outage starts a new month, and the time between is not paid', async () => {
    await using scene = planScene()
    await scene.buy('pro')
    scene.at('2027-02-20T00:00:00')
    await scene.renew()
    expect([scene.balance(), await scene.months()]).toEqual([
      60 * USD,
      ['pro ended 2026-11-15..2026-12-15', 'pro active 2027-02-20..2027-03-20'],
    ])
  })

  test.each([
    ['costs the previous price if the price was raised', 30, 20],
    ['costs the new price if the price was lowered', 12, 12],
  ])('%s', async (_, price, paid) => {
    await using scene = planScene()
    await scene.buy('pro')
    scene.offered[0] = { ...PRO, price_nanos: price * USD }
    scene.at('2026-12-15T10:30:00')
    await scene.renew()
    expect(scene.balance()).toBe((80 - paid) * USD)
  })

  test('has the limits of today, and a plan that is no longer offered ends', async () => {
    await using scene = planScene()
    await scene.buy('pro')
    scene.offered[0] = { ...PRO, limits: { day: 2 * USD } }
    scene.at('2026-12-15T10:30:00')
    await scene.renew()
    const limits = await budgetsOfPeriod(scene.db, scene.planOf() ?? 0)
    expect(limits.map(({ period, limit_nanos }) => [period, limit_nanos])).toEqual([['day', 2 * USD]])
    scene.offered.shift()
    scene.at('2027-01-15T10:30:00')
    await scene.renew()
    expect([scene.balance(), scene.planOf()]).toEqual([60 * USD, null])
  })

  test('of a suspended account is not paid', async () => {
    await using scene = planScene()
    await scene.buy('pro')
    scene.sql.run("UPDATE accounts SET status = 'suspended'")
    scene.at('2026-12-16T00:00:00')
    await scene.renew()
    expect(scene.balance()).toBe(80 * USD)
    scene.at('2026-12-19T00:00:00')
    await scene.renew()
    expect([scene.balance(), scene.planOf()]).toEqual([80 * USD, null])
  })

  test('that fails does not delay another account’s', async () => {
    await using scene = planScene({ accounts: 2 })
    for (const id of [1, 2]) await scene.buy('pro', id)
    scene.at('2026-12-15T10:30:00')
    const withdraw: typeof scene.parts.withdraw = (operation) => {
      if (operation.account_id === 1) throw new Error('the ledger refused')
      return scene.ledger.submit(operation)
    }
    await expect(scene.renew({ withdraw })).rejects.toThrow('the ledger refused')
    expect((await scene.months(2)).at(-1)).toBe('pro active 2026-12-15..2027-01-15')
    await scene.renew()
    expect((await scene.months(1)).at(-1)).toBe('pro active 2026-12-15..2027-01-15')
    expect(scene.broken()).toEqual([])
  })

  test('by many rounds at once happens once', async () => {
    await using scene = planScene({ accounts: 5 })
    for (const id of [1, 2, 3, 4, 5]) await scene.buy('pro', id)
    scene.at('2026-12-15T10:30:00')
    await Promise.all(Array.from({ length: 8 }, () => scene.renew()))
    for (const id of [1, 2, 3, 4, 5])
      expect([scene.balance(id), (await scene.months(id)).length]).toEqual([60 * USD, 2])
    expect(scene.broken()).toEqual([])
  })

  test.each([
    ['once the next month is made', { dies_at: 'withdraw' }],
    ['once its price is taken', { dies_at: 'begin' }],
  ])('that is stopped %s continues where it was', async (_, { dies_at }) => {
    await using scene = planScene()
    await scene.buy('pro')
    scene.at('2026-12-15T10:30:00')
    const withdraw: typeof scene.parts.withdraw = async (operation) => {
      if (dies_at === 'begin') await scene.ledger.submit(operation)
      throw new Error('killed')
    }
    expect(await scene.renew({ withdraw }).catch((thrown) => thrown.message)).toBe('killed')
    expect((await scene.months())[0]).toContain('active')
    scene.at('2026-12-15T10:31:00')
    await scene.renew()
    expect([scene.balance(), await scene.months()]).toEqual([
      60 * USD,
      ['pro ended 2026-11-15..2026-12-15', 'pro active 2026-12-15..2027-01-15'],
    ])
    expect(scene.broken()).toEqual([])
  })
})

describe('a change of the plan', () => {
  test('to a dearer one starts at once, for its price minus the rest of the month by time', async () => {
    await using scene = planScene({ balance: 200 * USD })
    await scene.buy('pro')
    const call = hold(2 * USD, { model_id: 'sim-text', now_ms: scene.clock.now_ms })
    const outcome = await scene.ledger.submit(call)
    await scene.ledger.barrier()
    // 20 of 30 days are left.
    scene.at('2026-11-25T10:30:00')
    expect(await scene.buy('max')).toBe('active')
    const credit = 13.33 * USD
    expect(scene.balance()).toBe(180 * USD - (100 * USD - credit))
    expect(await scene.months()).toEqual([
      'pro replaced 2026-11-15..2026-12-15',
      'max active 2026-11-25..2026-12-25',
    ])
    // The used part of the month still counts; limits that the new plan lacks are removed.
    const limits = await budgetsOfPeriod(scene.db, scene.planOf() ?? 0)
    expect(limits.map(({ period, limit_nanos, used_nanos }) => [period, limit_nanos, used_nanos])).toEqual([
      ['month', MAX.limits.month ?? 0, 2 * USD],
    ])
    await scene.ledger.submit({ ...post(outcome.ok ? outcome.hold_id : 0, USD), is_covered: true })
    expect((await budgetsOfPeriod(scene.db, scene.planOf() ?? 0))[0]?.used_nanos).toBe(USD)
    expect(scene.broken()).toEqual([])
  })

  test('to a dearer one that the balance cannot pay keeps the current plan', async () => {
    await using scene = planScene({ balance: 30 * USD })
    await scene.buy('pro')
    expect([await scene.buy('max'), scene.balance(), scene.planOf()]).toEqual(['unpaid', 10 * USD, 1])
    scene.at('2026-12-15T10:30:00')
    await scene.ledger.submit(topUp(10 * USD))
    await scene.renew()
    expect(await scene.months()).toEqual([
      'pro ended 2026-11-15..2026-12-15',
      'max lapsed 2026-11-15..2026-12-15',
      'pro active 2026-12-15..2027-01-15',
    ])
  })

  test('to a cheaper one starts when the month ends, and can be undone', async () => {
    await using scene = planScene({ balance: 200 * USD })
    await scene.buy('max')
    const ends_ms = Date.parse('2026-12-15T10:30:00Z')
    expect([await scene.buy('mini'), scene.balance()]).toEqual([{ changes_at_ms: ends_ms }, 100 * USD])
    expect(await scene.buy('max')).toEqual({ changes_at_ms: ends_ms })
    expect((await periodById(scene.db, 1))?.next_plan).toBeNull()
    await scene.buy('mini')
    scene.at('2026-12-15T10:30:00')
    await scene.renew()
    expect([scene.balance(), await scene.months()]).toEqual([
      95 * USD,
      ['max ended 2026-11-15..2026-12-15', 'mini active 2026-12-15..2027-01-15'],
    ])
  })
})

describe('a cancellation', () => {
  test('keeps the paid month, without days of grace', async () => {
    await using scene = planScene()
    await scene.buy('pro')
    const ends = await scene.inAccount((tx) => cancelPlan(tx, 1, scene.clock.now_ms))
    expect(new Date(ends).toISOString()).toBe('2026-12-15T10:30:00.000Z')
    const call = (iso: string) =>
      scene.ledger.submit(hold(1, { model_id: 'sim-text', now_ms: Date.parse(`${iso}Z`) }))
    expect(await call('2026-12-15T10:29:59')).toMatchObject({ plan_period_id: 1 })
    expect(await call('2026-12-15T10:30:00')).not.toHaveProperty('plan_period_id')
    scene.at('2026-12-15T10:30:00')
    await scene.renew()
    expect([scene.balance(), scene.planOf(), await scene.months()]).toEqual([
      80 * USD,
      null,
      ['pro ended 2026-11-15..2026-12-15'],
    ])
  })

  test('can be undone until the end', async () => {
    await using scene = planScene()
    await scene.buy('pro')
    await scene.inAccount((tx) => cancelPlan(tx, 1, scene.clock.now_ms))
    await scene.inAccount((tx) => keepPlan(tx, 1, scene.clock.now_ms))
    scene.at('2026-12-15T10:30:00')
    expect(await refusalOf(scene.inAccount((tx) => keepPlan(tx, 1, scene.clock.now_ms)))).toBe('plan_ended')
    await scene.renew()
    expect(scene.balance()).toBe(60 * USD)
  })

  test('is refused while a paid month has not started, which would renew again', async () => {
    await using scene = planScene()
    await scene.buy('pro')
    const ordered = await scene.order(1, 'max')
    const id = 'period' in ordered ? ordered.period.id : 0
    scene.sql.run("UPDATE plan_periods SET state = 'paid' WHERE id = ?", [id])
    const cancelling = scene.inAccount((tx) => cancelPlan(tx, 1, scene.clock.now_ms))
    await expect(cancelling).rejects.toThrow('was paid a moment ago')
  })

  test('within the days of grace ends the plan at once', async () => {
    await using scene = planScene({ balance: 20 * USD })
    await scene.buy('pro')
    scene.at('2026-12-16T00:00:00')
    await scene.renew()
    await scene.inAccount((tx) => cancelPlan(tx, 1, scene.clock.now_ms))
    expect([scene.planOf(), await scene.months()]).toEqual([
      null,
      ['pro ended 2026-11-15..2026-12-15', 'pro lapsed 2026-12-15..2027-01-15'],
    ])
    expect(await refusalOf(scene.inAccount((tx) => cancelPlan(tx, 1, scene.clock.now_ms)))).toBe('no_plan')
    expect(await refusalOf(scene.inAccount((tx) => keepPlan(tx, 1, scene.clock.now_ms)))).toBe('no_plan')
  })
})

describe('an unpaid next month counts as', () => {
  type Scene = ReturnType<typeof planScene>
  const until = async (scene: Scene, time: string) => {
    scene.at(time)
    await scene.renew()
  }
  test.each<[result: string, what: string, end: (scene: Scene) => Promise<unknown>]>([
    ['failed', 'once the days of grace are over', (scene) => until(scene, '2026-12-18T10:30:00')],
    [
      'cancelled',
      'if its plan was cancelled within the days of grace',
      (scene) => scene.inAccount((tx) => cancelPlan(tx, 1, scene.clock.now_ms)),
    ],
    [
      'cancelled',
      'if another plan was bought within the days of grace',
      async (scene) => {
        await scene.ledger.submit(topUp(100 * USD))
        await scene.buy('max')
        await until(scene, '2026-12-19T00:00:00')
      },
    ],
  ])('%s %s', async (result, _, end) => {
    await using scene = planScene({ balance: 20 * USD })
    await scene.buy('pro')
    await until(scene, '2026-12-16T00:00:00')
    await end(scene)
    const metric = planMetrics(scene.db, createCoveredSums()).find(
      ({ name }) => name === 'tollgate_plan_renewals_total',
    )
    expect(await metric?.values()).toEqual([[{ plan: 'pro', result }, 1]])
  })
})

test('a month starts once, however often it is started', async () => {
  await using scene = planScene()
  await scene.buy('pro')
  await beginPeriod(scene.parts, 1)
  await beginPeriod(scene.parts, 99)
  expect(scene.sql.query("SELECT id FROM actions WHERE action = 'plan.begun'").all()).toHaveLength(1)
})

test('revenue stays the same after an account is erased, although its entries no longer name what they paid for', async () => {
  await using scene = planScene({ accounts: 2 })
  for (const account_id of [1, 2]) await scene.buy('pro', account_id)
  const always = { since_ms: 0, until_ms: scene.clock.now_ms + 1 }
  const revenue = [{ plan: 'pro', title: 'Pro', months: 2, revenue_nanos: 40 * USD }]
  expect(await revenueByPlan(scene.db, always)).toEqual(revenue)
  scene.sql.run('INSERT INTO erased_accounts (account_id, erased_at_ms) VALUES (1, 1)')
  scene.sql.run("UPDATE entries SET request_key = NULL, note = '' WHERE account_id = 1")
  expect(await revenueByPlan(scene.db, always)).toEqual(revenue)
  expect(await revenueByPlan(scene.db, { ...always, until_ms: scene.clock.now_ms })).toEqual([])
})
