// One race for an order: webhooks, polls, pages, cancellations, refunds and disputes at once, at two gateways, of which one may die at a point.
import { expect } from 'bun:test'
import { cancelOrder } from '../../plugins/payments/ordering.ts'
import type { PaymentParts } from '../../plugins/payments/parts.ts'
import { refreshOrder } from '../../plugins/payments/refreshing.ts'
import { beginRefund, debitRefund, requestRefund } from '../../plugins/payments/refunding.ts'
import type { Order } from '../../plugins/payments/tables.ts'
import { GatewayError } from '../../src/domain/errors.ts'
import type { RandomNumbers } from '../providers/random-numbers.ts'
import { commandOf } from '../support/programs.ts'
import type { FakeProvider } from './fake-provider.ts'
import { type Death, Killed, mortal } from './mortal.ts'
import type { World } from './world.ts'

const ACTS = [
  'webhook',
  'webhook',
  'page',
  'poll',
  'poll',
  'cancel',
  'pay',
  'refund',
  'refund',
  'give_back',
  'dispute',
] as const
type Act = (typeof ACTS)[number]

/** The outcomes of the acts, for the figures. */
interface Figures {
  races: number
  deaths: number
  acts: Record<string, number>
  ends: Record<string, number>
}

export const noFigures = (): Figures => ({ races: 0, deaths: 0, acts: {}, ends: {} })
const count = (of: Record<string, number>, name: string) => {
  of[name] = (of[name] ?? 0) + 1
}

/** Failures by a concurrent change or by the provider's trouble; any other fails the race. */
const isExpected = (thrown: unknown): boolean =>
  thrown instanceof GatewayError || thrown instanceof Killed || String(thrown).includes('the answer is lost')

export const pickOf =
  (random: RandomNumbers) =>
  <T>(from: readonly T[]): T =>
    from[Math.floor(random() * from.length)] as T

/** The means and the subject of a race. */
export interface Contest {
  world: World
  /** Two gateways over the same rows. */
  gateways: readonly PaymentParts[]
  random: RandomNumbers
  figures: Figures
  /** The order as it is when an act starts; undefined before it is made. */
  order: () => Promise<Order | undefined>
  /** Acts besides those on the order. */
  others?: Readonly<Record<string, (parts: PaymentParts) => Promise<unknown>>>
  /** Refunds may end the plan that the order paid for. */
  ends_plan?: boolean
}

/** A race for a top-up. */
export async function race(
  world: World,
  gateways: readonly PaymentParts[],
  random: RandomNumbers,
  figures: Figures,
): Promise<Order> {
  const pick = pickOf(random)
  const { fake } = world
  const { id, reference } = await world.startOrder({
    account_id: pick([1, 2]),
    currency: pick(['EUR', 'USD', 'JPY']),
    amount_minor: pick([1, 3, 7, 999, 2_500, 12_345]),
  })
  const is_paid_first = random() < 0.7
  if (is_paid_first) fake.pay(reference)
  if (is_paid_first && random() < 0.5) await refreshOrder(world.parts, id, { source: 'page' })
  await actAtOnce({ world, gateways, random, figures, order: () => world.order(id) })
  return await world.order(id)
}

/** Runs some acts at once, at two gateways, of which one may die. */
export async function actAtOnce({ gateways, random, figures, ...contest }: Contest): Promise<void> {
  const pick = pickOf(random)
  const death: Death | undefined =
    random() < 0.6 ? { at: 1 + Math.floor(random() * 9), when: pick(['before', 'after']) } : undefined
  const one = mortal(gateways[0] as PaymentParts, death)
  const sides = [one.parts, gateways[1] as PaymentParts]
  const { others = {} } = contest
  const acts = [...ACTS, ...Object.keys(others).flatMap((name) => [name, name])]
  // Chosen before anything runs at once, so that a seed always chooses the same.
  const planned = Array.from({ length: 3 + Math.floor(random() * 6) }, () => ({
    act: pick(acts),
    parts: pick(sides),
    wait_ms: Math.floor(random() * 6),
    /** The share of the amount; 2 is a minor unit more than the amount. */
    part: pick([0, 0.5, 1, 2]),
    all: random() < 0.3,
    into_debt: random() < 0.7,
    end_plan: contest.ends_plan === true && random() < 0.5,
    dispute: pick(['open', 'won', 'lost'] as const),
    state: pick(['done', 'done', 'pending'] as const),
  }))
  await Promise.all(
    planned.map(async ({ wait_ms, ...how }) => {
      await Bun.sleep(wait_ms)
      count(figures.acts, how.act)
      try {
        const other = others[how.act]
        const order = other ? undefined : await contest.order()
        if (other) await other(how.parts)
        else if (order) await carryOut(contest.world, order, how as How)
      } catch (thrown) {
        if (!isExpected(thrown)) throw thrown
      }
    }),
  )
  figures.races += 1
  if (one.isDead()) figures.deaths += 1
}

interface How {
  act: Act
  parts: PaymentParts
  part: number
  all: boolean
  into_debt: boolean
  end_plan: boolean
  dispute: 'open' | 'won' | 'lost'
  state: 'done' | 'pending'
}

/** The fake provider of an order, and its payment there, even if the order has no reference to it. */
function findAtProvider({ parts }: World, { id, provider }: Order) {
  const fake = parts.providers().find(({ name }) => name === provider) as FakeProvider
  const reference = `${provider}-${id}`
  return { fake, reference, payment: fake.payments.get(reference) }
}

async function carryOut(world: World, order: Order, how: How): Promise<void> {
  const { id, amount_minor } = order
  const { act, parts, end_plan } = how
  const { fake, payment, reference } = findAtProvider(world, order)
  const part_minor = how.part === 2 ? amount_minor + 1 : Math.max(1, Math.ceil(amount_minor * how.part))
  switch (act) {
    case 'webhook':
    case 'page':
      await refreshOrder(parts, id, { source: act })
      return
    case 'poll':
      await world.poll(parts)
      return
    case 'cancel':
      await cancelOrder(parts, id, { source: 'page' })
      return
    case 'pay':
      if (payment?.state === 'open') fake.pay(reference)
      return
    case 'refund': {
      const refund = await beginRefund(parts, {
        order_id: id,
        amount_minor: how.all ? null : part_minor,
        into_debt: how.into_debt,
        reason: 'race',
        end_plan,
      })
      await debitRefund(parts, refund, { source: 'operator' })
      await requestRefund(parts, refund.id, { source: 'operator' })
      return
    }
    case 'give_back':
      // A provider refunds no more than it received.
      if (payment?.state === 'paid' && fake.refundedMinor(reference) + part_minor <= amount_minor)
        fake.refundAtProvider(reference, part_minor, how.state)
      return
    case 'dispute':
      if (payment?.state === 'paid') payment.dispute = how.dispute
  }
}

/** Decides the rest: the provider ends everything, and the surviving gateway works until nothing is due. */
export async function settleAll(
  world: World,
  /** A round of the surviving gateway's work. */
  work: () => Promise<unknown> = () => world.poll(),
): Promise<void> {
  for (const provider of world.parts.providers() as FakeProvider[])
    for (const payment of provider.payments.values()) {
      for (const refund of payment.refunds)
        if (refund.state === 'pending') refund.state = refund.amount_minor % 2 ? 'done' : 'failed'
      if (payment.dispute === 'open') payment.dispute = 'won'
      if (payment.state === 'pending') payment.state = (payment.order_id ?? 0) % 3 ? 'paid' : 'failed'
    }
  // Without webhooks, a paid order is looked up after a day, and one with a pending refund after an hour.
  for (const hours of [1, 25, 2, 2]) {
    world.clock.now_ms += hours * 3_600_000
    await work()
  }
}

/** The faults of an order once all is decided: the provider's amounts against those credited and taken. */
export async function faultsOf(world: World, id: number, figures: Figures): Promise<string[]> {
  const faults: string[] = []
  const order = await world.order(id)
  const { fake, payment, reference } = findAtProvider(world, order)
  const was_paid = payment?.state === 'paid'
  count(figures.ends, order.kind === 'top_up' ? order.state : `${order.kind} ${order.state}`)
  const is_unpaid = ['open', 'expired', 'cancelled'].includes(order.state)
  if (was_paid === is_unpaid) faults.push(`order ${id} is ${order.state}, and its payment ${payment?.state}`)
  const refunds = await world.db.rows<{ state: string; amount_minor: number }>(
    'SELECT state, amount_minor FROM order_refunds WHERE order_id = $id',
    { id },
  )
  const undecided = refunds.filter(({ state }) => state === 'begun' || state === 'debited')
  if (undecided.length > 0)
    faults.push(`order ${id} has refunds that are ${undecided.map(({ state }) => state)}`)
  const done = refunds
    .filter(({ state }) => state === 'done')
    .reduce((sum, one) => sum + Number(one.amount_minor), 0)
  const refunded = payment ? fake.refundedMinor(reference) : 0
  // After a lost dispute nothing is taken again, and an amount that cannot be taken is reported.
  if (done !== refunded && order.state !== 'lost' && order.trouble === null)
    faults.push(`order ${id}: the provider gave back ${refunded}, the gateway knows of ${done}`)
  if (refunded > order.amount_minor)
    faults.push(`order ${id}: ${refunded} of ${order.amount_minor} was given back`)
  return faults
}

/** Runs killed-process.ts, a gateway that kills itself. @param args its arguments */
export async function runKilledProcess(...args: readonly (string | number)[]): Promise<void> {
  const killed = Bun.spawn([...commandOf('killed-payment'), ...args.map(String)], { stderr: 'pipe' })
  await killed.exited
  expect({ signal: killed.signalCode, stderr: await new Response(killed.stderr).text() }).toEqual({
    signal: 'SIGKILL',
    stderr: '',
  })
}
