// An account with plans and a saved card: 10 USD a month for Pro, 30 for Max, paid through a fake provider, on a database of either engine.
import { startPayment } from '../../../plugins/payments/ordering.ts'
import type { PaymentParts } from '../../../plugins/payments/parts.ts'
import {
  orderPlanByPayment,
  type PlanOrderParts,
  type PlanRequest,
} from '../../../plugins/payments/plans/ordering.ts'
import { processOpenPeriods, type RenewingParts } from '../../../plugins/payments/plans/renewing.ts'
import { createPoller } from '../../../plugins/payments/poller.ts'
import { refreshOrder } from '../../../plugins/payments/refreshing.ts'
import type { Order } from '../../../plugins/payments/tables.ts'
import { buyPlan } from '../../../plugins/plans/buying.ts'
import { cancelPlan } from '../../../plugins/plans/cancelling.ts'
import { chooseCard } from '../../../plugins/plans/index.ts'
import { renewPlans } from '../../../plugins/plans/renewing.ts'
import type { Plan } from '../../../plugins/plans/settings.ts'
import { periodsOf } from '../../../plugins/plans/store.ts'
import type { PlanPeriod } from '../../../plugins/plans/tables.ts'
import type { Catalogue } from '../../../src/domain/catalogue.ts'
import type { Tx } from '../../../src/store/db.ts'
import { USD, PRO as WHOLE_PRO } from '../../plans/scene.ts'
import { type FakeCard, fakeCard } from '../automatic/scene.ts'
import { type ENGINES, openWorld, SETTINGS, type World } from '../world.ts'

export { USD }

export const PRO: Plan = { ...WHOLE_PRO, price_nanos: 10 * USD }
const MAX: Plan = { ...PRO, name: 'max', title: 'Max', price_nanos: 30 * USD, limits: { month: 90 * USD } }
export const MINI: Plan = { ...PRO, name: 'mini', title: 'Mini', price_nanos: 2 * USD }

/** 9.26 EUR are 10.0008 USD, since amounts are whole cents. */
export const REST = 800_000

/** A statement that gives an account a mail address. */
export const addressText = (account_id: number): string =>
  `INSERT INTO account_details VALUES (${account_id}, ${account_id}, '', 'lena@example.com', '', 0, '')`

export type Scene = Awaited<ReturnType<typeof planPaymentScene>>

/** The plans that are offered in a world, and its gateways with these plans. */
export function offering(world: World) {
  const offered: Plan[] = [PRO, MAX, MINI]
  const catalogue = (): Pick<Catalogue, 'sections'> => ({
    sections: new Map<string, unknown>([
      ['plans', offered],
      ['mail', { sending: {} }],
    ]),
  })
  const as = (parts: PaymentParts): RenewingParts & PlanOrderParts => ({
    ...parts,
    catalogue,
    settings: () => SETTINGS,
  })
  const paying = (of: PaymentParts) => ({
    ...{ db: of.db, now: of.now, catalogue, withdraw: of.ledger.submit.bind(of.ledger) as never },
  })
  const parts = as(world.parts)
  return {
    ...{ world, offered, as, parts },
    /** Renews the months that are over. */
    renew: (of: PaymentParts = parts) => renewPlans(paying(of)),
    /** Charges saved cards. */
    charge: (of: RenewingParts = parts) => processOpenPeriods(of),
    /** Buys a plan from the balance. */
    buy: (plan: string, account_id: number) =>
      buyPlan(paying(parts), offered, { account_id, plan, by: undefined }),
  }
}

/** An account that orders, cancels and renews plans. */
export function planPayer({ world, parts, buy }: ReturnType<typeof offering>, account_id: number) {
  const { db, clock, ledger } = world
  const inAccount = <T>(work: (tx: Tx) => Promise<T>) =>
    db.begin(async (tx) => {
      await tx.lock(account_id)
      return await work(tx)
    })
  const payer = {
    inAccount,
    /** Orders a plan to be paid on a page, and starts the payment. */
    async orderPlan(plan = 'pro', wanted: Partial<PlanRequest> = {}): Promise<Order & { reference: string }> {
      const { id } = await db.begin((tx) =>
        orderPlanByPayment(tx, parts, {
          ...{ account_id, person_id: undefined, plan, quote: undefined, request_key: undefined },
          ...{ method: 'fake', currency: 'EUR', ...wanted },
        }),
      )
      const { reference } = await startPayment(parts, id)
      return { ...(await world.order(id)), reference }
    },
    async pay({ id, reference }: { id: number; reference: string }) {
      world.fake.pay(reference)
      await refreshOrder(parts, id, { source: 'webhook' })
    },
    async buyByPayment(plan = 'pro') {
      const order = await payer.orderPlan(plan)
      await payer.pay(order)
      return order
    },
    buyFromBalance: (plan: string) => buy(plan, account_id),
    cancel: () => inAccount((tx) => cancelPlan(tx, account_id, clock.now_ms)),
    renewByCard: (card: { method: string; currency: string } | null = { method: 'card', currency: 'EUR' }) =>
      inAccount((tx) => chooseCard(tx, account_id, card)),
    async add(amount_nanos: number) {
      const request_key = crypto.randomUUID()
      await ledger.submit({
        ...{ op: 'top_up', account_id, amount_nanos, note: '', now_ms: clock.now_ms, request_key },
      } as never)
    },
    /** The oldest first: `pro active 11-15..12-15`. */
    async months(): Promise<string[]> {
      const day = (ms: number) => new Date(ms).toISOString().slice(5, 10)
      const all: PlanPeriod[] = await periodsOf(db, account_id)
      return all
        .map(({ plan, state, starts_ms, ends_ms }) => `${plan} ${state} ${day(starts_ms)}..${day(ends_ms)}`)
        .reverse()
    },
  }
  return payer
}

/** A plan with a saved card, whose month is over. */
export async function duePlanScene(make: Parameters<typeof planPaymentScene>[0]) {
  const scene = await planPaymentScene(make)
  await scene.buyByPayment()
  await scene.renewByCard()
  scene.setTime('2026-12-15T10:30:00')
  return scene
}

export async function planPaymentScene(make: (typeof ENGINES)[number][1]) {
  const card: FakeCard = fakeCard()
  const world: World = await openWorld(make, [card])
  const { db, clock } = world
  clock.now_ms = Date.parse('2026-11-15T10:30:00Z')
  const run = (text: string) => db.write((within) => within.rows(text))
  await run(addressText(1))
  const gateways = offering(world)
  const { offered, as, parts, renew, charge } = gateways
  const scene = {
    ...planPayer(gateways, 1),
    ...{ world, card, parts, offered, clock, run, renew, charge },
    another: async () => as(await world.another()),
    /** Adds the plans to the parts of another gateway, such as one that dies. */
    as,
    /** The work of a gateway in a minute. */
    async runMinute(of: RenewingParts = parts) {
      await renew()
      await charge(of)
      await createPoller(of).pollDue()
      clock.now_ms += 60_000
    },
    setTime(iso: string) {
      clock.now_ms = Date.parse(`${iso}Z`)
    },
    /** The kinds of keys of all entries, such as `order plan`. */
    entryKinds: async () =>
      (await world.keys())
        .map((key) => key.replace(/:.*/, ''))
        .sort()
        .join(' '),
    balance: async () => (await world.money()).balance,
    orders: async () =>
      (await db.rows<Order>('SELECT * FROM orders ORDER BY id')).map(({ kind, state }) => `${kind} ${state}`),
    mails: async () =>
      (
        await db.rows<{ purpose: string; fields: string }>('SELECT purpose, fields FROM mails ORDER BY id')
      ).map(({ purpose, fields }) => [purpose, JSON.parse(fields)] as const),
    purposes: async () => (await scene.mails()).map(([purpose]) => purpose),
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  }
  return scene
}
