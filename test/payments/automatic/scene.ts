// An account with automatic top-up: 10 EUR where less than 5 USD is free, at most 30 EUR a month, by the saved card of a fake provider.
import { createTopUp, type TopUpParts } from '../../../plugins/payments/automatic/deciding.ts'
import { setAutomaticTopUp, type TopUpRequest } from '../../../plugins/payments/automatic/setting.ts'
import { automaticTopUpOf } from '../../../plugins/payments/automatic/store.ts'
import type { AutomaticTopUp } from '../../../plugins/payments/automatic/tables.ts'
import { createTopUpWorker, type TopUpWorker } from '../../../plugins/payments/automatic/worker.ts'
import type { PaymentParts } from '../../../plugins/payments/parts.ts'
import { createPoller } from '../../../plugins/payments/poller.ts'
import { refreshOrder } from '../../../plugins/payments/refreshing.ts'
import type { PaymentSettings } from '../../../plugins/payments/settings.ts'
import type { Order } from '../../../plugins/payments/tables.ts'
import { NANOS_PER_USD } from '../../../src/domain/money.ts'
import type { PaymentOrder, StartedPayment } from '../../../src/payment-api.ts'
import { type FakeProvider, fakeProvider } from '../fake-provider.ts'
import { type ENGINES, openWorld, SETTINGS, type World } from '../world.ts'

export const USD = NANOS_PER_USD

/** The bank's decision on a charge. `is_lost`: the charge is made, but its first answer is lost. */
export type CardAnswer = { refused: string } | { state: 'paid' | 'pending'; is_lost?: boolean }

export interface FakeCard extends FakeProvider {
  chargeSaved(order: PaymentOrder, may_begin: boolean): Promise<StartedPayment | { refused: string }>
  /** The orders for which a charge may have started, repeats included. */
  readonly charges: number[]
  /** While true, the card is charged, but the answer is lost. */
  loses_charges: boolean
  /** Why the bank refuses. */
  refuses: string | undefined
  /** Decides each charge by itself, instead of the two above. */
  decides: ((order: PaymentOrder) => CardAnswer) | undefined
}

/** Charges at once, and once for each order; a repeated request gets the same answer. */
export function fakeCard(): FakeCard {
  const provider = fakeProvider('card')
  const refusals = new Map<number, string>()
  const decide = (order: PaymentOrder): CardAnswer => {
    if (card.decides) return card.decides(order)
    return card.refuses === undefined ? { state: 'paid' } : { refused: card.refuses }
  }
  const card: FakeCard = Object.assign(provider, {
    charges: [] as number[],
    loses_charges: false,
    refuses: undefined as string | undefined,
    decides: undefined as FakeCard['decides'],
    async chargeSaved(order: PaymentOrder, may_begin: boolean) {
      await provider.trouble?.()
      if (may_begin) card.charges.push(order.id)
      const reference = `card-${order.id}`
      if (!provider.payments.has(reference)) {
        const before = refusals.get(order.id)
        if (before !== undefined) return { refused: before }
        if (!may_begin) return { refused: 'The payment could not be made in time.' }
        const answer = decide(order)
        if ('refused' in answer) {
          refusals.set(order.id, answer.refused)
          return answer
        }
        await provider.start(order)
        provider.pay(reference, { state: answer.state })
        if (answer.is_lost) throw new Error('the answer is lost')
      }
      if (card.loses_charges) throw new Error('the answer is lost')
      return { reference }
    },
  })
  return card
}

export interface TopUpScene extends AsyncDisposable {
  world: World
  card: FakeCard
  parts: PaymentParts & TopUpParts
  worker: TopUpWorker
  /** The same rows by another gateway. */
  another(): Promise<PaymentParts & TopUpParts>
  set(wanted?: Partial<TopUpRequest>): Promise<void>
  /** Withdraws or tops up until the balance is this amount. */
  setBalance(usd: number): Promise<void>
  /** Runs a gateway after a call, a second at a time. */
  runSeconds(count?: number): Promise<void>
  setting(): Promise<AutomaticTopUp>
  orders(): Promise<Order[]>
  balance(): Promise<number>
}

export async function topUpScene(make: (typeof ENGINES)[number][1]): Promise<TopUpScene> {
  const card = fakeCard()
  const world = await openWorld(make, [card])
  const whole = (parts: PaymentParts) => ({
    ...parts,
    settings: (): PaymentSettings => SETTINGS,
    catalogue: () => ({ sections: new Map() }) as never,
  })
  const parts = whole(world.parts)
  const worker = createTopUpWorker(parts)
  const poller = createPoller(world.parts)
  const { db, clock, ledger } = world
  const scene: TopUpScene = {
    world,
    card,
    parts,
    worker,
    another: async () => whole(await world.another()),
    set: (wanted = {}) =>
      db.begin((tx) =>
        setAutomaticTopUp(tx, parts, {
          account_id: 1,
          below_nanos: 5 * USD,
          method: 'card',
          currency: 'EUR',
          amount_minor: 1_000,
          month_limit_minor: 3_000,
          ...wanted,
        }),
      ),
    async setBalance(usd) {
      const amount_nanos = (await world.money()).balance - Math.round(usd * USD)
      const request_key = crypto.randomUUID()
      const about = { account_id: 1, note: '', now_ms: clock.now_ms, request_key }
      if (amount_nanos > 0) await ledger.submit({ op: 'withdraw', amount_nanos, ...about })
      else if (amount_nanos < 0) await ledger.submit({ op: 'top_up', amount_nanos: -amount_nanos, ...about })
    },
    async runSeconds(count = 2) {
      for (let second = 0; second < count; second += 1) {
        worker.spent(1)
        await worker.work()
        await poller.pollDue()
        clock.now_ms += 1_000
      }
    },
    async setting() {
      const setting = await automaticTopUpOf(db, 1)
      if (!setting) throw new Error('automatic top-up was never set')
      return setting
    },
    orders: async () => await db.rows<Order>("SELECT * FROM orders WHERE kind = 'automatic' ORDER BY id"),
    balance: async () => (await world.money()).balance / USD,
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  }
  return scene
}

/** One round of a gateway, for races: it makes the order that is due, and charges it. */
export async function topUpOnce(parts: PaymentParts & TopUpParts): Promise<void> {
  const order = await createTopUp(parts, 1)
  if (order) await refreshOrder(parts, order.id, { source: 'system' })
}
