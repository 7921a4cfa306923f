// The months of one account's plans and the payment of each, by a simple arithmetic beside the gateway's, which reads no row.
import type { Plan } from '../../plugins/plans/settings.ts'

const DAY_MS = 86_400_000
const GRACE_MS = 3 * DAY_MS
/** 1 EUR gives 1.08 USD. */
const NANOS_PER_CENT = 10_800_000
const MAX_CHARGES = 3

interface Payment {
  id: number
  by: 'page' | 'card'
  state: 'open' | 'paid' | 'closed'
  changed_ms: number
  is_pending: boolean
}

interface Month {
  plan: string
  price: number
  due: number
  /** The amount that it has paid; undefined: nothing yet. */
  paid?: number
  state: 'open' | 'active' | 'ended' | 'replaced' | 'lapsed'
  follows: Month | undefined
  anchor_ms: number
  number: number
  starts_ms: number
  ends_ms: number
  covers_until_ms: number
  renews: boolean
  next_plan: string | undefined
  has_card: boolean
  payments: Payment[]
}

/** The same day and time some months later; the last day of a month that has no such day. */
export function monthsLater(ms: number, months: number): number {
  const [day = '', time = ''] = new Date(ms).toISOString().split('T')
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number)
  const count = year * 12 + (month - 1) + months
  const [to_year, to_month] = [Math.floor(count / 12), count % 12]
  const is_leap = to_year % 4 === 0 && (to_year % 100 !== 0 || to_year % 400 === 0)
  const last = [31, is_leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][to_month] ?? 31
  const two = (value: number) => String(value).padStart(2, '0')
  return Date.parse(`${to_year}-${two(to_month + 1)}-${two(Math.min(date, last))}T${time}`)
}

/** The outcome of an order of a plan: the account has it, a change at the end of the month, the next month that waits, or a new one. */
type Quote = { has: true } | { later: Month } | { next: Month } | { due: number; follows: Month | undefined }

export type Subscriber = ReturnType<typeof createSubscriber>

export function createSubscriber(offered: readonly Plan[], balance: number) {
  const months: Month[] = []
  /** Payments that started no month: the account gets a mail for each. */
  const not_begun: number[] = []
  const priceOf = (name: string) => offered.find((plan) => plan.name === name)?.price_nanos ?? 0
  const inState = (state: Month['state']) => months.find((month) => month.state === state)
  const account = { balance, spent: 0, covered: 0, is_suspended: false }

  const lapse = (month: Month | undefined) => {
    if (month?.state === 'open') month.state = 'lapsed'
  }
  function add(month: Pick<Month, 'plan' | 'price' | 'due' | 'follows' | 'anchor_ms' | 'number'>): Month {
    const ends_ms = monthsLater(month.anchor_ms, month.number)
    const made: Month = {
      ...month,
      ...{ state: 'open', renews: true, next_plan: undefined, has_card: false, payments: [] },
      ...{ starts_ms: monthsLater(month.anchor_ms, month.number - 1), ends_ms },
      covers_until_ms: ends_ms + GRACE_MS,
    }
    months.push(made)
    return made
  }
  function pay(month: Month, now_ms: number): boolean {
    if (account.balance < month.due) return false
    account.balance -= month.due
    month.paid = month.due
    const before = inState('active')
    if (before) {
      before.state = month.starts_ms >= before.ends_ms ? 'ended' : 'replaced'
      month.has_card = before.has_card
    }
    if (!month.follows) {
      const ends_ms = monthsLater(now_ms, 1)
      Object.assign(month, {
        anchor_ms: now_ms,
        starts_ms: now_ms,
        ends_ms,
        covers_until_ms: ends_ms + GRACE_MS,
      })
    }
    month.state = 'active'
    return true
  }

  function quote(plan: string, now_ms: number): Quote {
    const [open, active] = [inState('open'), inState('active')]
    const current = active && now_ms < active.ends_ms ? active : undefined
    if (open && active && !current && open.follows === active && open.plan === plan) return { next: open }
    if (current?.plan === plan && current.next_plan === undefined && current.renews) return { has: true }
    if (current && (current.plan === plan || priceOf(plan) <= current.price)) return { later: current }
    if (!current) return { due: priceOf(plan), follows: undefined }
    const [left, whole] = [current.ends_ms - now_ms, current.ends_ms - current.starts_ms]
    const rest = Number((BigInt(current.price) * BigInt(left)) / BigInt(whole))
    return { due: Math.max(0, priceOf(plan) - (rest - (rest % 10_000_000))), follows: current }
  }
  const addQuoted = (
    plan: string,
    { due, follows }: { due: number; follows: Month | undefined },
    now_ms: number,
  ) => {
    lapse(inState('open'))
    return add({ plan, price: priceOf(plan), due, follows, anchor_ms: now_ms, number: 1 })
  }

  function nextOf(month: Month, now_ms: number): Month | undefined {
    const open = inState('open')
    if (open?.follows === month && open.starts_ms >= month.ends_ms) return open
    lapse(open)
    if (!month.renews) {
      month.state = 'ended'
      return undefined
    }
    const plan = month.next_plan ?? month.plan
    const price = plan === month.plan ? Math.min(month.price, priceOf(plan)) : priceOf(plan)
    const first = months.find(({ follows, starts_ms }) => follows === month && starts_ms >= month.ends_ms)
    const is_late = now_ms - month.ends_ms > DAY_MS
    const { anchor_ms, number } =
      first ?? (is_late ? { anchor_ms: now_ms, number: 1 } : { ...month, number: month.number + 1 })
    const next = add({ plan, price, due: price, follows: month, anchor_ms, number })
    month.covers_until_ms = Math.max(month.covers_until_ms, next.starts_ms + GRACE_MS)
    return next
  }
  function renewActive(month: Month, now_ms: number, is_failing: boolean): void {
    const next = nextOf(month, now_ms)
    if (!next) return
    if (now_ms >= month.covers_until_ms) {
      lapse(next)
      month.state = 'ended'
    } else if (!account.is_suspended && !is_failing) pay(next, now_ms)
  }
  const paymentOf = (id: number) => {
    const month = months.find(({ payments }) => payments.some((payment) => payment.id === id))
    const payment = month?.payments.find((payment) => payment.id === id)
    if (!month || !payment) throw new Error(`order ${id} is of no month`)
    return { month, payment }
  }

  return {
    months,
    not_begun,
    account,
    inState,
    /** @returns whether anything was bought or changed @param is_failing the price cannot be taken now: the month stays open */
    buy(plan: string, now_ms: number, is_failing: boolean): boolean {
      const quoted = quote(plan, now_ms)
      if ('has' in quoted) return false
      if ('later' in quoted) {
        lapse(inState('open'))
        const { later } = quoted
        later.renews = true
        later.next_plan = plan === later.plan ? undefined : plan
        later.covers_until_ms = later.ends_ms + GRACE_MS
        return true
      }
      const month = 'next' in quoted ? quoted.next : addQuoted(plan, quoted, now_ms)
      if (is_failing) return false
      if (pay(month, now_ms)) return true
      if (month.number === 1) lapse(month)
      return false
    },
    /** @returns a function that records the order of a payment; undefined: the order is refused */
    order(plan: string, now_ms: number): ((id: number) => void) | undefined {
      const quoted = quote(plan, now_ms)
      if ('has' in quoted || 'later' in quoted || ('due' in quoted && quoted.due === 0)) return undefined
      const month = 'next' in quoted ? quoted.next : addQuoted(plan, quoted, now_ms)
      return (id) =>
        void month.payments.push({ id, by: 'page', state: 'open', changed_ms: now_ms, is_pending: false })
    },
    cancel(now_ms: number): void {
      lapse(inState('open'))
      const active = inState('active')
      if (!active) return
      Object.assign(active, { renews: false, next_plan: undefined, covers_until_ms: active.ends_ms })
      if (active.ends_ms <= now_ms) active.state = 'ended'
    },
    keep(now_ms: number): void {
      const active = inState('active')
      if (!active || active.ends_ms <= now_ms) return
      Object.assign(active, {
        renews: true,
        next_plan: undefined,
        covers_until_ms: active.ends_ms + GRACE_MS,
      })
    },
    renew(now_ms: number, is_failing: boolean): void {
      const [active, open] = [inState('active'), inState('open')]
      const is_over = open !== undefined && open.ends_ms <= now_ms
      if (active && active.ends_ms <= now_ms) renewActive(active, now_ms, is_failing)
      if (is_over && (!open.follows || open.follows !== inState('active'))) lapse(open)
    },
    /** Gives up a first month whose orders are over. @returns whether the card is to be charged now */
    isCharged(now_ms: number): boolean {
      const [active, open] = [inState('active'), inState('open')]
      if (!open) return false
      const { payments, follows } = open
      const is_next = follows !== undefined && follows === active && follows.ends_ms <= open.starts_ms
      if (!is_next && payments.length > 0 && payments.every(({ state }) => state !== 'open')) lapse(open)
      if (!is_next || !active.has_card || account.is_suspended) return false
      const charges = payments.filter(({ by }) => by === 'card')
      const is_under_way = payments.some(
        ({ state, by, is_pending }) =>
          state === 'paid' || (state === 'open' && (by === 'card' || is_pending)),
      )
      const last_ms = charges.at(-1)?.changed_ms ?? 0
      return !is_under_way && charges.length < MAX_CHARGES && now_ms >= last_ms + DAY_MS
    },
    recordCharge(id: number, is_refused: boolean, now_ms: number): void {
      const state = is_refused ? 'closed' : 'open'
      inState('open')?.payments.push({ id, by: 'card', state, changed_ms: now_ms, is_pending: false })
    },
    /** Takes the bank's report of a payment, each time that the gateway gets it. @param is_over its time to be paid is over */
    recordPayment(
      id: number,
      reported: { state: string; amount_minor: number; is_over: boolean },
      now_ms: number,
    ): void {
      const { month, payment } = paymentOf(id)
      payment.is_pending = reported.state === 'pending'
      if (reported.state === 'paid' && payment.state !== 'paid') {
        payment.state = 'paid'
        account.balance += reported.amount_minor * NANOS_PER_CENT
        if (month.state !== 'open' || account.is_suspended || !pay(month, now_ms)) not_begun.push(id)
      } else if (
        payment.state === 'open' &&
        (reported.state === 'failed' || (reported.state === 'open' && reported.is_over))
      )
        Object.assign(payment, { state: 'closed', changed_ms: now_ms })
    },
  }
}
