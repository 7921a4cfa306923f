// Payments of plans that coincide with a suspension, a dispute or another month. Each ends as one paid month, or as balance.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { startPayment } from '../../../plugins/payments/ordering.ts'
import { processOpenPeriods } from '../../../plugins/payments/plans/renewing.ts'
import { refreshOrder } from '../../../plugins/payments/refreshing.ts'
import { beginRefund, refundOrder, tryDebitRefund } from '../../../plugins/payments/refunding.ts'
import { periodIn } from '../../../plugins/plans/index.ts'
import { renewPlans } from '../../../plugins/plans/renewing.ts'
import { mortal } from '../mortal.ts'
import { ENGINES } from '../world.ts'
import { planPaymentScene, REST, type Scene, USD } from './scene.ts'

const BY = { source: 'operator' } as const
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'none',
    ({ code, kind }) => code ?? kind,
  )

describe.each(ENGINES)('on %s', (_, make) => {
  let scene: Scene
  beforeEach(async () => {
    scene = await planPaymentScene(make)
  }, 60_000)
  afterEach(async () => {
    expect(await scene.world.broken()).toEqual([])
    await scene[Symbol.asyncDispose]()
  })
  const setStatus = (status: string) => scene.run(`UPDATE accounts SET status = '${status}' WHERE id = 1`)
  const refundEndingPlan = (order_id: number) => ({
    ...{ order_id, amount_minor: null, into_debt: false, reason: '', end_plan: true },
  })
  /** Pays for another month, and dies before the month starts. */
  const payAndDie = async (plan: string) => {
    const order = await scene.orderPlan(plan)
    scene.world.fake.pay(order.reference)
    for (let at = 1; !(await periodIn(scene.world.db, 1, 'paid')); at++)
      await refreshOrder(mortal(await scene.another(), { at, when: 'after' }).parts, order.id, BY).catch(
        () => {},
      )
  }

  test('a payment to a suspended account becomes balance, and the account gets a mail', async () => {
    const order = await scene.orderPlan()
    await setStatus('suspended')
    await scene.pay(order)
    await scene.runMinute()
    expect([await scene.months(), await scene.balance(), await scene.purposes()]).toEqual([
      ['pro lapsed 11-15..12-15'],
      10 * USD + REST,
      ['plan_not_begun'],
    ])
  })

  test('a month within its days of grace is paid from that balance once the account is resumed', async () => {
    await scene.buyByPayment()
    scene.setTime('2026-12-15T10:30:00')
    await scene.runMinute()
    const order = await scene.orderPlan()
    await setStatus('suspended')
    await scene.pay(order)
    expect((await scene.months()).at(-1)).toBe('pro open 12-15..01-15')
    await setStatus('active')
    await scene.runMinute()
    expect([(await scene.months()).at(-1), await scene.balance()]).toEqual([
      'pro active 12-15..01-15',
      2 * REST,
    ])
  })

  test.each([
    ['of a suspended account', () => setStatus('suspended')],
    ['after another plan was ordered', () => scene.orderPlan('max')],
    ['after it was cancelled', () => scene.cancel()],
  ])('an order %s leads to no payment page', async (_, meanwhile) => {
    const order = await scene.orderPlan()
    await meanwhile()
    expect(await codeOf(startPayment(scene.parts, order.id))).toBe('plan_changed')
  })

  test('the key of a plan’s order cannot be reused for another plan', async () => {
    await scene.orderPlan('pro', { request_key: 'once' })
    expect(await codeOf(scene.orderPlan('mini', { request_key: 'once' }))).toBe('idempotency_key_reused')
    expect(await scene.months()).toEqual(['pro open 11-15..12-15'])
  })

  test('a refund that ended the plan and is then stopped by a dispute leaves the price on the balance', async () => {
    const order = await scene.buyByPayment()
    const refund = await beginRefund(scene.parts, refundEndingPlan(order.id))
    scene.world.fake.pay(order.reference, { dispute: 'open' })
    await refreshOrder(scene.parts, order.id, BY)
    expect(await tryDebitRefund(scene.parts, refund, BY)).toBe('order_disputed')
    expect([await scene.months(), await scene.balance(), await scene.entryKinds()]).toEqual([
      ['pro ended 11-15..12-15'],
      10 * USD + REST,
      'order plan plan-back',
    ])
  })

  test('a refund cannot end a plan while a dearer one, which its rest pays for, is about to start', async () => {
    const order = await scene.buyByPayment()
    await payAndDie('max')
    expect(await codeOf(refundOrder(scene.parts, refundEndingPlan(order.id), BY))).toBe('plan_begins')
    await scene.runMinute()
    expect((await scene.months()).map((month) => month.slice(0, 10))).toEqual(['pro replac', 'max active'])
  })

  test('a lost dispute over the previous month keeps the dearer plan that was paid since', async () => {
    const order = await scene.buyByPayment()
    await payAndDie('max')
    scene.world.fake.pay(order.reference, { dispute: 'lost' })
    await refreshOrder(scene.parts, order.id, BY)
    expect((await scene.months()).map((month) => month.slice(0, 10))).toEqual(['pro replac', 'max active'])
  })

  test('a card is not charged if it is unset, or its account suspended, after the waiting months were read', async () => {
    for (const meanwhile of [() => scene.renewByCard(null), () => setStatus('suspended')]) {
      await setStatus('active')
      if (!(await periodIn(scene.world.db, 1, 'active'))) await scene.buyByPayment()
      await scene.renewByCard()
      const { ends_ms = 0 } = (await periodIn(scene.world.db, 1, 'active')) ?? {}
      scene.clock.now_ms = Math.max(scene.clock.now_ms, ends_ms)
      const { db, ledger } = scene.world
      const { now, catalogue } = scene.parts
      await renewPlans({ db, now, catalogue, withdraw: ledger.submit.bind(ledger) as never })
      // Happens once the waiting months have been read.
      let is_read = false
      const reading = new Proxy(db, {
        get: (of, name) =>
          name === 'begin'
            ? async (...args: Parameters<typeof db.begin>) => {
                if (!is_read) await meanwhile()
                is_read = true
                return await of.begin(...args)
              }
            : Reflect.get(of, name),
      })
      await processOpenPeriods({ ...scene.parts, db: reading })
      expect([is_read, scene.card.charges]).toEqual([true, []])
    }
  })
})
