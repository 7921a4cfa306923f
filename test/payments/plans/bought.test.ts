// Plans paid by a payment: started in its transaction, or the money becomes balance and the account gets a mail; kills, races, refunds and disputes.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { refreshOrder } from '../../../plugins/payments/refreshing.ts'
import { previewRefund } from '../../../plugins/payments/refund-preview.ts'
import { refundOrder } from '../../../plugins/payments/refunding.ts'
import { periodIn } from '../../../plugins/plans/store.ts'
import { DAY_MS } from '../../../src/domain/ranges.ts'
import { openDebt } from '../../money/ledger/world.ts'
import { mortal } from '../mortal.ts'
import { ENGINES } from '../world.ts'
import { PRO, planPaymentScene, REST, type Scene, USD } from './scene.ts'

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'none',
    (thrown) => thrown.code ?? thrown.param ?? thrown.kind,
  )
const HOOK = { source: 'webhook' } as const
/** The credit of 9.26 EUR. */
const CREDIT = 10 * USD + REST

describe.each(ENGINES)('on %s', (_, make) => {
  let scene: Scene
  beforeEach(async () => {
    scene = await planPaymentScene(make)
    // The first one starts PostgreSQL.
  }, 60_000)
  afterEach(async () => {
    expect(await scene.world.broken()).toEqual([])
    await scene[Symbol.asyncDispose]()
  })

  test('a plan starts with its payment, which alone pays for it', async () => {
    const order = await scene.orderPlan()
    expect(order).toMatchObject({ kind: 'plan', amount_minor: 926, credit_nanos: CREDIT, bonus_nanos: 0 })
    expect(await scene.months()).toEqual(['pro open 11-15..12-15'])
    await scene.pay(order)
    await refreshOrder(scene.parts, order.id, HOOK)
    expect(await scene.months()).toEqual(['pro active 11-15..12-15'])
    expect([await scene.balance(), await scene.entryKinds()]).toEqual([REST, 'order plan'])
    expect(await scene.mails()).toEqual([])
  })

  test('a plan gets no bonus, a price in USD leaves no rest, and the rest of a method’s minimum becomes balance', async () => {
    scene.offered.push({ ...PRO, name: 'big', price_nanos: 200 * USD })
    expect(await scene.orderPlan('big')).toMatchObject({ amount_minor: 18_519, bonus_nanos: 0 })
    expect(await scene.orderPlan('pro', { currency: 'USD' })).toMatchObject({ credit_nanos: 10 * USD })
    scene.world.fake.limits = { EUR: { min_minor: 1_500, max_minor: 1_000_000 } }
    const order = await scene.orderPlan()
    expect(order).toMatchObject({ amount_minor: 1_500 })
    await scene.pay(order)
    expect([await scene.balance(), await scene.months()]).toEqual([
      16_200_000_000 - 10 * USD,
      ['big lapsed 11-15..12-15', 'pro lapsed 11-15..12-15', 'pro active 11-15..12-15'],
    ])
  })

  test.each([
    ['an unknown plan', 'gold', {}, 'plan'],
    ['a method that is not set up', 'pro', { method: 'gone' }, 'no_payment_method'],
    ['a currency without a rate', 'pro', { currency: 'GBP' }, 'price_not_taken'],
    ['an outdated price', 'pro', { quote: { priced_at_ms: 1, due_nanos: 10 * USD } }, 'price_changed'],
  ])('%s is refused, and nothing is ordered', async (_, plan, wanted, code) => {
    expect(await codeOf(scene.orderPlan(plan, wanted))).toBe(code)
    expect([await scene.orders(), await scene.months()]).toEqual([[], []])
  })

  test('a plan above the method’s maximum, the current plan, a cheaper one and a free one are refused', async () => {
    await scene.buyByPayment()
    scene.world.fake.limits = { EUR: { min_minor: 1, max_minor: 900 } }
    expect(await codeOf(scene.orderPlan('max'))).toBe('price_not_taken')
    scene.world.fake.limits = { EUR: { min_minor: 1, max_minor: 1_000_000 } }
    expect(await codeOf(scene.orderPlan('pro'))).toBe('has_plan')
    expect(await codeOf(scene.orderPlan('mini'))).toBe('changes_later')
    scene.offered.push({ ...PRO, name: 'free', price_nanos: 0 })
    await scene.cancel()
    scene.setTime('2026-12-20T00:00:00')
    await scene.runMinute()
    expect(await codeOf(scene.orderPlan('free'))).toBe('nothing_due')
    expect(await scene.orders()).toEqual(['plan paid'])
  })

  test('a repeated request with the same key returns the same order and month', async () => {
    const request_key = 'buy-1'
    const first = await scene.orderPlan('pro', { request_key })
    scene.clock.now_ms += 5_000
    expect((await scene.orderPlan('pro', { request_key })).id).toBe(first.id)
    expect(await codeOf(scene.orderPlan('pro', { request_key, currency: 'USD' }))).toBe(
      'idempotency_key_reused',
    )
    expect(await scene.months()).toEqual(['pro open 11-15..12-15'])
  })

  test('a dearer plan in the middle of a month costs its price minus the rest of the month', async () => {
    await scene.buyByPayment()
    scene.setTime('2026-11-30T10:30:00')
    const order = await scene.orderPlan('max')
    expect(order).toMatchObject({ amount_minor: Math.ceil(2_500 / 1.08) })
    scene.clock.now_ms += 3_600_000
    await scene.pay(order)
    expect(await scene.months()).toEqual(['pro replaced 11-15..12-15', 'max active 11-30..12-30'])
    expect(await scene.balance()).toBe(REST + 2_315 * 10_800_000 - 25 * USD)
  })

  /** Each leaves the credit on the balance, and sends one mail. */
  const TOO_LATE: [string, (order: Awaited<ReturnType<Scene['orderPlan']>>) => Promise<unknown>, string[]][] =
    [
      [
        'after the order expired',
        async (order) => {
          scene.clock.now_ms = order.expires_at_ms
          await refreshOrder(scene.parts, order.id, HOOK)
          await scene.runMinute()
        },
        ['pro lapsed 11-15..12-15'],
      ],
      [
        'after another plan was bought',
        async () => {
          await scene.add(30 * USD)
          await scene.buyFromBalance('max')
        },
        ['pro lapsed 11-15..12-15', 'max active 11-15..12-15'],
      ],
      [
        'after another plan was ordered by a payment',
        async () => await scene.orderPlan('max'),
        ['pro lapsed 11-15..12-15', 'max open 11-15..12-15'],
      ],
      ['after it was cancelled', async () => await scene.cancel(), ['pro lapsed 11-15..12-15']],
    ]
  test.each(TOO_LATE)(
    'a payment %s becomes balance, and the account gets a mail',
    async (_, meanwhile, months) => {
      const order = await scene.orderPlan()
      await meanwhile(order)
      const before = await scene.balance()
      await scene.pay(order)
      await refreshOrder(scene.parts, order.id, HOOK)
      await scene.runMinute()
      expect([(await scene.balance()) - before, await scene.months()]).toEqual([CREDIT, months])
      expect(await scene.mails()).toEqual([
        [
          'plan_not_begun',
          { account: expect.any(String), plan: 'Pro', amount: '9.26 EUR', credit_nanos: CREDIT },
        ],
      ])
    },
  )

  test('a payment reduced by debt does not start the plan, and its rest becomes balance', async () => {
    const order = await scene.orderPlan()
    const about = { account_id: 1, note: '', now_ms: 1, request_key: 'owed' }
    await scene.world.ledger.submit({ op: 'open_debt', amount_nanos: USD, ...about })
    await scene.pay(order)
    await scene.runMinute()
    expect([await scene.balance(), await scene.months(), await scene.purposes()]).toEqual([
      9 * USD + REST,
      ['pro lapsed 11-15..12-15'],
      ['plan_not_begun'],
    ])
  })

  test('a plan removed from the catalogue starts as it was ordered, and is not renewed', async () => {
    const order = await scene.orderPlan()
    scene.offered.splice(0, 1)
    await scene.pay(order)
    expect(await scene.months()).toEqual(['pro active 11-15..12-15'])
    await scene.add(100 * USD)
    scene.setTime('2026-12-15T10:30:00')
    await scene.runMinute()
    expect([await scene.months(), await scene.purposes()]).toEqual([
      ['pro ended 11-15..12-15'],
      ['plan_ended'],
    ])
  })

  test('a payment of a wrong amount starts no plan', async () => {
    const order = await scene.orderPlan()
    scene.world.fake.pay(order.reference, { amount_minor: 925 })
    await refreshOrder(scene.parts, order.id, HOOK)
    expect([await scene.balance(), await scene.months(), await scene.mails()]).toEqual([
      0,
      ['pro open 11-15..12-15'],
      [],
    ])
  })

  test('a gateway that dies before or after any step starts the plan once', async () => {
    const other = await scene.another()
    for (let at = 1; ; at++) {
      let steps = 0
      for (const when of ['before', 'after'] as const) {
        const order = await scene.orderPlan()
        scene.world.fake.pay(order.reference)
        const dying = mortal(other, { at, when })
        await refreshOrder(scene.as(dying.parts), order.id, HOOK).catch(() => {})
        steps = dying.did.length
        await refreshOrder(scene.parts, order.id, HOOK)
        await scene.runMinute()
        expect({ at, when, ...(await scene.world.order(order.id)) }).toMatchObject({ state: 'paid' })
        expect((await scene.months()).filter((month) => month.includes('active'))).toHaveLength(1)
        expect([at, when, await scene.mails()]).toEqual([at, when, []])
        await scene.run('DELETE FROM budgets')
        await scene.run('UPDATE accounts SET plan_period_id = NULL WHERE id = 1')
        await scene.run("UPDATE plan_periods SET state = 'ended' WHERE state = 'active'")
      }
      if (steps < at) break
    }
    const keys = await scene.world.keys()
    expect(keys.filter((key) => key.startsWith('plan:')).length).toBe(
      keys.filter((key) => key.startsWith('order:')).length,
    )
  }, 60_000)

  test('lookups at once by two gateways start the plan once', async () => {
    const order = await scene.orderPlan()
    scene.world.fake.pay(order.reference)
    const other = await scene.another()
    await Promise.all(
      [scene.parts, other, scene.parts, other].map((parts) =>
        refreshOrder(parts, order.id, HOOK).catch(() => {}),
      ),
    )
    expect([await scene.balance(), await scene.entryKinds(), await scene.months()]).toEqual([
      REST,
      'order plan',
      ['pro active 11-15..12-15'],
    ])
  })

  describe('a refund', () => {
    const refund = (
      order_id: number,
      other: { amount_minor?: number; end_plan?: boolean; into_debt?: boolean; left_minor?: number } = {},
    ) =>
      refundOrder(
        scene.parts,
        { order_id, amount_minor: null, into_debt: false, reason: '', ...other },
        { source: 'operator' },
      )

    test('has a preview of its debit, without the price of a plan that it ends', async () => {
      const order = await scene.buyByPayment()
      const previewDebit = async (end_plan: boolean, amount_minor: number | null = null) =>
        (await previewRefund(scene.parts, { order_id: order.id, amount_minor, end_plan })).debit_nanos
      const { credit_nanos, bonus_nanos } = order
      const price_nanos = credit_nanos + bonus_nanos - REST
      expect([await previewDebit(true), await previewDebit(false)]).toEqual([REST, price_nanos + REST])
      expect(await previewDebit(true, 463)).toBe(0)
      await refund(order.id, { end_plan: true, amount_minor: 463 })
      // The plan has ended: the rest is taken from the balance.
      expect(await previewDebit(true, 100)).toBe(await previewDebit(false, 100))
    })

    test.each([
      ['', false, 0],
      [' if it ends the plan', true, 0],
      [' for an account in debt', false, 30],
      [' if it ends the plan of an account in debt', true, 30],
    ])('leaves the balance and the debt of its preview%s', async (_, end_plan, debt_usd) => {
      const { id: order_id } = await scene.buyByPayment()
      const { ledger, db } = scene.world
      if (debt_usd > 0) await ledger.submit(openDebt(debt_usd * USD))
      const { balance_nanos, debt_nanos, left_minor } = await previewRefund(scene.parts, {
        ...{ order_id, amount_minor: null, end_plan },
      })
      await refund(order_id, { end_plan, into_debt: true, left_minor })
      expect(await db.rows('SELECT balance_nanos, debt_nanos FROM accounts WHERE id = 1')).toEqual([
        { balance_nanos, debt_nanos },
      ])
    })

    test('that ends the plan returns its price first', async () => {
      const order = await scene.buyByPayment()
      expect((await refund(order.id, { end_plan: true })).state).toBe('done')
      expect([await scene.balance(), await scene.months(), await scene.world.history(order.id)]).toEqual([
        0,
        ['pro ended 11-15..12-15'],
        ['paid', 'refunded'],
      ])
      expect(await scene.entryKinds()).toBe('order plan plan-back refund')
      expect((await scene.mails()).map(([purpose, { reason }]) => [purpose, reason])).toEqual([
        ['plan_ended', 'refunded'],
      ])
      expect(await codeOf(refund(order.id, { end_plan: true }))).toBe('not_refundable')
    })

    test('above a balance reduced by debt ends no plan, unless the rest becomes debt', async () => {
      const order = await scene.buyByPayment()
      await scene.world.ledger.submit(openDebt(5 * USD, 1, 'a lost dispute'))
      expect(await codeOf(refund(order.id, { end_plan: true }))).toBe('insufficient_balance')
      expect(await scene.months()).toEqual(['pro active 11-15..12-15'])
      await refund(order.id, { end_plan: true, into_debt: true })
      expect([await scene.balance(), await scene.months()]).toEqual([0, ['pro ended 11-15..12-15']])
      expect((await scene.world.money()).debt).toBe(5 * USD)
    })

    test('of a part that ends the plan returns the same part of its price', async () => {
      const order = await scene.buyByPayment()
      await refund(order.id, { end_plan: true, amount_minor: 463 })
      expect([await scene.balance(), await scene.months()]).toEqual([REST, ['pro ended 11-15..12-15']])
      expect(await codeOf(refund(order.id, { end_plan: true, amount_minor: 100 }))).toBe('no_plan')
    })

    test('that keeps the plan is taken from the balance, and refused if the balance is too low', async () => {
      const order = await scene.buyByPayment()
      expect(await codeOf(refund(order.id))).toBe('insufficient_balance')
      await scene.add(20 * USD)
      await refund(order.id)
      expect([await scene.balance(), await scene.months()]).toEqual([10 * USD, ['pro active 11-15..12-15']])
    })

    test('that the payment method refuses leaves the money on the balance, and the plan ended', async () => {
      const order = await scene.buyByPayment()
      scene.world.fake.refunding = 'failed'
      expect((await refund(order.id, { end_plan: true })).state).toBe('failed')
      expect([await scene.balance(), await scene.months()]).toEqual([CREDIT, ['pro ended 11-15..12-15']])
    })

    test('of an order that paid for no plan cannot end a plan', async () => {
      const { id } = await scene.world.startOrder()
      scene.world.fake.pay(`fake-${id}`)
      await refreshOrder(scene.parts, id, HOOK)
      expect(await codeOf(refund(id, { end_plan: true }))).toBe('no_plan')
    })

    test('by a gateway that dies at any of its steps returns the price once and refunds nothing twice', async () => {
      const other = await scene.another()
      for (let at = 1; ; at++) {
        let steps = 0
        for (const when of ['before', 'after'] as const) {
          const order = await scene.buyByPayment()
          const dying = mortal(other, { at, when })
          const request = {
            order_id: order.id,
            amount_minor: null,
            into_debt: false,
            reason: '',
            end_plan: true,
          }
          await refundOrder(scene.as(dying.parts), request, { source: 'operator' }).catch(() => {})
          steps = dying.did.length
          for (let minute = 0; minute < 4; minute++) await scene.runMinute()
          scene.clock.now_ms += 2 * DAY_MS
          await scene.runMinute()
          const active = await periodIn(scene.world.db, 1, 'active')
          // Killed before its first write, the gateway requested no refund.
          if (active) await refund(order.id, { end_plan: true })
          expect({ at, when, balance: await scene.balance() }).toEqual({ at, when, balance: 0 })
          expect(await scene.world.history(order.id)).toEqual(['paid', 'refunded'])
        }
        if (steps < at) break
      }
    }, 60_000)
  })

  test('a lost dispute ends the plan that the payment paid for, and leaves its price as debt', async () => {
    const order = await scene.buyByPayment()
    scene.world.fake.pay(order.reference, { dispute: 'open' })
    await refreshOrder(scene.parts, order.id, HOOK)
    expect(await scene.months()).toEqual(['pro active 11-15..12-15'])
    scene.world.fake.pay(order.reference, { dispute: 'lost' })
    await refreshOrder(scene.parts, order.id, HOOK)
    await refreshOrder(scene.parts, order.id, HOOK)
    expect([await scene.months(), await scene.world.money()]).toEqual([
      ['pro ended 11-15..12-15'],
      { balance: 0, debt: 10 * USD },
    ])
    expect((await scene.mails()).map(([purpose, { reason }]) => [purpose, reason])).toEqual([
      ['plan_ended', 'payment lost'],
    ])
  })

  test('a won dispute, or a lost one of an earlier month, does not end the plan', async () => {
    const order = await scene.buyByPayment()
    scene.world.fake.pay(order.reference, { dispute: 'won' })
    await refreshOrder(scene.parts, order.id, HOOK)
    await scene.add(30 * USD)
    scene.setTime('2026-12-15T10:30:00')
    await scene.runMinute()
    scene.world.fake.pay(order.reference, { dispute: 'lost' })
    await refreshOrder(scene.parts, order.id, HOOK)
    expect(await scene.months()).toEqual(['pro ended 11-15..12-15', 'pro active 12-15..01-15'])
  })
})
