// The scene of a year of plans: accounts on either engine, a bank that declines, answers late or not at all, and a simple model of each account.
import { startPayment } from '../../plugins/payments/ordering.ts'
import { orderPlanByPayment } from '../../plugins/payments/plans/ordering.ts'
import { refreshOrder } from '../../plugins/payments/refreshing.ts'
import type { Order } from '../../plugins/payments/tables.ts'
import { buyPlan } from '../../plugins/plans/buying.ts'
import { cancelPlan, keepPlan } from '../../plugins/plans/cancelling.ts'
import { chooseCard } from '../../plugins/plans/index.ts'
import type { PayingParts } from '../../plugins/plans/paying.ts'
import { renewPlans } from '../../plugins/plans/renewing.ts'
import type { PlanPeriod } from '../../plugins/plans/tables.ts'
import { GatewayError } from '../../src/domain/errors.ts'
import type { Ledger } from '../../src/money/ledger/operations.ts'
import type { Payment, PaymentOrder } from '../../src/payment-api.ts'
import type { Tx } from '../../src/store/db.ts'
import { openDatabase } from '../../src/store/engines/sqlite/open.ts'
import { accountText, inOne, keyText } from '../money/ledger/postgres-world.ts'
import type { Random } from '../money/ledger/random.ts'
import { addAccount, topUp } from '../money/ledger/world.ts'
import { type CardAnswer, fakeCard } from '../payments/automatic/scene.ts'
import type { FakeProvider } from '../payments/fake-provider.ts'
import { addressText, offering } from '../payments/plans/scene.ts'
import { type ENGINES, openWorld, type World } from '../payments/world.ts'
import { MAX, MINI, PRO, USD } from './scene.ts'
import { createSubscriber, type Subscriber } from './year-model.ts'

/** Above the accounts that the world starts with. */
const FIRST_ACCOUNT = 12
/** An account that keeps its first plan all year, by a card whose charges succeed in the end. */
export const STEADY = FIRST_ACCOUNT

/** Half of the accounts: they never add funds, and let the card pay. */
export const paysByCard = (id: number): boolean => id % 2 === 0

const DECLINED = 'The saved card was declined: Your card was declined.'
const ASKING = 'Your bank asks you to confirm the payment. Add funds once by hand, or save another card.'
const PAID: CardAnswer = { state: 'paid' }
const LATE: CardAnswer = { state: 'paid', is_lost: true }
const ANSWERS: [CardAnswer, ...CardAnswer[]] = [
  PAID,
  PAID,
  PAID,
  LATE,
  { state: 'pending' },
  { state: 'pending', is_lost: true },
  { refused: DECLINED },
  { refused: ASKING },
]
/** The repeated answers for the steady account: six charges pay for four months. */
const STEADILY: readonly CardAnswer[] = [PAID, { refused: DECLINED }, PAID, LATE, { refused: ASKING }, PAID]
const PLANS = ['pro', 'max', 'mini'] as const

export type Year = Awaited<ReturnType<typeof yearOf>>

export async function yearOf(
  make: (typeof ENGINES)[number][1],
  { random, accounts, begins_ms }: { random: Random; accounts: number; begins_ms: number },
) {
  const card = fakeCard()
  const world = await openWorld(make, [card])
  const { db, clock, fake } = world
  clock.now_ms = begins_ms
  const offers = offering(world)
  offers.offered.splice(0, offers.offered.length, PRO, MAX, MINI)
  const ids = Array.from({ length: accounts }, (_, at) => FIRST_ACCOUNT + at)
  const subscribers = new Map<number, Subscriber>()
  await addAccounts(world, ids)
  for (const id of ids) {
    const balance = (paysByCard(id) ? 5 : 60) * USD
    await world.ledger.submit(topUp(balance, id))
    subscribers.set(id, createSubscriber(offers.offered, balance))
  }
  const subscriberOf = (id: number) => subscribers.get(id) as Subscriber
  /** The accounts whose cards are charged in this round. */
  let charged: number[] = []
  /** The charges of the steady account. */
  let steady = 0
  card.decides = ({ id, account_id }) => {
    const answer =
      account_id === STEADY ? (STEADILY[steady++ % STEADILY.length] ?? PAID) : random.pick(ANSWERS)
    charged.push(account_id)
    subscriberOf(account_id).recordCharge(id, 'refused' in answer, clock.now_ms)
    return answer
  }
  watchLookups(fake, recordPayment)
  watchLookups(card, recordPayment)
  function recordPayment(
    { id, account_id, expires_at_ms }: PaymentOrder,
    { state, amount_minor }: Payment,
  ): void {
    const is_over = clock.now_ms >= expires_at_ms
    subscriberOf(account_id).recordPayment(id, { state, amount_minor, is_over }, clock.now_ms)
  }

  const paying: PayingParts & { catalogue: typeof offers.parts.catalogue } = {
    ...{ db, now: () => clock.now_ms, catalogue: offers.parts.catalogue },
    withdraw: (operation) => (world.ledger as Ledger).submit(operation),
  }
  /** Parts whose withdrawals fail, as with a full disk. */
  const failing = { ...paying, withdraw: () => Promise.reject(new Error('the disk is full')) }
  const payingOf = (is_failing: boolean) => (is_failing ? failing : paying)
  const inAccount = <T>(id: number, work: (tx: Tx) => Promise<T>) =>
    db.begin(async (tx) => {
      await tx.lock(id)
      return await work(tx)
    })
  const year = {
    ...{ world, ids, subscriberOf },
    steadyCharges: () => steady,
    /** Buys a plan from the balance. */
    async buy(id: number, is_failing: boolean) {
      const plan = random.pick(PLANS)
      const is_bought = subscriberOf(id).buy(plan, clock.now_ms, is_failing)
      const bought = { account_id: id, plan, by: undefined }
      const is_so = await attempt(buyPlan(payingOf(is_failing), offers.offered, bought))
      return { is_bought, is_so: is_so ?? is_bought }
    },
    /** Orders a plan that is paid on a page: at once, days later, or never. */
    async order(id: number, plan: (typeof PLANS)[number] = random.pick(PLANS), is_paid = random.chance(0.7)) {
      const note = subscriberOf(id).order(plan, clock.now_ms)
      const wanted = { account_id: id, person_id: undefined, plan, quote: undefined, request_key: undefined }
      const paid = { method: 'fake', currency: 'EUR' }
      let order: Order | undefined
      await attempt(
        db.begin(async (tx) => {
          order = await orderPlanByPayment(tx, offers.parts, { ...wanted, ...paid })
        }),
      )
      if ((order !== undefined) !== (note !== undefined))
        throw new Error(
          `account ${id} ordered ${plan}: ${order !== undefined}, expected: ${note !== undefined}`,
        )
      if (!order) return
      note?.(order.id)
      const { reference } = await startPayment(offers.parts, order.id)
      if (is_paid) await year.payOn(order.id, reference)
    },
    /** Pays on a page, and delivers the webhook. */
    async payOn(order_id: number, reference: string) {
      fake.pay(reference)
      await refreshOrder(offers.parts, order_id, { source: 'webhook' })
    },
    async cancel(id: number) {
      subscriberOf(id).cancel(clock.now_ms)
      await attempt(inAccount(id, (tx) => cancelPlan(tx, id, clock.now_ms)))
    },
    async keep(id: number) {
      subscriberOf(id).keep(clock.now_ms)
      await attempt(inAccount(id, (tx) => keepPlan(tx, id, clock.now_ms)))
    },
    async choose(id: number, has_card: boolean) {
      const active = subscriberOf(id).inState('active')
      if (!active) return
      active.has_card = has_card
      await inAccount(id, (tx) => chooseCard(tx, id, has_card ? { method: 'card', currency: 'EUR' } : null))
    },
    async suspend(id: number, is_suspended: boolean) {
      subscriberOf(id).account.is_suspended = is_suspended
      const status = is_suspended ? 'suspended' : 'active'
      await db.write((within) => within.rows(`UPDATE accounts SET status = '${status}' WHERE id = ${id}`))
    },
    async add(id: number, nanos: number) {
      subscriberOf(id).account.balance += nanos
      await world.ledger.submit(topUp(nanos, id))
    },
    /** A round of a gateway: renews months, charges cards, looks up payments that are due. @returns the accounts that differ */
    async work(is_failing: boolean): Promise<string[]> {
      const { now_ms } = clock
      for (const id of ids) subscriberOf(id).renew(now_ms, is_failing)
      await renewPlans(payingOf(is_failing)).catch((thrown) => {
        if (!is_failing) throw thrown
      })
      charged = []
      const expected = ids.filter((id) => subscriberOf(id).isCharged(now_ms))
      await offers.charge()
      const differ =
        `${charged.toSorted()}` === `${expected.toSorted()}`
          ? []
          : [`charged: ${charged}, expected: ${expected}`]
      for (const payment of card.payments.values())
        if (payment.state === 'pending' && random.chance(0.1))
          payment.state = random.chance(0.8) ? 'paid' : 'failed'
      for (const [reference, payment] of fake.payments)
        if (payment.state === 'open' && random.chance(0.02))
          await year.payOn(payment.order_id ?? 0, reference)
      await world.poll(offers.parts)
      return differ
    },
    /** The balance of an account, and the used part of its plan's limits. */
    async moneyOf(id: number): Promise<{ balance: number; used: number }> {
      const [found] = await db.rows<{ balance: number; used: number }>(
        `SELECT balance_nanos AS balance, CAST((SELECT coalesce(sum(used_nanos), 0) FROM budgets
          WHERE account_id = accounts.id AND plan_period_id IS NOT NULL) AS BIGINT) AS used FROM accounts WHERE id = ${id}`,
      )
      return { balance: Number(found?.balance), used: Number(found?.used) }
    },
    found: () => Promise.all(ids.map((id) => foundOf(world, id))),
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  }
  return year
}

/** An account as its rows have it. */
async function foundOf({ db }: World, id: number) {
  const [account] = await db.rows<{ balance: number; covered: number; spent: number }>(
    `SELECT balance_nanos - debt_nanos AS balance,
      CAST((SELECT coalesce(sum(covered_nanos), 0) FROM calls WHERE account_id = accounts.id) AS BIGINT) AS covered,
      CAST((SELECT coalesce(sum(cost_nanos), 0) FROM calls WHERE account_id = accounts.id) AS BIGINT) AS spent
      FROM accounts WHERE id = ${id}`,
  )
  const entries = await db.rows<{ request_key: string; amount_nanos: number }>(
    `SELECT request_key, amount_nanos FROM entries WHERE account_id = ${id} AND request_key LIKE 'plan:%'`,
  )
  const paidFor = (month: number) =>
    entries
      .filter(({ request_key }) => request_key === `plan:${month}`)
      .reduce((sum, { amount_nanos }) => sum - Number(amount_nanos), 0)
  const months = await db.rows<PlanPeriod>(`SELECT * FROM plan_periods WHERE account_id = ${id} ORDER BY id`)
  const mails = await db.rows<{ request_key: string }>(
    `SELECT request_key FROM mails WHERE purpose = 'plan_not_begun' AND account_id = ${id}`,
  )
  return {
    id,
    balance: Number(account?.balance),
    spent: Number(account?.spent),
    covered: Number(account?.covered),
    not_begun: mails
      .map(({ request_key }) => Number(request_key.replace('plan_not_begun:', '')))
      .toSorted((one, other) => one - other),
    months: months.map(({ id, plan, state, starts_ms, ends_ms, due_nanos }) => ({
      ...{ plan, state, starts_ms: Number(starts_ms), ends_ms: Number(ends_ms), due: Number(due_nanos) },
      paid: paidFor(Number(id)),
    })),
  }
}

/** Passes on each report of a provider on a payment. */
function watchLookups(
  provider: FakeProvider,
  recordPayment: (order: PaymentOrder, payment: Payment) => void,
): void {
  const { look } = provider
  provider.look = async (reference, order) => {
    const payment = await look(reference, order)
    recordPayment(order, payment)
    return payment
  }
}

/** @returns false if the work was refused */
async function attempt(work: Promise<unknown>): Promise<boolean> {
  try {
    await work
    return true
  } catch (thrown) {
    if (thrown instanceof GatewayError || String(thrown).includes('the disk is full')) return false
    throw thrown
  }
}

/** Adds accounts, each with a key of the same number and a mail address. */
async function addAccounts({ address, db }: World, ids: readonly number[]): Promise<void> {
  if (address.startsWith('postgres:')) {
    const texts = ids.flatMap((id) => [accountText(id), keyText(id, id)])
    await db.write((within) => within.rows(inOne(texts)))
  } else {
    const file = openDatabase(address)
    for (const id of ids) addAccount(file, id)
    file.close()
  }
  await db.write(async (within) => {
    for (const id of ids) await within.rows(addressText(id))
  })
}
