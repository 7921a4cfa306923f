// Races for plans among those for orders: a month paid on a page, or by the saved card after the previous month, in an account of its own.
import type { PaymentParts } from '../../plugins/payments/parts.ts'
import type { Order } from '../../plugins/payments/tables.ts'
import { addMonths, GRACE_MS } from '../../plugins/plans/months.ts'
import { periodIn, setTimes } from '../../plugins/plans/store.ts'
import { accountText } from '../money/ledger/postgres-world.ts'
import type { RandomNumbers } from '../providers/random-numbers.ts'
import type { CardAnswer, FakeCard } from './automatic/scene.ts'
import { addressText, type offering, planPayer, USD } from './plans/scene.ts'
import { actAtOnce, type Contest, pickOf } from './races.ts'

type Offering = ReturnType<typeof offering>
type Payer = ReturnType<typeof planPayer>

/** The account of race 0; later races have the next ones. */
const FIRST_ACCOUNT = 100

const ANSWERS: readonly CardAnswer[] = [
  { state: 'paid' },
  { state: 'paid' },
  { state: 'paid' },
  { state: 'paid', is_lost: true },
  { state: 'pending' },
  { state: 'pending', is_lost: true },
  { refused: 'The saved card was declined.' },
]

/** The bank's answers to the charges of each account, in sequence. */
export type Answers = Map<number, CardAnswer[]>

export function answerBy(card: FakeCard, answers: Answers): void {
  card.decides = ({ account_id }) => answers.get(account_id)?.shift() ?? { state: 'paid' }
}

interface PlanContest extends Omit<Contest, 'order' | 'others'> {
  offers: Offering
  /** The number of the race. */
  number: number
}

async function openPayer({ world, offers, number }: PlanContest): Promise<Payer & { account_id: number }> {
  const account_id = FIRST_ACCOUNT + number
  await world.db.write(async (db) => {
    await db.rows(accountText(account_id))
    await db.rows(addressText(account_id))
  })
  return { ...planPayer(offers, account_id), account_id }
}

/** Acts on the plan, besides those on its order. */
const actsOn = ({ offers, random }: PlanContest, payer: Payer): NonNullable<Contest['others']> => {
  const buys_from_balance = random() < 0.5
  return {
    renew: async (parts: PaymentParts) => {
      await offers.renew(parts)
      await offers.charge(offers.as(parts))
    },
    cancel_plan: async () => await payer.cancel(),
    change: async () => {
      if (buys_from_balance) await payer.add(40 * USD)
      await (buys_from_balance ? payer.buyFromBalance('max') : payer.orderPlan('max'))
    },
  }
}

const ordersOf = ({ db }: Contest['world'], account_id: number) =>
  db.rows<Order>('SELECT * FROM orders WHERE account_id = $account_id ORDER BY id', { account_id })

/** A first month, paid on a page. @returns the account */
export async function raceForPlan(contest: PlanContest): Promise<number> {
  const { world, random } = contest
  const payer = await openPayer(contest)
  const { id, reference } = await payer.orderPlan(pickOf(random)(['pro', 'max', 'mini']))
  if (random() < 0.7) world.fake.pay(reference)
  const order = () => world.order(id)
  await actAtOnce({ ...contest, order, others: actsOn(contest, payer), ends_plan: true })
  return payer.account_id
}

/** A month charged to the saved card after the previous one. @returns the account */
export async function raceForRenewal(contest: PlanContest, answers: Answers): Promise<number> {
  const { world, random } = contest
  const payer = await openPayer(contest)
  const { account_id } = payer
  answers.set(account_id, randomAnswers(random))
  await payer.buyByPayment()
  await payer.renewByCard()
  const { id = 0 } = (await periodIn(world.db, account_id, 'active')) ?? {}
  // As if bought a month ago: the month is over, its days of grace are not.
  const began_ms = addMonths(world.clock.now_ms, -1)
  const ends_ms = addMonths(began_ms, 1)
  const times = { id, anchor_ms: began_ms, starts_ms: began_ms, ends_ms, covers_until_ms: ends_ms + GRACE_MS }
  await world.db.begin((tx) => setTimes(tx, times))
  const others = actsOn(contest, payer)
  // Makes at least one order, so that acts can meet its charge.
  await others.renew?.(contest.gateways[1] as PaymentParts).catch(() => {})
  const order = async () => (await ordersOf(world, account_id)).at(-1)
  await actAtOnce({ ...contest, order, others, ends_plan: true })
  return account_id
}

const randomAnswers = (random: RandomNumbers) => Array.from({ length: 3 }, () => pickOf(random)(ANSWERS))
