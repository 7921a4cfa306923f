// A gateway that dies at each of its steps, before it and after it: another one brings the order to the same end, and nothing is moved twice.
import { describe, expect, test } from 'bun:test'
import type { PaymentParts } from '../../plugins/payments/parts.ts'
import { refreshOrder } from '../../plugins/payments/refreshing.ts'
import { beginRefund, debitRefund, requestRefund } from '../../plugins/payments/refunding.ts'
import type { OrderState } from '../../plugins/payments/tables.ts'
import { cellsOf } from '../support/long.ts'
import { type Death, Killed, mortal } from './mortal.ts'
import { settleAll } from './races.ts'
import { CREDIT, ENGINES, openWorld, type World } from './world.ts'

const HOOK = { source: 'webhook' } as const
type Begun = Awaited<ReturnType<World['begun']>>

interface Story {
  name: string
  /** Before the gateway that dies: by one that lives. */
  before?(world: World, order: Begun): Promise<void> | void
  act(parts: PaymentParts, order: Begun): Promise<unknown>
  /** The end, and the rest of the credit of the order. */
  end: OrderState
  left: number
  /** The end after a death before the first write: nothing was requested. */
  none?: OrderState
}

const pay = async (world: World, { id, reference }: Begun) => {
  world.fake.pay(reference)
  await refreshOrder(world.parts, id, HOOK)
}
const refund = async (parts: PaymentParts, { id: order_id }: Begun, amount_minor: number | null) => {
  const begun = await beginRefund(parts, { order_id, amount_minor, into_debt: false, reason: '' })
  await debitRefund(parts, begun, HOOK)
  await requestRefund(parts, begun.id, HOOK)
}
const look = (parts: PaymentParts, { id }: Begun) => refreshOrder(parts, id, HOOK)

const STORIES: Story[] = [
  {
    name: 'a credit',
    before: (world, { reference }) => void world.fake.pay(reference),
    act: look,
    end: 'paid',
    left: CREDIT,
  },
  {
    name: 'a payment that does not fit',
    before: (world, { reference }) => void world.fake.pay(reference, { amount_minor: 1 }),
    act: look,
    end: 'expired',
    left: 0,
  },
  {
    name: 'a refund of all',
    before: pay,
    act: (parts, order) => refund(parts, order, null),
    end: 'refunded',
    left: 0,
    none: 'paid',
  },
  {
    name: 'a refund of a part',
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
      world.fake.giveBack(order.reference, 2_500)
    },
    act: look,
    end: 'refunded',
    left: 0,
  },
  {
    name: 'one that was made there and is on its way, with another of the same amount asked for here',
    async before(world, order) {
      await pay(world, order)
      world.fake.giveBack(order.reference, 999, 'pending')
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
      const [made] = world.fake.payments.get(order.reference)?.refunds ?? []
      if (made) made.state = 'failed'
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
    name: 'a lost dispute after a refund of a part',
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
    name: 'all at once: paid, given back in part, and lost',
    before(world, { reference }) {
      world.fake.pay(reference, { dispute: 'lost' })
      world.fake.giveBack(reference, 333)
    },
    act: look,
    end: 'lost',
    left: 0,
  },
]

describe.each(ENGINES)('on %s', (engine, make) => {
  // The rows are the same on both; a server takes five times as long.
  test.each(engine === 'SQLite' ? STORIES : cellsOf(STORIES, 2))(
    '$name',
    async ({ before, act, end, left, none }) => {
      await using world = await openWorld(make)
      const other = await world.another()
      for (let at = 1; ; at++)
        for (const when of ['before', 'after'] as const) {
          const death: Death = { at, when }
          Object.assign(world.fake, { refunding: 'done', loses_answers: false, forgets_keys: false })
          const order = await world.begun()
          const had = await world.money()
          await before?.(world, order)
          const one = mortal(other, death)
          const thrown: unknown = await act(one.parts, order).catch((failure: unknown) => failure)
          if (!one.isDead()) {
            // It took as many steps as it takes; all of them were tried.
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
          expect(await world.broken()).toEqual([])
          const refunds =
            world.fake.payments.get(order.reference)?.refunds.filter(({ state }) => state === 'done') ?? []
          const known = refunds.reduce((sum, { amount_minor }) => sum + amount_minor, 0)
          // After a lost dispute nothing is taken for refunds.
          if (end !== 'lost') expect({ death, known: ended.refunded_minor }).toEqual({ death, known })
        }
    },
  )
})
