// A gateway that dies before and after each of its steps: another one brings the order to the same end, and moves no money twice.
import { describe, expect, test } from 'bun:test'
import type { PaymentParts } from '../../plugins/payments/parts.ts'
import { refreshOrder } from '../../plugins/payments/refreshing.ts'
import { beginRefund, debitRefund, requestRefund } from '../../plugins/payments/refunding.ts'
import type { OrderState } from '../../plugins/payments/tables.ts'
import { sample } from '../support/long.ts'
import { type Death, Killed, mortal } from './mortal.ts'
import { settleAll } from './races.ts'
import { CREDIT, ENGINES, openWorld, type World } from './world.ts'

const HOOK = { source: 'webhook' } as const
type StartedOrder = Awaited<ReturnType<World['startOrder']>>

interface Story {
  name: string
  /** Done by a surviving gateway before the other one acts and dies. */
  before?(world: World, order: StartedOrder): Promise<void> | void
  act(parts: PaymentParts, order: StartedOrder): Promise<unknown>
  /** The final state, and the part of the order's credit that is left. */
  end: OrderState
  left: number
  /** The final state after a death before the first write: nothing was requested. */
  none?: OrderState
}

const pay = async (world: World, { id, reference }: StartedOrder) => {
  world.fake.pay(reference)
  await refreshOrder(world.parts, id, HOOK)
}
const refund = async (parts: PaymentParts, { id: order_id }: StartedOrder, amount_minor: number | null) => {
  const started = await beginRefund(parts, { order_id, amount_minor, into_debt: false, reason: '' })
  await debitRefund(parts, started, HOOK)
  await requestRefund(parts, started.id, HOOK)
}
const look = (parts: PaymentParts, { id }: StartedOrder) => refreshOrder(parts, id, HOOK)

const STORIES: Story[] = [
  {
    name: 'a credit',
    before: (world, { reference }) => void world.fake.pay(reference),
    act: look,
    end: 'paid',
    left: CREDIT,
  },
  {
    name: 'a payment of a wrong amount',
    before: (world, { reference }) => void world.fake.pay(reference, { amount_minor: 1 }),
    act: look,
    end: 'expired',
    left: 0,
  },
  {
    name: 'a full refund',
    before: pay,
    act: (parts, order) => refund(parts, order, null),
    end: 'refunded',
    left: 0,
    none: 'paid',
  },
  {
    name: 'a partial refund',
    before: pay,
    act: (parts, order) => refund(parts, order, 1_000),
    end: 'partly_refunded',
    left: CREDIT - 10_800_000_000,
    none: 'paid',
  },
  {
    name: 'a refund that the provider refuses',
    async before(world, order) {
      await pay(world, order)
      world.fake.refunding = 'failed'
    },
    act: (parts, order) => refund(parts, order, 1_000),
    end: 'refund_failed',
    left: CREDIT,
    none: 'paid',
  },
  {
    name: 'a refund whose answer is lost, at a provider that forgets keys',
    async before(world, order) {
      await pay(world, order)
      Object.assign(world.fake, { loses_answers: true, forgets_keys: true })
    },
    act: (parts, order) => refund(parts, order, 1_000),
    end: 'partly_refunded',
    left: CREDIT - 10_800_000_000,
    none: 'paid',
  },
  {
    name: 'a refund that was made at the provider',
    async before(world, order) {
      await pay(world, order)
      world.fake.refundAtProvider(order.reference, 2_500)
    },
    act: look,
    end: 'refunded',
    left: 0,
  },
  {
    name: 'a pending refund made at the provider, beside one of the same amount requested here',
    async before(world, order) {
      await pay(world, order)
      world.fake.refundAtProvider(order.reference, 999, 'pending')
      await refund(world.parts, order, 999)
    },
    act: look,
    end: 'partly_refunded',
    left: CREDIT - 2 * 10_789_200_000,
  },
  {
    name: 'a refund that fails after it was done',
    async before(world, order) {
      await pay(world, order)
      await refund(world.parts, order, null)
      const [provider_refund] = world.fake.payments.get(order.reference)?.refunds ?? []
      if (provider_refund) provider_refund.state = 'failed'
    },
    act: look,
    end: 'refund_failed',
    left: CREDIT,
  },
  {
    name: 'a lost dispute',
    async before(world, order) {
      await pay(world, order)
      world.fake.pay(order.reference, { dispute: 'lost' })
    },
    act: look,
    end: 'lost',
    left: 0,
  },
  {
    name: 'a lost dispute after a partial refund',
    async before(world, order) {
      await pay(world, order)
      await refund(world.parts, order, 777)
      world.fake.pay(order.reference, { dispute: 'lost' })
    },
    act: look,
    end: 'lost',
    left: 0,
  },
  {
    name: 'a payment, a partial refund and a lost dispute at once',
    before(world, { reference }) {
      world.fake.pay(reference, { dispute: 'lost' })
      world.fake.refundAtProvider(reference, 333)
    },
    act: look,
    end: 'lost',
    left: 0,
  },
]

describe.each(ENGINES)('on %s', (engine, make) => {
  // Both engines have the same rows; PostgreSQL takes five times as long.
  test.each(engine === 'SQLite' ? STORIES : sample(STORIES, 2))(
    '$name',
    async ({ before, act, end, left, none }) => {
      await using world = await openWorld(make)
      const other = await world.another()
      for (let at = 1; ; at++)
        for (const when of ['before', 'after'] as const) {
          const death: Death = { at, when }
          Object.assign(world.fake, { refunding: 'done', loses_answers: false, forgets_keys: false })
          const order = await world.startOrder()
          const had = await world.money()
          await before?.(world, order)
          const one = mortal(other, death)
          const thrown: unknown = await act(one.parts, order).catch((failure: unknown) => failure)
          if (!one.isDead()) {
            // It needed fewer steps: a death at each of them was tried.
            expect(at).toBeGreaterThan(2)
            expect(await world.broken()).toEqual([])
            return
          }
          const is_known = thrown instanceof Killed || String(thrown).includes('the answer is lost')
          expect({ death, thrown, is_known }).toMatchObject({ is_known: true })
          await settleAll(world)
          const ended = await world.order(order.id)
          const is_none = none !== undefined && at === 1 && when === 'before'
          const money = await world.money()
          expect({ death, did: one.did, state: ended.state, left: money.balance - had.balance }).toEqual({
            death,
            did: one.did,
            state: is_none ? none : end,
            left: is_none ? CREDIT : left,
          })
          expect(money.debt).toBe(0)
          const refunds =
            world.fake.payments.get(order.reference)?.refunds.filter(({ state }) => state === 'done') ?? []
          const known = refunds.reduce((sum, { amount_minor }) => sum + amount_minor, 0)
          // After a lost dispute nothing is taken for refunds.
          if (end !== 'lost') expect({ death, known: ended.refunded_minor }).toEqual({ death, known })
        }
    },
  )
})
