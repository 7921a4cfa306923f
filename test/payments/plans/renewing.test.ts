// Plans that are renewed by a saved card: charged where the balance is too low, once a day within the days of grace; kills and races; what the account is told.
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

describe.each(ENGINES)('on %s', (_, make) => {
  let scene: Scene
  beforeEach(async () => {
    scene = await duePlanScene(make)
  }, 60_000)
  afterEach(async () => {
    expect(await scene.world.broken()).toEqual([])
    await scene[Symbol.asyncDispose]()
  })
  const days = async (count: number) => {
    for (let hour = 0; hour < count * 24; hour++) {
      await scene.minute()
      scene.clock.now_ms += 59 * 60_000
    }
  }

  test('the card is charged at the end of the month, and the next one begins; and so on', async () => {
    await scene.minute()
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
    scene.at('2027-01-15T10:31:00')
    await scene.minute()
    expect((await scene.months()).at(-1)).toBe('pro active 01-15..02-15')
    expect(scene.card.charges).toHaveLength(2)
  })

  describe('another plan in place of one whose month is over is no renewal: it is told as begun', () => {
    const told = async () => {
      const rows = await scene.world.db.rows<{ action: string }>(
        "SELECT action FROM actions WHERE action IN ('plan.begun', 'plan.renewed') ORDER BY id",
      )
      return rows.map(({ action }) => action)
    }

    test('bought within the days of grace', async () => {
      await scene.byCard(null)
      await scene.minute()
      await scene.add(30 * USD)
      await scene.buyFromBalance('max')
      expect([await scene.months(), await scene.purposes(), await told()]).toEqual([
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

    test('chosen before, from the end of the month on', async () => {
      scene.at('2026-12-10T00:00:00')
      await scene.buyFromBalance('mini')
      scene.at('2026-12-15T10:30:00')
      await scene.minute()
      expect([(await scene.months()).at(-1), await scene.purposes(), await told()]).toEqual([
        'mini active 12-15..01-15',
        ['plan_begun'],
        ['plan.begun', 'plan.begun'],
      ])
      scene.at('2027-01-15T10:30:00')
      await scene.minute()
      expect([await scene.purposes(), (await told()).at(-1)]).toEqual([
        ['plan_begun', 'plan_renewed'],
        'plan.renewed',
      ])
    })

    test('the same plan bought again within the days of grace is a renewal', async () => {
      await scene.byCard(null)
      await scene.minute()
      await scene.add(10 * USD)
      await scene.buyFromBalance('pro')
      expect([await scene.purposes(), (await told()).at(-1)]).toEqual([
        ['plan_unpaid', 'plan_renewed'],
        'plan.renewed',
      ])
    })
  })

  test('a balance that pays for the month is taken first', async () => {
    await scene.add(10 * USD)
    await scene.minute()
    expect([await scene.months(), await scene.balance(), scene.card.charges]).toEqual([ACTIVE, REST, []])
  })

  test('without that choice nothing is charged, and the account is told once', async () => {
    await scene.byCard(null)
    await days(2)
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

  test('a card that is declined is charged again each day, three times; then the plan ends', async () => {
    scene.card.refuses = DECLINED
    await days(1)
    expect(await scene.orders()).toEqual(['plan paid', 'automatic cancelled'])
    await days(3)
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
    await days(2)
    expect(scene.card.charges).toHaveLength(3)
  })

  test('one that is charged at the second try goes on without a gap', async () => {
    scene.card.refuses = ASKING
    await days(1)
    scene.card.refuses = undefined
    await scene.minute()
    expect([await scene.months(), await scene.purposes()]).toEqual([ACTIVE, ['plan_unpaid', 'plan_renewed']])
  })

  test('a person pays on a page meanwhile: the card is not charged any more', async () => {
    scene.card.refuses = ASKING
    await scene.minute()
    const order = await scene.ordered()
    await scene.pay(order)
    scene.card.refuses = undefined
    await days(4)
    expect([await scene.months(), await scene.orders()]).toEqual([
      ACTIVE,
      ['plan paid', 'automatic cancelled', 'plan paid'],
    ])
  })

  test('money that is on its way is waited for, and a page that nobody pays on is not', async () => {
    scene.card.refuses = ASKING
    await scene.minute()
    scene.card.refuses = undefined
    const order = await scene.ordered()
    scene.world.fake.pay(order.reference, { state: 'pending' })
    await refreshOrder(scene.parts, order.id, { source: 'page' })
    await days(1)
    expect(scene.card.charges).toHaveLength(1)
    scene.world.fake.pay(order.reference, { state: 'open' })
    await refreshOrder(scene.parts, order.id, { source: 'page' })
    await scene.minute()
    expect([await scene.months(), scene.card.charges.length]).toEqual([ACTIVE, 2])
  })

  test('paid twice, by the page and by the card: one is the month, the other is balance, and the account is told', async () => {
    scene.card.refuses = ASKING
    await scene.minute()
    const order = await scene.ordered()
    scene.card.refuses = undefined
    await days(1)
    await scene.minute()
    const before = await scene.balance()
    await scene.pay(order)
    expect([await scene.months(), (await scene.balance()) - before]).toEqual([ACTIVE, 10 * USD + REST])
    expect((await scene.purposes()).at(-1)).toBe('plan_not_begun')
  })

  test('a charge whose answer is lost is found again, also after its gateway died', async () => {
    scene.card.loses_charges = true
    await scene.minute()
    expect(await scene.months()).toEqual(['pro active 11-15..12-15', 'pro open 12-15..01-15'])
    scene.card.loses_charges = false
    scene.clock.now_ms += 3_600_000
    await createPoller(await scene.another()).pollDue()
    expect([await scene.months(), [...scene.card.payments.keys()].length, await scene.moved()]).toEqual([
      ACTIVE,
      1,
      'order order plan plan',
    ])
  })

  test('an order that is being charged can be neither paid nor cancelled by hand', async () => {
    scene.card.loses_charges = true
    await scene.minute()
    const [id = 0] = scene.card.charges
    const refused = { code: 'order_charged_automatically' }
    await expect(startPayment(scene.parts, id)).rejects.toMatchObject(refused)
    await expect(cancelOrder(scene.parts, id, { source: 'page' })).rejects.toMatchObject(refused)
    expect((await orderById(scene.world.db, id)).state).toBe('open')
  })

  test('two gateways at once charge once', async () => {
    const other = await scene.another()
    await scene.inAccount(async () => {})
    scene.card.refuses = undefined
    // The month is ordered, and not charged yet.
    await Promise.all([
      scene.minute(other),
      scene.minute(),
      processOpenPeriods(other),
      processOpenPeriods(scene.parts),
    ])
    await scene.minute()
    expect([await scene.months(), [...scene.card.payments.keys()].length, await scene.moved()]).toEqual([
      ACTIVE,
      1,
      'order order plan plan',
    ])
  })

  test.each([
    ['a suspended account is not charged', "UPDATE accounts SET status = 'suspended' WHERE id = 1", []],
  ])('%s', async (_, statement, charges) => {
    await scene.run(statement)
    await days(4)
    expect([scene.card.charges, (await scene.months())[0]]).toEqual([charges, 'pro ended 11-15..12-15'])
  })

  test('a payment method that is not set up any more: the account is told, and the card is charged once it is again', async () => {
    scene.world.remove('card')
    await scene.minute()
    expect((await scene.mails()).map(([purpose, { failure }]) => [purpose, failure])).toEqual([
      ['plan_unpaid', expect.stringContaining('is not set up')],
    ])
    scene.world.restore('card', scene.card)
    await scene.minute()
    expect(await scene.months()).toEqual(ACTIVE)
  })

  test('the removal of the card leaves the plan to the balance', async () => {
    await scene.inAccount((tx) => clearPlanCard(tx, 1, 'other'))
    expect((await periodIn(scene.world.db, 1, 'active'))?.card_method).toBe('card')
    await scene.inAccount((tx) => clearPlanCard(tx, 1, 'card'))
    await days(1)
    expect([scene.card.charges, await scene.purposes()]).toEqual([[], ['plan_unpaid']])
  })

  test('the choice goes over to a dearer plan', async () => {
    scene.at('2026-12-01T00:00:00')
    const order = await scene.ordered('max')
    await scene.pay(order)
    scene.at('2027-01-01T00:00:00')
    await scene.minute()
    expect((await scene.months()).at(-1)).toBe('max active 01-01..02-01')
  })

  test('what is charged for plans is not of the limit of automatic top-ups', async () => {
    await scene.minute()
    const since = { account_id: 1, currency: 'EUR', from_ms: 0 }
    expect(await topUpSumSince(scene.world.db, since)).toBe(0)
  })

  test('debt takes of the charge: the month waits for the balance, and nothing more is charged', async () => {
    const about = { account_id: 1, note: '', now_ms: 1, request_key: 'owed' }
    await scene.world.ledger.submit({ op: 'open_debt', amount_nanos: USD, ...about })
    await days(1)
    expect([await scene.orders(), (await scene.months()).at(-1)]).toEqual([
      ['plan paid', 'automatic paid'],
      'pro open 12-15..01-15',
    ])
    await scene.add(USD)
    await scene.minute()
    expect([await scene.months(), scene.card.charges.length]).toEqual([ACTIVE, 1])
  })

  test('a gateway that dies before or after each step of a renewal: charged once, renewed once', async () => {
    const steps: string[][] = []
    let month = 12
    for (let at = 1; ; at++) {
      let count = 0
      for (const when of ['before', 'after'] as const) {
        const dying = mortal(await scene.another(), { at, when })
        await scene.minute(scene.as(dying.parts)).catch(() => {})
        count = dying.did.length
        steps.push(dying.did)
        for (let minute = 0; minute < 5; minute++) await scene.minute()
        month += 1
        expect([at, when, scene.card.payments.size, await scene.moved()]).toEqual([
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
