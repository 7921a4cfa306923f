// The ledger's operations and their outcomes: plain values.

import type { ActionContext } from '../../domain/actions.ts'
import type { SpendLeft } from '../../domain/budgets.ts'
import type { Limit } from '../../domain/call-limits.ts'
import type { Nanos } from '../../domain/money.ts'
import type { Call, Entry, Hold } from '../../store/schema.ts'
import type { StateChange } from '../../store/state-changes.ts'
import type { BudgetRefusal, LimitReached, PlanRefusal } from './limit-refusals.ts'

/** Freezes money for one call. Refused unless the account, the key and the balance allow it at this moment. */
export interface HoldOperation {
  op: 'hold'
  account_id: number
  key_id: number
  request_id: string
  /** The most that the call can cost. */
  amount_nanos: Nanos
  /**
   * If the free balance, or the rest of a spend limit that applies to the key, is less than `amount_nanos`, the smallest of these is held,
   * provided that it is at least this much (and at least 1).
   */
  minimum_nanos: Nanos
  /** The model, if the account has a plan: a plan that covers the call pays for it. Absent: the balance pays. */
  model_id?: string | undefined
  now_ms: number
  expires_at_ms: number
  /** Refused if one is reached. Only set if several gateways share the ledger: a single gateway counts in memory. */
  limits?: HoldLimits | undefined
  /** The outcome contains `spend_left` if the hold counts against a periodic spend limit, or the limit of a plan. */
  reports_spend_left?: true | undefined
}

/** The catalogue's limits for a call's account and key; absent if none exist. */
export interface HoldLimits {
  account?: Limit | undefined
  key?: Limit | undefined
}

/** The hold of an earlier process whose row was never written while its call was served. Another hold may have its id by now. */
export type LostHold = Omit<Hold, 'id' | 'state' | 'gateway_id' | OfPlan> &
  // Absent in journals of versions without plans.
  Partial<Pick<Hold, OfPlan>>

type OfPlan = 'covered_nanos' | 'plan_period_id'

/** The record of a call when its hold is resolved; the other columns come from the hold. */
export type CallRecord = Omit<
  Call,
  OfHold | OfPlan | 'cost_nanos' | 'unpaid_nanos' | 'refunded_nanos' | OfWriter | Later
> &
  // Absent in journals of versions that did not record them.
  Partial<Pick<Call, Later>>

type OfHold = 'id' | 'request_id' | 'account_id' | 'key_id' | 'hold_nanos'
/** Columns that the writer fills; in the record, `price` is the whole text. */
type OfWriter = 'summed' | 'price_id' | 'counted'
type Later =
  | 'failed_tries'
  | 'trace'
  | 'provider_cost_nanos'
  | 'reported_cost_nanos'
  | 'computed_cost_nanos'
  | 'costs_elsewhere'

/** Settles a hold with the record of its call. An expired hold is settled, too: it then frees nothing. */
interface Settlement {
  hold_id: number
  /** The call's request, because a server that lost commits assigns numbers again. Absent in journals of older versions. */
  request_id?: string | undefined
  /** Settled instead of `hold_id`, like an expired hold. */
  lost?: LostHold | undefined
  call: CallRecord
  /** A plan covers the call: its cost counts against the plan and takes nothing from the balance. */
  is_covered?: true | undefined
  now_ms: number
}

/**
 * Resolves a hold with the cost of its call; the rest of the hold becomes free. A cost above the hold comes from the free balance,
 * and what exceeds that becomes debt.
 */
export interface PostOperation extends Settlement {
  op: 'post'
  cost_nanos: Nanos
  /** The limits of its hold, against which its tokens count. */
  limits?: HoldLimits | undefined
}

/** Resolves a hold at no cost; all of it becomes free. */
export interface VoidOperation extends Settlement {
  op: 'void'
}

/** Resolves an orphaned hold: its process died, or its call is past its time limit. No call is recorded. */
export interface ExpireOperation extends Pick<Settlement, 'hold_id' | 'request_id'> {
  op: 'expire'
  now_ms: number
}

/** A movement of money by the operator, or as the result of a payment. */
interface Movement {
  account_id: number
  amount_nanos: Nanos
  note: string
  /** Idempotency key within the account: a repeated movement changes nothing, and a different one with the key is refused. */
  request_key?: string | undefined
  /** The operator or account that moves the money; absent: the gateway itself. */
  by?: ActionContext | undefined
  now_ms: number
}

/** Changes of rows in the transaction of a movement. */
interface WithChanges {
  /** Refused as `wrong_state` unless each row is in an allowed state, and belongs to the account or to no account. */
  changes?: readonly StateChange[] | undefined
}

/** A credit to another account together with a top-up. It is left out if the account is missing or the key was used. */
export interface Share {
  account_id: number
  amount_nanos: Nanos
  note: string
  request_key: string
}

/** A withdrawal that a top-up pays for. If it would be refused, the credit stays on the balance. */
export type Purchase = Pick<WithdrawOperation, 'amount_nanos' | 'note' | 'request_key' | 'changes'>

/** The most that a person may credit to accounts since a moment, top-ups and refunds together. */
export interface Allowance {
  person_id: number
  since_ms: number
  limit_nanos: Nanos
}

/** A credit by a person who may be limited to an allowance. */
interface Credit {
  /** The allowance of the person in `by`; absent: unlimited. */
  allowance?: Allowance | undefined
}

/** Adds to a balance; debt is paid from it first. */
export interface TopUpOperation extends Movement, Credit, WithChanges {
  op: 'top_up'
  shares?: readonly Share[] | undefined
  purchase?: Purchase | undefined
}

/** Takes from the free balance, never from holds. */
export interface WithdrawOperation extends Movement, WithChanges {
  op: 'withdraw'
}

/** Adds to an account's debt what it owes besides calls, such as from another gateway or for a lost dispute. The free balance pays it at once. */
export interface OpenDebtOperation extends Movement, WithChanges {
  op: 'open_debt'
  request_key: string
}

/** Movements without a call: each is made once for its request key. */
export type MoneyOperation = TopUpOperation | WithdrawOperation | OpenDebtOperation

/**
 * Refunds a call's charge or a part of it, at most what is not refunded yet. Debt is paid from it first, including the unpaid part of the
 * call itself. It no longer counts against the key's spend limit, nor against budgets whose current period contains the call.
 */
export interface RefundOperation extends Omit<Movement, 'amount_nanos'>, Credit {
  op: 'refund'
  key_id: number
  call_id: number
  /** Null: everything that is not refunded yet. */
  amount_nanos: Nanos | null
}

export type Operation =
  | HoldOperation
  | PostOperation
  | VoidOperation
  | ExpireOperation
  | MoneyOperation
  | RefundOperation

export type Refusal =
  | 'no_such_account'
  | 'account_suspended'
  | 'no_such_key'
  | 'key_revoked'
  | 'key_expired'
  | 'key_spend_limit'
  | BudgetRefusal
  | PlanRefusal
  | 'insufficient_balance'
  | 'outstanding_debt'
  | 'no_such_hold'
  | 'already_resolved'
  | 'no_such_call'
  | 'nothing_to_refund'
  | 'more_than_charged'
  | 'amount_out_of_range'
  | 'request_key_used'
  | 'wrong_state'
  | 'credit_limit'
  | 'limit_requests'
  | 'limit_tokens'
  | 'limit_concurrency'

export type HoldOutcome =
  // With `covered_nanos` and `plan_period_id` if a plan covers the call: then `held_nanos` is 0.
  | {
      ok: true
      hold_id: number
      held_nanos: Nanos
      covered_nanos?: Nanos | undefined
      plan_period_id?: number | undefined
      spend_left?: SpendLeft | undefined
    }
  | Refused
/** `late`: the hold had expired. */
export type PostOutcome =
  | {
      ok: true
      charged_nanos: Nanos
      unpaid_nanos: Nanos
      covered_nanos?: Nanos | undefined
      late?: true | undefined
    }
  | Refused
export type VoidOutcome = { ok: true; returned_nanos: Nanos; late?: true | undefined } | Refused
export type MoneyOutcome =
  // `first`: the earlier movement under the same key; nothing was moved.
  { ok: true; balance_nanos: Nanos; debt_nanos: Nanos; first?: KeyedEntry | undefined } | Refused
export type RefundOutcome =
  // `refunded_nanos`: the amount of this refund, or of the earlier one under the same key.
  | {
      ok: true
      refunded_nanos: Nanos
      balance_nanos: Nanos
      debt_nanos: Nanos
      first?: KeyedEntry | undefined
    }
  | Refused
export interface Refused {
  ok: false
  refusal: Refusal
  /** The earlier use of the request's key, if that is the reason. */
  first?: KeyedEntry
  /** The call limit that is reached, and its owner, if that is the reason. */
  limit?: LimitReached
  /** When the budget starts again, if that is the reason; null: five hours after its next call, or the call needs more than the whole limit. */
  resets_at_ms?: number | null
  /** The rest of the person's allowance, if that is the reason. */
  left_nanos?: Nanos
  /** The state of the row, if that is the reason; undefined if the row is missing or belongs to another account. */
  state?: string | undefined
}

/** An entry found by its request key; or an opening debt, whose amount is negative here. */
export type KeyedEntry = Pick<Entry, 'amount_nanos' | 'call_id' | 'note' | 'created_at_ms'> & {
  kind: Entry['kind'] | 'opening_debt'
}

export type OutcomeOf<O extends Operation> = O extends HoldOperation
  ? HoldOutcome
  : O extends PostOperation
    ? PostOutcome
    : O extends VoidOperation | ExpireOperation
      ? VoidOutcome
      : O extends RefundOperation
        ? RefundOutcome
        : MoneyOutcome
/** The result of `submit`. A hold may be decided without a promise. */
export type Submitted<O extends Operation> =
  | Promise<OutcomeOf<O>>
  | (O extends HoldOperation ? HoldOutcome : never)
export type Outcome = HoldOutcome | PostOutcome | VoidOutcome | MoneyOutcome | RefundOutcome

/** The ledger as the rest of the gateway uses it. */
export interface Ledger {
  /** Why nothing can be committed, in words that callers may read; undefined while commits work, as far as is known. */
  readonly failing: string | undefined
  /**
   * @returns the outcome, once its commit is on the disk; for a hold, at once if this process owns the ledger.
   * A refusal changes nothing: for example, settling a hold again is refused as `already_resolved`
   * @throws GatewayError overloaded (code `ledger_unavailable`) if the database could not be written within five seconds: the same
   * operation may be submitted again. It changed nothing, unless the disk hangs or fails to flush: then the outcome is unknown.
   * Overloaded without a code after `close`; internal if the operation itself cannot be written. The promise rejects with these;
   * for a hold that is decided at once they are thrown
   */
  submit<O extends Operation>(operation: O): Submitted<O>
  /** Decided holds whose rows are not written yet, by id: for at most 50 ms while the database can be written. */
  readonly unwritten: ReadonlyMap<number, Hold>
  /**
   * Writes the rows of `unwritten`, for code that reads the tables next or refers to the rows. Never rejects: rows that cannot be written stay
   * unwritten. Waits for no more than the batches in flight and next, and not at all while nothing can be written.
   */
  barrier(): Promise<void>
  /** Commits the submitted operations, then closes the database. */
  close(): Promise<void>
}
