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
   * Where the free balance or the rest of one of the key's spend limits is less than `amount_nanos`, the smallest of them
   * is held, provided it is at least this much (and at least 1).
   */
  minimum_nanos: Nanos
  /** The model, where the account has a plan: a plan that covers the call pays. Absent: the balance does. */
  model_id?: string | undefined
  now_ms: number
  expires_at_ms: number
  /** Refused where they are reached. Only where several gateways share the ledger: one alone counts in memory. */
  limits?: HoldLimits | undefined
  /** The outcome has `spend_left`, if the hold counts against such a limit. */
  tells_left?: true | undefined
}

/** The limits of a call's account and key, as the catalogue has them; absent where it limits nothing. */
export interface HoldLimits {
  account?: Limit | undefined
  key?: Limit | undefined
}

/** The hold of an earlier process, whose row was never written while its call was served; its id may be another's by now. */
export type LostHold = Omit<Hold, 'id' | 'state' | 'gateway_id' | OfPlan> &
  // Absent in the journal of a version that had no plans.
  Partial<Pick<Hold, OfPlan>>

type OfPlan = 'covered_nanos' | 'plan_period_id'

/** The record of a call when its hold is resolved; the rest of the row comes from the hold. */
export type CallRecord = Omit<
  Call,
  OfHold | OfPlan | 'cost_nanos' | 'unpaid_nanos' | 'refunded_nanos' | OfWriter | Later
> &
  // Absent in the journal of a version that did not record them.
  Partial<Pick<Call, Later>>

type OfHold = 'id' | 'request_id' | 'account_id' | 'key_id' | 'hold_nanos'
/** How the row stores it; in the record, `price` is the whole text. */
type OfWriter = 'summed' | 'price_id' | 'counted'
type Later =
  | 'failed_tries'
  | 'trace'
  | 'provider_cost_nanos'
  | 'reported_cost_nanos'
  | 'computed_cost_nanos'
  | 'costs_elsewhere'

/** Settles a hold with the record of its call. One that has expired is settled as well: it has nothing left to become free. */
interface Settlement {
  hold_id: number
  /** Of its call: a server that lost what it committed gives numbers again. Absent in journals of older versions. */
  request_id?: string | undefined
  /** Settled in place of `hold_id`, as one that has expired. */
  lost?: LostHold | undefined
  call: CallRecord
  /** A plan covers the call: what it costs counts there, and takes nothing from the balance. */
  is_covered?: true | undefined
  now_ms: number
}

/**
 * Resolves a hold with the cost of its call; the rest of the hold becomes free. A cost above the hold is taken from the
 * free balance, and what that does not cover becomes debt.
 */
export interface PostOperation extends Settlement {
  op: 'post'
  cost_nanos: Nanos
  /** The limits of its hold: its tokens count against them. */
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

/** A movement of money by the operator, or by what became of a payment. */
interface Movement {
  account_id: number
  amount_nanos: Nanos
  note: string
  /** Moves money once in its account: the same movement under it again changes nothing, and another one is refused. */
  request_key?: string | undefined
  /** The operator or account that moves it; absent: the gateway itself. */
  by?: ActionContext | undefined
  now_ms: number
}

/** Changes of rows with a movement of money, in its transaction. */
interface Changing {
  /** Refused as `wrong_state` unless each row is in a state that it may come from, and of the account or of nobody. */
  changes?: readonly StateChange[] | undefined
}

/** A credit to another account that goes with a top-up. Nothing is credited where the account is gone, or its key was used. */
export interface Share {
  account_id: number
  amount_nanos: Nanos
  note: string
  request_key: string
}

/** A withdrawal that a top-up pays for. Where it would be refused, the credit stays on the balance. */
export type Purchase = Pick<WithdrawOperation, 'amount_nanos' | 'note' | 'request_key' | 'changes'>

/** What a person may credit to accounts, top-ups and refunds together, since a moment. */
export interface Allowance {
  person_id: number
  since_ms: number
  limit_nanos: Nanos
}

/** A credit by somebody who may credit so much and no more. */
interface Credit {
  /** Of the person in `by`; absent: unlimited. */
  allowance?: Allowance | undefined
}

/** Adds to a balance; debt is paid from it first. */
export interface TopUpOperation extends Movement, Credit, Changing {
  op: 'top_up'
  shares?: readonly Share[] | undefined
  purchase?: Purchase | undefined
}

/** Takes from the free balance, never from holds. */
export interface WithdrawOperation extends Movement, Changing {
  op: 'withdraw'
}

/** Adds to an account's debt what it owes beside calls, such as where it was before or for a lost dispute, and pays that from its free balance. */
export interface OpenDebtOperation extends Movement, Changing {
  op: 'open_debt'
  request_key: string
}

/** Movements by the operator: each is made once under its key. */
export type MoneyOperation = TopUpOperation | WithdrawOperation | OpenDebtOperation

/**
 * Gives back what a call was charged, or a part of it, at most what was not refunded before; debt is paid from it first, also what the
 * call itself left unpaid. It no longer counts against the spend limit of its key, nor against budgets in whose period it was made.
 */
export interface RefundOperation extends Omit<Movement, 'amount_nanos'>, Credit {
  op: 'refund'
  key_id: number
  call_id: number
  /** Null: all that was not refunded before. */
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
  // `covered_nanos` and `plan_period_id` where a plan covers the call: `held_nanos` is 0 then.
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
  // `first`: the movement that was made under the same key before; nothing was moved.
  { ok: true; balance_nanos: Nanos; debt_nanos: Nanos; first?: KeyedEntry | undefined } | Refused
export type RefundOutcome =
  // `refunded_nanos`: what this refund gave back, or the one that was made under the same key before.
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
  /** The earlier use of the request's key, where that is why. */
  first?: KeyedEntry
  /** The owner of the limit of calls that is reached, where that is why. */
  limit?: LimitReached
  /** When the budget begins anew, where that is why; null: five hours after its next call, or the call needs more than a whole limit. */
  resets_at_ms?: number | null
  /** What is left of the person's allowance, where that is why. */
  left_nanos?: Nanos
  /** The state that a row is in, where that is why; undefined where it is not there, or of another account. */
  state?: string | undefined
}

/** An entry that is known by the key of its request; or an opening debt, whose amount is negative here. */
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
/** A hold may be decided at once. */
export type Submitted<O extends Operation> =
  | Promise<OutcomeOf<O>>
  | (O extends HoldOperation ? HoldOutcome : never)
export type Outcome = HoldOutcome | PostOutcome | VoidOutcome | MoneyOutcome | RefundOutcome

/** The ledger as the rest of the gateway sees it. */
export interface Ledger {
  /** Why nothing can be committed at the moment, in words that anybody may read; undefined while it can, as far as is known. */
  readonly failing: string | undefined
  /**
   * @returns the outcome, once the commit that contains it is on the disk; of a hold, where this process owns the ledger, at once.
   * A refusal changes nothing: settling a hold again, for example, is refused as `already_resolved`
   * @throws GatewayError overloaded (code `ledger_unavailable`) where the database could not be written within five
   * seconds: the same operation may be submitted again. Nothing was changed, but where the disk hangs or fails to
   * flush, which may show only later; overloaded without a code after `close`; internal if the operation itself cannot be
   * written. The promise rejects with them; for a hold that is decided at once they are thrown
   */
  submit<O extends Operation>(operation: O): Submitted<O>
  /** Holds that were decided, and whose rows are not written yet, by their ids: for 50 ms at most, while anything can be written. */
  readonly unwritten: ReadonlyMap<number, Hold>
  /**
   * Writes those rows, for who reads the tables next or refers to them. Never rejects: what cannot be written stays unwritten.
   * Waits for no more than the batches in flight and next, and not at all while nothing can be written.
   */
  barrier(): Promise<void>
  /** Commits the operations under way, then closes the database. */
  close(): Promise<void>
}
