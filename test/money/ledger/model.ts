// The model of the simulation: a second, simple implementation of the ledger's rules, without rows or running totals.
import type { Operation, Outcome, Refusal } from '../../../src/money/ledger/operations.ts'

/** What a key may spend: in all, and in the calls that begin in a day or a month. */
interface ModelLimits {
  total?: number
  day?: number
  month?: number
}

interface ModelKey {
  limits: ModelLimits
  spent: number
  /** What its calls cost, each with the time of its hold. */
  costs: { at_ms: number; cost: number }[]
  revoked: boolean
}

interface ModelHold {
  account_id: number
  key_id: number
  amount: number
  at_ms: number
}

interface ModelAccount {
  suspended: boolean
  balance: number
  debt: number
  /** The sum of all amounts that came in or went out. */
  moved: number
}

/** The expected state of every account, key and hold, by numbers from 1. */
export class Model {
  readonly accounts = new Map<number, ModelAccount>()
  readonly keys = new Map<number, ModelKey & { account_id: number }>()
  readonly pending = new Map<number, ModelHold>()
  readonly expired = new Map<number, ModelHold>()
  holds_made = 0

  addAccount(id: number): void {
    this.accounts.set(id, { suspended: false, balance: 0, debt: 0, moved: 0 })
  }

  addKey(id: number, account_id: number, limits: ModelLimits): void {
    this.keys.set(id, { account_id, limits, spent: 0, costs: [], revoked: false })
  }

  /** The sum of the pending holds that match. */
  heldBy(which: (hold: ModelHold) => boolean): number {
    return [...this.pending.values()].filter(which).reduce((sum, { amount }) => sum + amount, 0)
  }

  /** Applies an operation to the model. @returns the outcome that the ledger must give */
  apply(operation: Operation): Outcome {
    const amounts =
      operation.op === 'hold'
        ? [operation.amount_nanos, operation.minimum_nanos]
        : operation.op === 'top_up' || operation.op === 'withdraw'
          ? [operation.amount_nanos, operation.amount_nanos === 0 ? -1 : 0]
          : []
    if (amounts.some(isBad)) return no('amount_out_of_range')
    if (operation.op === 'hold') return this.hold(operation)
    if (operation.op === 'top_up' || operation.op === 'withdraw') return this.move(operation)
    return this.resolve(operation)
  }

  /** @throws Error where an invariant of an account is broken */
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
    const { total = Infinity, day = Infinity, month = Infinity } = key.limits
    const room = total - key.spent - this.heldBy((hold) => hold.key_id === key_id)
    const of_month = month - this.usedIn(key_id, 'YYYY-MM'.length, now_ms)
    const of_day = day - this.usedIn(key_id, 'YYYY-MM-DD'.length, now_ms)
    const free = this.free(account_id)
    const enough = (available: number) =>
      available >= amount_nanos || (available >= minimum_nanos && available > 0)
    if (!enough(room)) return no('key_spend_limit')
    if (!enough(of_month)) return no('key_monthly_limit')
    if (!enough(of_day)) return no('key_daily_limit')
    if (!enough(free)) return no('insufficient_balance')
    const amount = Math.min(amount_nanos, free, room, of_month, of_day)
    this.holds_made += 1
    this.pending.set(this.holds_made, { account_id, key_id, amount, at_ms: now_ms })
    return { ok: true, hold_id: this.holds_made, held_nanos: amount }
  }

  private resolve(operation: Extract<Operation, { hold_id: number }>): Outcome {
    const lost = operation.op === 'expire' ? undefined : operation.lost
    const hold_id = lost ? this.holds_made + 1 : operation.hold_id
    if (lost) {
      const { account_id, key_id, amount_nanos, created_at_ms } = lost
      this.holds_made = hold_id
      this.expired.set(hold_id, { account_id, key_id, amount: amount_nanos, at_ms: created_at_ms })
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
    if (operation.op !== 'post') {
      this.payDebt(hold.account_id)
      return late ? { ok: true, returned_nanos: 0, late } : { ok: true, returned_nanos: hold.amount }
    }
    const charged = Math.min(operation.cost_nanos, this.free(hold.account_id))
    const unpaid = operation.cost_nanos - charged
    const key = must(this.keys.get(hold.key_id))
    key.spent += operation.cost_nanos
    if (operation.cost_nanos > 0) key.costs.push({ at_ms: hold.at_ms, cost: operation.cost_nanos })
    account.balance -= charged
    account.moved -= charged
    account.debt += unpaid
    this.payDebt(hold.account_id)
    return { ok: true, charged_nanos: charged, unpaid_nanos: unpaid, late: late || undefined }
  }

  private move(operation: Extract<Operation, { note: string }>): Outcome {
    const account = this.accounts.get(operation.account_id)
    if (!account) return no('no_such_account')
    const sign = operation.op === 'top_up' ? 1 : -1
    if (sign < 0 && this.free(operation.account_id) < operation.amount_nanos)
      return no('insufficient_balance')
    account.balance += sign * operation.amount_nanos
    account.moved += sign * operation.amount_nanos
    this.payDebt(operation.account_id)
    return { ok: true, balance_nanos: account.balance, debt_nanos: account.debt }
  }

  private payDebt(account_id: number): void {
    const account = must(this.accounts.get(account_id))
    const paid = Math.min(account.debt, this.free(account_id))
    account.debt -= paid
    account.balance -= paid
    account.moved -= paid
  }

  /** What a key's calls that began in the same day or month cost or hold: by the beginning of the time as text. */
  private usedIn(key_id: number, length: number, now_ms: number): number {
    const key = must(this.keys.get(key_id))
    if (key.limits.day === undefined && key.limits.month === undefined) return 0
    const period = (at_ms: number) => new Date(at_ms).toISOString().slice(0, length)
    const now = period(now_ms)
    const costs = key.costs.filter(({ at_ms }) => period(at_ms) === now)
    const held = this.heldBy((hold) => hold.key_id === key_id && period(hold.at_ms) === now)
    return costs.reduce((sum, { cost }) => sum + cost, held)
  }

  private free(account_id: number): number {
    return must(this.accounts.get(account_id)).balance - this.heldBy((hold) => hold.account_id === account_id)
  }
}

const no = (refusal: Refusal): Outcome => ({ ok: false, refusal })
const isBad = (amount: number): boolean => !(Number.isSafeInteger(amount) && amount >= 0)

function must<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the model lost a row')
  return value
}
