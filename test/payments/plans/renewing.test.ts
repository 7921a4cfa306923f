// Plans renewed by a saved card: charged where the balance is too low, once a day within the days of grace; kills, races, and mails to the account.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { topUpSumSince } from '../../../plugins/payments/automatic/store.ts'
import { cancelOrder, startPayment } from '../../../plugins/payments/ordering.ts'
import { processOpenPeriods } from '../../../plugins/payments/plans/renewing.ts'
import { createPoller } from '../../../plugins/payments/poller.ts'
import { refreshOrder } from '../../../plugins/payments/refreshing.ts'
import { orderById } from '../../../plugins/payments/store.ts'
import { clearPlanCard, periodIn } from '../../../plugins/plans/index.ts'
import { mortal } from '../mortal.ts'
import { ENGINES } from '../world.ts'
import { duePlanScene, REST, type Scene, USD } from './scene.ts'

const DECLINED = 'The saved card was declined: Your card was declined.'
const ASKING = 'Your bank asks you to confirm the payment. Add funds once by hand, or save another card.'
const ACTIVE = ['pro ended 11-15..12-15', 'pro active 12-15..01-15']

/** Two rounds a day, so that a second charge on the same day would show. */
const ROUND_HOURS = 12

describe.each(ENGINES)('on %s', (_, make) => {
  let scene: Scene
  beforeEach(async () => {
    scene = await duePlanScene(make)
  }, 60_000)
  afterEach(async () => {
    expect(await scene.world.broken()).toEqual([])
    await scene[Symbol.asyncDispose]()
  })
  const runDays = async (count: number) => {
    for (let hour = 0; hour < count * 24; hour += ROUND_HOURS) {
      await scene.runMinute()
      scene.clock.now_ms += (ROUND_HOURS * 60 - 1) * 60_000
    }
  }

  test('the card is charged at the end of each month, and the next month starts', async () => {
    await scene.runMinute()
    expect([await scene.months(), await scene.balance()]).toEqual([ACTIVE, 2 * REST])
    expect(await scene.orders()).toEqual(['plan paid', 'automatic paid'])
    expect(await scene.mails()).toEqual([
      [
        'plan_renewed',
        {
          account: expect.any(String),
          plan: 'Pro',
          paid_nanos: 10 * USD,
          ends_ms: Date.parse('2027-01-15T10:30:00Z'),
        },
      ],
    ])
    scene.setTime('2027-01-15T10:31:00')
    await scene.runMinute()
    expect((await scene.months()).at(-1)).toBe('pro active 01-15..02-15')
    expect(scene.card.charges).toHaveLength(2)
  })

  describe('a plan after a month that is over', () => {
    const planActions = async () => {
      const rows = await scene.world.db.rows<{ action: string }>(
        "SELECT action FROM actions WHERE action IN ('plan.begun', 'plan.renewed') ORDER BY id",
      )
      return rows.map(({ action }) => action)
    }

    test('another plan bought within the days of grace is reported as begun', async () => {
      await scene.renewByCard(null)
      await scene.runMinute()
      await scene.add(30 * USD)
      await scene.buyFromBalance('max')
      expect([await scene.months(), await scene.purposes(), await planActions()]).toEqual([
        ['pro ended 11-15..12-15', 'pro lapsed 12-15..01-15', 'max active 12-15..01-15'],
        ['plan_unpaid', 'plan_begun'],
        ['plan.begun', 'plan.begun'],
      ])
      expect((await scene.mails()).at(-1)?.[1]).toMatchObject({
        plan: 'Max',
        before: 'Pro',
        paid_nanos: 30 * USD,
      })
    })

    test('another plan chosen before the end of the month is reported as begun', async () => {
      scene.setTime('2026-12-10T00:00:00')
      await scene.buyFromBalance('mini')
      scene.setTime('2026-12-15T10:30:00')
      await scene.runMinute()
      expect([(await scene.months()).at(-1), await scene.purposes(), await planActions()]).toEqual([
        'mini active 12-15..01-15',
        ['plan_begun'],
        ['plan.begun', 'plan.begun'],
      ])
      scene.setTime('2027-01-15T10:30:00')
      await scene.runMinute()
      expect([await scene.purposes(), (await planActions()).at(-1)]).toEqual([
        ['plan_begun', 'plan_renewed'],
        'plan.renewed',
      ])
    })

    test('the same plan bought again within the days of grace is reported as renewed', async () => {
      await scene.renewByCard(null)
      await scene.runMinute()
      await scene.add(10 * USD)
      await scene.buyFromBalance('pro')
      expect([await scene.purposes(), (await planActions()).at(-1)]).toEqual([
        ['plan_unpaid', 'plan_renewed'],
        'plan.renewed',
      ])
    })
  })

  test('a sufficient balance is taken before the card is charged', async () => {
    await scene.add(10 * USD)
    await scene.runMinute()
    expect([await scene.months(), await scene.balance(), scene.card.charges]).toEqual([ACTIVE, REST, []])
  })

  test('without a chosen card nothing is charged, and the account gets one mail', async () => {
    await scene.renewByCard(null)
    await runDays(2)
    expect([scene.card.charges, await scene.orders()]).toEqual([[], ['plan paid']])
    expect(await scene.mails()).toEqual([
      [
        'plan_unpaid',
        {
          account: expect.any(String),
          plan: 'Pro',
          due_nanos: 10 * USD,
          until_ms: Date.parse('2026-12-18T10:30:00Z'),
          failure: null,
        },
      ],
    ])
  })

  test('a declined card is charged on three days; then the plan ends', async () => {
    scene.card.refuses = DECLINED
    await runDays(1)
    expect(await scene.orders()).toEqual(['plan paid', 'automatic cancelled'])
    await runDays(3)
    expect(await scene.orders()).toEqual(['plan paid', ...Array(3).fill('automatic cancelled')])
    expect([await scene.months(), await scene.balance()]).toEqual([
      ['pro ended 11-15..12-15', 'pro lapsed 12-15..01-15'],
      REST,
    ])
    const mails = await scene.mails()
    expect(mails.map(([purpose, fields]) => [purpose, fields.failure ?? fields.reason])).toEqual([
      ['plan_unpaid', DECLINED],
      ['plan_unpaid', DECLINED],
      ['plan_unpaid', DECLINED],
      ['plan_ended', 'not paid'],
    ])
    await runDays(2)
    expect(scene.card.charges).toHaveLength(3)
  })

  test('a plan whose card is charged at the second try continues without a gap', async () => {
    scene.card.refuses = ASKING
    await runDays(1)
    scene.card.refuses = undefined
    await scene.runMinute()
    expect([await scene.months(), await scene.purposes()]).toEqual([ACTIVE, ['plan_unpaid', 'plan_renewed']])
  })

  test('the card is not charged again after someone paid on a page', async () => {
    scene.card.refuses = ASKING
    await scene.runMinute()
    const order = await scene.orderPlan()
    await scene.pay(order)
    scene.card.refuses = undefined
    await runDays(4)
    expect([await scene.months(), await scene.orders()]).toEqual([
      ACTIVE,
      ['plan paid', 'automatic cancelled', 'plan paid'],
    ])
  })

  test('a renewal waits for a pending payment, but not for an unpaid page', async () => {
    scene.card.refuses = ASKING
    await scene.runMinute()
    scene.card.refuses = undefined
    const order = await scene.orderPlan()
    scene.world.fake.pay(order.reference, { state: 'pending' })
    await refreshOrder(scene.parts, order.id, { source: 'page' })
    await runDays(1)
    expect(scene.card.charges).toHaveLength(1)
    scene.world.fake.pay(order.reference, { state: 'open' })
    await refreshOrder(scene.parts, order.id, { source: 'page' })
    await scene.runMinute()
    expect([await scene.months(), scene.card.charges.length]).toEqual([ACTIVE, 2])
  })

  test('of payments by page and by card, one pays the month, the other becomes balance, and the account gets a mail', async () => {
    scene.card.refuses = ASKING
    await scene.runMinute()
    const order = await scene.orderPlan()
    scene.card.refuses = undefined
    await runDays(1)
    await scene.runMinute()
    const before = await scene.balance()
    await scene.pay(order)
    expect([await scene.months(), (await scene.balance()) - before]).toEqual([ACTIVE, 10 * USD + REST])
    expect((await scene.purposes()).at(-1)).toBe('plan_not_begun')
  })

  test('a charge whose answer is lost is found again by another gateway', async () => {
    scene.card.loses_charges = true
    await scene.runMinute()
    expect(await scene.months()).toEqual(['pro active 11-15..12-15', 'pro open 12-15..01-15'])
    scene.card.loses_charges = false
    scene.clock.now_ms += 3_600_000
    await createPoller(await scene.another()).pollDue()
    expect([await scene.months(), [...scene.card.payments.keys()].length, await scene.entryKinds()]).toEqual([
      ACTIVE,
      1,
      'order order plan plan',
    ])
  })

  test('an order that is being charged can be neither paid nor cancelled by hand', async () => {
    scene.card.loses_charges = true
    await scene.runMinute()
    const [id = 0] = scene.card.charges
    const refused = { code: 'order_charged_automatically' }
    await expect(startPayment(scene.parts, id)).rejects.toMatchObject(refused)
    await expect(cancelOrder(scene.parts, id, { source: 'page' })).rejects.toMatchObject(refused)
    expect((await orderById(scene.world.db, id)).state).toBe('open')
  })

  test('two gateways at once charge the card once', async () => {
    const other = await scene.another()
    await Promise.all([
      scene.runMinute(other),
      scene.runMinute(),
      processOpenPeriods(other),
      processOpenPeriods(scene.parts),
    ])
    await scene.runMinute()
    expect([await scene.months(), [...scene.card.payments.keys()].length, await scene.entryKinds()]).toEqual([
      ACTIVE,
      1,
      'order order plan plan',
    ])
  })

  test('a suspended account is not charged', async () => {
    await scene.run("UPDATE accounts SET status = 'suspended' WHERE id = 1")
    await runDays(4)
    expect([scene.card.charges, (await scene.months())[0]]).toEqual([[], 'pro ended 11-15..12-15'])
  })

  test('if the payment method was removed, the account gets a mail, and the card is charged once the method is back', async () => {
    scene.world.remove('card')
    await scene.runMinute()
    expect((await scene.mails()).map(([purpose, { failure }]) => [purpose, failure])).toEqual([
      ['plan_unpaid', expect.stringContaining('is not set up')],
    ])
    scene.world.restore('card', scene.card)
    await scene.runMinute()
    expect(await scene.months()).toEqual(ACTIVE)
  })

  test('a plan whose card was removed is paid only by the balance', async () => {
    await scene.inAccount((tx) => clearPlanCard(tx, 1, 'other'))
    expect((await periodIn(scene.world.db, 1, 'active'))?.card_method).toBe('card')
    await scene.inAccount((tx) => clearPlanCard(tx, 1, 'card'))
    await runDays(1)
    expect([scene.card.charges, await scene.purposes()]).toEqual([[], ['plan_unpaid']])
  })

  test('the chosen card also renews a dearer plan', async () => {
    scene.setTime('2026-12-01T00:00:00')
    const order = await scene.orderPlan('max')
    await scene.pay(order)
    scene.setTime('2027-01-01T00:00:00')
    await scene.runMinute()
    expect((await scene.months()).at(-1)).toBe('max active 01-01..02-01')
  })

  test('charges for plans do not count towards the limit of automatic top-ups', async () => {
    await scene.runMinute()
    const since = { account_id: 1, currency: 'EUR', from_ms: 0 }
    expect(await topUpSumSince(scene.world.db, since)).toBe(0)
  })

  test('if debt takes a part of the charge, the month waits for the balance, and nothing more is charged', async () => {
    const about = { account_id: 1, note: '', now_ms: 1, request_key: 'owed' }
    await scene.world.ledger.submit({ op: 'open_debt', amount_nanos: USD, ...about })
    await runDays(1)
    expect([await scene.orders(), (await scene.months()).at(-1)]).toEqual([
      ['plan paid', 'automatic paid'],
      'pro open 12-15..01-15',
    ])
    await scene.add(USD)
    await scene.runMinute()
    expect([await scene.months(), scene.card.charges.length]).toEqual([ACTIVE, 1])
  })

  test('a gateway that dies before or after any step of a renewal charges once and renews once', async () => {
    const steps: string[][] = []
    let month = 12
    const other = await scene.another()
    for (let at = 1; ; at++) {
      let count = 0
      for (const when of ['before', 'after'] as const) {
        const dying = mortal(other, { at, when })
        await scene.runMinute(scene.as(dying.parts)).catch(() => {})
        count = dying.did.length
        steps.push(dying.did)
        for (let minute = 0; minute < 5; minute++) await scene.runMinute()
        month += 1
        expect([at, when, scene.card.payments.size, await scene.entryKinds()]).toEqual([
          at,
          when,
          month - 12,
          [...Array(month - 11).fill('order'), ...Array(month - 11).fill('plan')].join(' '),
        ])
        const next = await periodIn(scene.world.db, 1, 'active')
        scene.clock.now_ms = next?.ends_ms ?? 0
      }
      if (count < at) break
    }
    expect(steps.at(-1)?.slice(0, 8)).toEqual([
      'begin',
      'charge',
      'write',
      'look',
      'write',
      'submit',
      'begin',
      'write',
    ])
  }, 120_000)
})
