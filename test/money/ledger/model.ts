// The model of the simulation: a second, simple implementation of the ledger's rules, without rows or running totals.
import type {
  HoldOperation,
  MoneyOperation,
  Operation,
  Outcome,
  Refusal,
  Share,
} from '../../../src/money/ledger/operations.ts'

/** The longest first, with the names of their refusals. */
const PERIODS = [
  ['month', 'monthly'],
  ['week', 'weekly'],
  ['day', 'daily'],
  ['5h', '5h'],
] as const
type Period = (typeof PERIODS)[number][0]
const FIVE_HOURS_MS = 5 * 3_600_000
/** Longer than any period. */
const MAX_PERIOD_MS = 40 * 86_400_000

/** The spending of an account or a key that calls which begin in a period may reach, and that of a key in all. */
export type ModelLimits = Partial<Record<Period | 'total', number>>

/** A call, with the time of its hold; refunds are taken off its cost. */
interface ModelCall {
  account_id: number
  key_id: number
  at_ms: number
  cost: number
}

interface ModelOwner {
  limits: ModelLimits
  /** Recent calls that cost something. */
  costs: ModelCall[]
  /** The start of its last five hours. */
  five_hours_from_ms: number
}

interface ModelKey extends ModelOwner {
  spent: number
  revoked: boolean
}

interface ModelHold {
  account_id: number
  key_id: number
  amount: number
  at_ms: number
  /** The plan that covers it, with its amount in place of that above. */
  covered?: { plan: ModelPlan; amount: number } | undefined
}

/** The plan of an account: the calls that it covers. */
interface ModelPlan extends ModelOwner {
  overflow: boolean
  concurrent_calls: number
  /** Covered calls with what they cost, by the numbers of their holds. */
  covered: Map<number, { at_ms: number; cost: number }>
  /** The last hold before its month. */
  month_after: number
}

interface ModelAccount extends ModelOwner {
  suspended: boolean
  balance: number
  debt: number
  /** Opening debts, by their references. */
  opened: Map<string, number>
  /** By their references. */
  refunds: Map<string, { call_id: number; amount: number }>
  /** The references of the shares that it was credited with top-ups of others. */
  shares: Set<string>
  /** The sum of all amounts that came in or went out. */
  moved: number
}

/** The expected state of every account, key and hold, by numbers from 1. */
export class Model {
  readonly accounts = new Map<number, ModelAccount>()
  readonly keys = new Map<number, ModelKey & { account_id: number; person_id: number | null }>()
  readonly people = new Map<number, ModelOwner>()
  /** Plans by the ids of their accounts. */
  readonly plans = new Map<number, ModelPlan>()
  readonly pending = new Map<number, ModelHold>()
  readonly expired = new Map<number, ModelHold>()
  readonly calls = new Map<number, ModelCall>()
  /** Rows that change with movements. */
  readonly things = new Map<number, { account_id: number | null; state: string }>()
  holds_made = 0

  addAccount(id: number, limits: ModelLimits = {}): void {
    this.accounts.set(id, {
      ...ownerOf(limits),
      suspended: false,
      balance: 0,
      debt: 0,
      opened: new Map(),
      refunds: new Map(),
      shares: new Set(),
      moved: 0,
    })
  }

  addKey(id: number, account_id: number, limits: ModelLimits): void {
    this.keys.set(id, { ...ownerOf(limits), account_id, person_id: null, spent: 0, revoked: false })
  }

  /** Adds a person who owns some keys from the start. */
  addPerson(id: number, key_ids: readonly number[], limits: ModelLimits): void {
    this.people.set(id, ownerOf(limits))
    for (const key_id of key_ids) must(this.keys.get(key_id)).person_id = id
  }

  beginPlan(account_id: number, limits: ModelLimits, overflow: boolean, concurrent_calls = Infinity): void {
    const covered = new Map()
    this.plans.set(account_id, {
      ...ownerOf(limits),
      overflow,
      concurrent_calls,
      covered,
      month_after: this.holds_made,
    })
  }

  /** True if a plan covers the call of the hold. */
  isCovered = (hold_id: number): boolean =>
    (this.pending.get(hold_id) ?? this.expired.get(hold_id))?.covered !== undefined

  private personOf({ person_id }: { person_id: number | null }): ModelOwner[] {
    return person_id === null ? [] : [must(this.people.get(person_id))]
  }

  /** The sum of the pending holds that match. */
  heldBy(matches: (hold: ModelHold) => boolean): number {
    return [...this.pending.values()].filter(matches).reduce((sum, { amount }) => sum + amount, 0)
  }

  /** Applies an operation to the model. @returns the outcome that the ledger must give */
  apply(operation: Operation): Outcome {
    const amounts =
      operation.op === 'hold'
        ? [operation.amount_nanos, operation.minimum_nanos]
        : operation.op === 'top_up' || operation.op === 'withdraw' || operation.op === 'open_debt'
          ? [operation.amount_nanos, operation.amount_nanos === 0 ? -1 : 0]
          : operation.op === 'refund' && operation.amount_nanos !== null
            ? [operation.amount_nanos, operation.amount_nanos === 0 ? -1 : 0]
            : []
    if (amounts.some(isBad)) return no('amount_out_of_range')
    if (operation.op === 'hold') return this.hold(operation)
    if (operation.op === 'open_debt') return this.openDebt(operation)
    if (operation.op === 'refund') return this.refund(operation)
    if (operation.op === 'top_up' || operation.op === 'withdraw') return this.move(operation)
    return this.resolve(operation)
  }

  /** @throws Error if an invariant of an account is broken */
  assertSound(): void {
    for (const [id, account] of this.accounts) {
      const held = this.heldBy((hold) => hold.account_id === id)
      if (account.balance !== account.moved) throw new Error(`account ${id}: balance is not what was moved`)
      if (account.balance < held || account.debt < 0) throw new Error(`account ${id}: less than nothing`)
      if (account.debt > 0 && account.balance > held)
        throw new Error(`account ${id}: debt beside free balance`)
    }
  }

  private hold(operation: Extract<Operation, { op: 'hold' }>): Outcome {
    const { account_id, key_id, amount_nanos, minimum_nanos, now_ms } = operation
    const account = this.accounts.get(account_id)
    const key = this.keys.get(key_id)
    if (!account) return no('no_such_account')
    if (!key || key.account_id !== account_id) return no('no_such_key')
    if (account.suspended) return no('account_suspended')
    if (key.revoked) return no('key_revoked')
    if (account.debt > 0) return no('outstanding_debt')
    const plan = this.plans.get(account_id)
    if (plan && operation.model_id !== undefined && amount_nanos > 0) {
      const refusal = operation.model_id === 'sim-text' ? this.uncovered(plan, operation) : 'plan_model'
      if (!refusal) return this.holdCovered(plan, operation)
      if (!plan.overflow) return no(refusal)
    }
    const { total = Infinity } = key.limits
    const room = total - key.spent - this.heldBy((hold) => hold.key_id === key_id)
    const rooms = [
      ...this.roomsOf('key', key, (hold) => hold.key_id === key_id, now_ms),
      ...this.personOf(key).flatMap((person) =>
        this.roomsOf(
          'person',
          person,
          (hold) => this.keys.get(hold.key_id)?.person_id === key.person_id,
          now_ms,
        ),
      ),
      ...this.roomsOf('account', account, (hold) => hold.account_id === account_id, now_ms),
    ]
    const free = this.free(account_id)
    const enough = (available: number) =>
      available >= amount_nanos || (available >= minimum_nanos && available > 0)
    if (!enough(room)) return no('key_spend_limit')
    for (const [refusal, left] of rooms) if (!enough(left)) return no(refusal)
    if (!enough(free)) return no('insufficient_balance')
    const amount = Math.min(amount_nanos, free, room, ...rooms.map(([, left]) => left))
    this.holds_made += 1
    this.pending.set(this.holds_made, { account_id, key_id, amount, at_ms: now_ms })
    beginFiveHours([account, key, ...this.personOf(key)], now_ms)
    return { ok: true, hold_id: this.holds_made, held_nanos: amount }
  }

  private uncovered(plan: ModelPlan, { amount_nanos, now_ms }: HoldOperation): Refusal | undefined {
    const running = [...this.pending].filter(([, { covered }]) => covered?.plan === plan)
    for (const [period, name] of PERIODS) {
      const limit = plan.limits[period]
      if (limit === undefined) continue
      const isIn = (id: number, at_ms: number) =>
        period === 'month'
          ? id > plan.month_after
          : period === '5h'
            ? now_ms < plan.five_hours_from_ms + FIVE_HOURS_MS && at_ms >= plan.five_hours_from_ms
            : NAMED[period](at_ms) === NAMED[period](now_ms)
      let used = 0
      for (const [id, { at_ms, cost }] of plan.covered) if (isIn(id, at_ms)) used += cost
      for (const [id, { at_ms, covered }] of running) if (isIn(id, at_ms)) used += covered?.amount ?? 0
      if (limit - used < amount_nanos) return `plan_${name}_limit`
    }
    // Calls under way that an earlier plan of the account covers count, too.
    const all = [...this.pending.values()].filter(
      ({ covered, account_id }) => covered && this.plans.get(account_id) === plan,
    )
    return all.length >= plan.concurrent_calls ? 'plan_concurrency' : undefined
  }

  private holdCovered(plan: ModelPlan, { account_id, key_id, amount_nanos, now_ms }: HoldOperation): Outcome {
    this.holds_made += 1
    const covered = { plan, amount: amount_nanos }
    this.pending.set(this.holds_made, { account_id, key_id, amount: 0, at_ms: now_ms, covered })
    beginFiveHours([plan], now_ms)
    const plan_period_id = account_id
    return {
      ok: true,
      hold_id: this.holds_made,
      held_nanos: 0,
      covered_nanos: amount_nanos,
      plan_period_id,
    }
  }

  private postCovered(hold_id: number, { plan }: { plan: ModelPlan }, at_ms: number, cost: number): Outcome {
    plan.covered.set(hold_id, { at_ms, cost })
    return { ok: true, charged_nanos: 0, unpaid_nanos: 0, covered_nanos: cost }
  }

  private resolve(operation: Extract<Operation, { hold_id: number }>): Outcome {
    const lost = operation.op === 'expire' ? undefined : operation.lost
    const hold_id = lost ? this.holds_made + 1 : operation.hold_id
    if (lost) {
      const { account_id, key_id, amount_nanos, created_at_ms } = lost
      this.holds_made = hold_id
      const plan = lost.plan_period_id ? must(this.plans.get(account_id)) : undefined
      const covered = plan && { plan, amount: lost.covered_nanos ?? 0 }
      this.expired.set(hold_id, { account_id, key_id, amount: amount_nanos, at_ms: created_at_ms, covered })
      const key = must(this.keys.get(key_id))
      beginFiveHours(
        plan ? [plan] : [must(this.accounts.get(account_id)), key, ...this.personOf(key)],
        created_at_ms,
      )
    }
    if (hold_id < 1 || hold_id > this.holds_made) return no('no_such_hold')
    const late = operation.op !== 'expire' && this.expired.has(hold_id)
    const hold = late ? this.expired.get(hold_id) : this.pending.get(hold_id)
    if (!hold) return no('already_resolved')
    if (operation.op === 'post' && isBad(operation.cost_nanos)) return no('amount_out_of_range')
    const account = must(this.accounts.get(hold.account_id))
    this.pending.delete(hold_id)
    this.expired.delete(hold_id)
    if (operation.op === 'expire') this.expired.set(hold_id, hold)
    const { account_id, key_id, at_ms } = hold
    const cost = operation.op === 'post' && !hold.covered ? operation.cost_nanos : 0
    const call = { account_id, key_id, at_ms, cost }
    if (operation.op !== 'expire') this.calls.set(hold_id, call)
    if (operation.op !== 'post') {
      this.payDebt(hold.account_id)
      return late ? { ok: true, returned_nanos: 0, late } : { ok: true, returned_nanos: hold.amount }
    }
    if (hold.covered)
      return {
        ...this.postCovered(hold_id, hold.covered, at_ms, operation.cost_nanos),
        late: late || undefined,
      } as Outcome
    const charged = Math.min(operation.cost_nanos, this.free(hold.account_id))
    const unpaid = operation.cost_nanos - charged
    const key = must(this.keys.get(hold.key_id))
    key.spent += operation.cost_nanos
    for (const { costs } of operation.cost_nanos > 0 ? [account, key, ...this.personOf(key)] : [])
      costs.push(call)
    account.balance -= charged
    account.moved -= charged
    account.debt += unpaid
    this.payDebt(hold.account_id)
    return { ok: true, charged_nanos: charged, unpaid_nanos: unpaid, late: late || undefined }
  }

  private refund(operation: Extract<Operation, { op: 'refund' }>): Outcome {
    const { account_id, key_id, call_id, amount_nanos, request_key } = operation
    const account = this.accounts.get(account_id)
    const call = this.calls.get(call_id)
    if (!account) return no('no_such_account')
    if (call?.account_id !== account_id || call.key_id !== key_id) return no('no_such_call')
    const first = request_key === undefined ? undefined : account.refunds.get(request_key)
    const amount = amount_nanos ?? first?.amount ?? call.cost
    if (first && (first.call_id !== call_id || first.amount !== amount)) return no('request_key_used')
    if (!first) {
      if (call.cost === 0) return no('nothing_to_refund')
      if (amount > call.cost) return no('more_than_charged')
      call.cost -= amount
      must(this.keys.get(key_id)).spent -= amount
      account.balance += amount
      account.moved += amount
      if (request_key !== undefined) account.refunds.set(request_key, { call_id, amount })
      this.payDebt(account_id)
    }
    return {
      ok: true,
      refunded_nanos: amount,
      balance_nanos: account.balance,
      debt_nanos: account.debt,
    }
  }

  private openDebt({
    account_id,
    amount_nanos,
    request_key,
  }: Extract<Operation, { op: 'open_debt' }>): Outcome {
    const account = this.accounts.get(account_id)
    if (!account) return no('no_such_account')
    const known = account.opened.get(request_key)
    if (known !== undefined && known !== amount_nanos) return no('request_key_used')
    if (known === undefined) account.debt += amount_nanos
    account.opened.set(request_key, amount_nanos)
    this.payDebt(account_id)
    return { ok: true, balance_nanos: account.balance, debt_nanos: account.debt }
  }

  private move(operation: Extract<Operation, { op: 'top_up' | 'withdraw' }>): Outcome {
    const account = this.accounts.get(operation.account_id)
    if (!account) return no('no_such_account')
    const wrong = this.wrongState(operation)
    if (wrong) return wrong
    const sign = operation.op === 'top_up' ? 1 : -1
    if (sign < 0 && this.free(operation.account_id) < operation.amount_nanos)
      return no('insufficient_balance')
    account.balance += sign * operation.amount_nanos
    account.moved += sign * operation.amount_nanos
    this.payDebt(operation.account_id)
    for (const { id, to } of operation.changes ?? [])
      this.things.set(id, { account_id: operation.account_id, state: to })
    if (operation.op === 'top_up') for (const share of operation.shares ?? []) this.creditShare(share)
    return { ok: true, balance_nanos: account.balance, debt_nanos: account.debt }
  }

  private wrongState({ account_id, changes = [] }: MoneyOperation): Outcome | undefined {
    for (const { id, from } of changes) {
      const thing = this.things.get(id)
      const is_theirs = thing?.account_id === null || thing?.account_id === account_id
      const state = is_theirs ? thing?.state : undefined
      if (state === undefined || !from.includes(state)) return { ok: false, refusal: 'wrong_state', state }
    }
    return undefined
  }

  private creditShare({ account_id, amount_nanos, request_key }: Share): void {
    const account = this.accounts.get(account_id)
    if (!account || account.shares.has(request_key)) return
    account.shares.add(request_key)
    account.balance += amount_nanos
    account.moved += amount_nanos
    this.payDebt(account_id)
  }

  private payDebt(account_id: number): void {
    const account = must(this.accounts.get(account_id))
    const paid = Math.min(account.debt, this.free(account_id))
    account.debt -= paid
    account.balance -= paid
    account.moved -= paid
  }

  /** The rest of each limit, after the costs and holds of the calls that began in its period. */
  private roomsOf(
    of: 'account' | 'key' | 'person',
    owner: ModelOwner,
    isOwn: (hold: ModelHold) => boolean,
    now_ms: number,
  ): [refusal: Refusal, left: number][] {
    const { limits, five_hours_from_ms } = owner
    const costs = owner.costs.filter(({ at_ms }) => at_ms > now_ms - MAX_PERIOD_MS)
    owner.costs = costs
    return PERIODS.flatMap(([period, name]) => {
      const limit = limits[period]
      if (limit === undefined) return []
      const isIn = (at_ms: number) =>
        period === '5h'
          ? now_ms < five_hours_from_ms + FIVE_HOURS_MS && at_ms >= five_hours_from_ms
          : NAMED[period](at_ms) === NAMED[period](now_ms)
      const spent = costs.filter(({ at_ms }) => isIn(at_ms)).reduce((sum, { cost }) => sum + cost, 0)
      const held = this.heldBy((hold) => isOwn(hold) && isIn(hold.at_ms))
      return [[`${of}_${name}_limit`, limit - spent - held] as [Refusal, number]]
    })
  }

  private free(account_id: number): number {
    return must(this.accounts.get(account_id)).balance - this.heldBy((hold) => hold.account_id === account_id)
  }
}

/** The period of a time as text. */
const NAMED = {
  day: (at_ms: number) => new Date(at_ms).toISOString().slice(0, 'YYYY-MM-DD'.length),
  month: (at_ms: number) => new Date(at_ms).toISOString().slice(0, 'YYYY-MM'.length),
  week: (at_ms: number) => {
    const monday = new Date(at_ms)
    while (monday.getUTCDay() !== 1) monday.setUTCDate(monday.getUTCDate() - 1)
    return monday.toISOString().slice(0, 'YYYY-MM-DD'.length)
  },
}

const ownerOf = (limits: ModelLimits): ModelOwner => ({ limits, costs: [], five_hours_from_ms: -Infinity })

function beginFiveHours(owners: readonly ModelOwner[], at_ms: number): void {
  for (const owner of owners)
    if (at_ms >= owner.five_hours_from_ms + FIVE_HOURS_MS) owner.five_hours_from_ms = at_ms
}

const no = (refusal: Refusal): Outcome => ({ ok: false, refusal })
const isBad = (amount: number): boolean => !(Number.isSafeInteger(amount) && amount >= 0)

function must<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the model lost a row')
  return value
}
