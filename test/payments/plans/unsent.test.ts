// Charges of saved cards for a month that needs them no longer: an unsent charge is never sent, a charge that was made becomes balance, once.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createPoller } from '../../../plugins/payments/poller.ts'
import { refreshOrder } from '../../../plugins/payments/refreshing.ts'
import type { Order } from '../../../plugins/payments/tables.ts'
import { DAY_MS } from '../../../src/domain/ranges.ts'
import { openDebt } from '../../money/ledger/world.ts'
import { mortal } from '../mortal.ts'
import { ENGINES } from '../world.ts'
import { duePlanScene, REST, type Scene, USD } from './scene.ts'

const CREDIT = 10 * USD + REST
const BY = { source: 'poll' } as const
const ENDED = ['pro ended 11-15..12-15', 'pro lapsed 12-15..01-15']
const RENEWED = ['pro ended 11-15..12-15', 'pro active 12-15..01-15']
const WAITING = ['pro active 11-15..12-15', 'pro open 12-15..01-15']

interface Meanwhile {
  act: (scene: Scene) => Promise<unknown>
  months: string[]
  /** The amount that the act adds to the balance. */
  adds?: number
  mails?: string[]
}

const setStatus = (scene: Scene, status: string) =>
  scene.run(`UPDATE accounts SET status = '${status}' WHERE id = 1`)

const MEANWHILE: [string, Meanwhile][] = [
  ['the plan was cancelled', { act: (scene) => scene.cancel(), months: ENDED }],
  [
    'a person paid for the month on a page',
    {
      act: async (scene) => await scene.pay(await scene.orderPlan()),
      months: RENEWED,
      adds: REST,
      mails: ['plan_renewed'],
    },
  ],
  [
    'the balance paid for the month',
    {
      act: async (scene) => {
        await scene.add(10 * USD)
        await scene.renew()
      },
      months: RENEWED,
      mails: ['plan_renewed'],
    },
  ],
  [
    'another plan was bought',
    {
      act: async (scene) => {
        await scene.add(30 * USD)
        await scene.buyFromBalance('max')
      },
      months: [...ENDED, 'max active 12-15..01-15'],
      mails: ['plan_begun'],
    },
  ],
  [
    'another plan was ordered',
    {
      act: (scene) => scene.orderPlan('max'),
      months: [...WAITING.slice(0, 1), ENDED[1] ?? '', 'max open 12-15..01-15'],
    },
  ],
  ['the account was suspended', { act: (scene) => setStatus(scene, 'suspended'), months: WAITING }],
]

describe.each(ENGINES)('on %s', (_, make) => {
  let scene: Scene
  beforeEach(async () => {
    scene = await duePlanScene(make)
  }, 60_000)
  afterEach(async () => {
    expect(await scene.world.broken()).toEqual([])
    await scene[Symbol.asyncDispose]()
  })

  const charge = async (): Promise<Order> => {
    const [order] = await scene.world.db.rows<Order>("SELECT * FROM orders WHERE kind = 'automatic'")
    if (!order) throw new Error('no card was to be charged')
    return order
  }
  /** Makes the order, whose gateway dies before it requests the charge. */
  const unsentCharge = async () => {
    const dying = mortal(await scene.another(), { at: 2, when: 'before' })
    await scene.renew()
    await scene.charge(scene.as(dying.parts)).catch(() => {})
    expect([dying.did, scene.card.charges]).toEqual([['begin', 'charge'], []])
    return await charge()
  }
  /** Charges the card, and loses the answer. */
  const lostCharge = async () => {
    scene.card.loses_charges = true
    await scene.renew()
    await scene.charge()
    scene.card.loses_charges = false
    expect(scene.card.payments.size).toBe(1)
    return await charge()
  }
  /** Lets two gateways look up and poll an order until its end and after it. */
  const pollToEnd = async (order: Order) => {
    const other = await scene.another()
    for (const wait_ms of [0, 60_000, 3_600_000, DAY_MS, DAY_MS]) {
      scene.clock.now_ms += wait_ms
      await Promise.all(
        [scene.parts, other].map((parts) => refreshOrder(parts, order.id, BY).catch(() => {})),
      )
      await Promise.all([scene.parts, other].map((parts) => createPoller(parts).pollDue()))
    }
  }

  test.each(MEANWHILE)(
    'a charge that was not sent before %s is never sent',
    async (_, { act, months, adds = 0, mails = [] }) => {
      const order = await unsentCharge()
      await act(scene)
      const before = await scene.balance()
      await pollToEnd(order)
      expect(scene.card.payments.size).toBe(0)
      expect(await scene.world.history(order.id)).toEqual(['cancelled'])
      expect([before, await scene.balance()]).toEqual([REST + adds, REST + adds])
      expect([await scene.months(), await scene.purposes()]).toEqual([months, mails])
    },
  )

  test.each(MEANWHILE)(
    'a charge whose answer was lost before %s becomes balance once, with one mail',
    async (_, { act, months, adds = 0, mails = [] }) => {
      const order = await lostCharge()
      await act(scene)
      await pollToEnd(order)
      expect(scene.card.payments.size).toBe(1)
      expect(await scene.world.history(order.id)).toEqual(['paid'])
      expect(await scene.balance()).toBe(REST + adds + CREDIT)
      expect([await scene.months(), await scene.purposes()]).toEqual([months, [...mails, 'plan_not_begun']])
      const credited = (await scene.world.keys()).filter((key) => key === `order:${order.id}`)
      expect(credited).toHaveLength(1)
    },
  )

  test('a charge during which the plan is cancelled becomes balance once, with one mail', async () => {
    await scene.renew()
    let is_cancelled = false
    scene.card.trouble = async () => {
      if (!is_cancelled) await scene.cancel()
      is_cancelled = true
    }
    await scene.charge()
    const order = await charge()
    await pollToEnd(order)
    expect([await scene.world.history(order.id), await scene.balance()]).toEqual([['paid'], REST + CREDIT])
    expect([await scene.months(), await scene.purposes()]).toEqual([ENDED, ['plan_not_begun']])
  })

  test.each([
    ['arrives', 'paid', CREDIT, ['plan_not_begun']],
    ['fails', 'failed', 0, []],
  ] as const)('a plan is cancelled during a pending payment, which %s', async (_, state, credit, mails) => {
    scene.card.decides = () => ({ state: 'pending' })
    await scene.renew()
    await scene.charge()
    await scene.cancel()
    const order = await charge()
    scene.clock.now_ms += DAY_MS
    await refreshOrder(scene.parts, order.id, BY)
    expect([await scene.balance(), await scene.purposes()]).toEqual([REST, []])
    scene.card.pay(`card-${order.id}`, { state })
    await pollToEnd(order)
    expect([await scene.months(), await scene.balance(), await scene.purposes()]).toEqual([
      ENDED,
      REST + credit,
      [...mails],
    ])
  })

  test('a failed charge before a cancellation is not repeated, and no mail mentions the plan', async () => {
    scene.card.trouble = () => {
      throw new Error('the answer is lost')
    }
    await scene.renew()
    await scene.charge()
    scene.card.trouble = undefined
    await scene.cancel()
    const order = await charge()
    await pollToEnd(order)
    expect([await scene.world.history(order.id), scene.card.payments.size]).toEqual([['cancelled'], 0])
    expect([await scene.balance(), await scene.purposes()]).toEqual([REST, []])
  })

  test('an unsent charge is sent once if a suspension is lifted in time', async () => {
    const order = await unsentCharge()
    await setStatus(scene, 'suspended')
    await refreshOrder(scene.parts, order.id, BY)
    expect([scene.card.charges.length, scene.card.payments.size]).toEqual([0, 0])
    await setStatus(scene, 'active')
    await pollToEnd(order)
    expect([await scene.months(), scene.card.payments.size, await scene.balance()]).toEqual([
      RENEWED,
      1,
      2 * REST,
    ])
    expect(await scene.purposes()).toEqual(['plan_renewed'])
  })

  test('a charge found after the days of grace becomes balance, because the plan has ended', async () => {
    const order = await lostCharge()
    scene.card.trouble = () => {
      throw new Error('connection refused')
    }
    for (let day = 0; day < 4; day++) {
      await scene.runMinute()
      scene.clock.now_ms += DAY_MS
    }
    scene.card.trouble = undefined
    await pollToEnd(order)
    expect([await scene.months(), await scene.balance()]).toEqual([ENDED, REST + CREDIT])
    expect(await scene.purposes()).toEqual(['plan_ended', 'plan_not_begun'])
    expect(scene.card.payments.size).toBe(1)
  })

  test('a charge that pays a debt opened since leaves the month waiting, and the card is charged once', async () => {
    const order = await lostCharge()
    await scene.world.ledger.submit(openDebt(USD, 1, 'owed'))
    await pollToEnd(order)
    expect([(await scene.months()).at(-1), await scene.balance()]).toEqual([
      'pro open 12-15..01-15',
      9 * USD + 2 * REST,
    ])
    expect([scene.card.payments.size, await scene.purposes()]).toEqual([1, ['plan_not_begun']])
  })
})
