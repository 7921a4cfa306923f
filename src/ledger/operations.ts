// Owns what can be asked of the ledger and what it can answer: plain values that may cross to another thread.
import type { Call } from '../db/schema.ts'
import type { Nanos } from '../domain/money.ts'

/** Freezes money for one call. Refused unless the account, its key and its money all allow it at this moment. */
export interface HoldOperation {
  op: 'hold'
  account_id: number
  key_id: number
  request_id: string
  /** The most that the call can cost. */
  amount_nanos: Nanos
  /**
   * Where what is free, or what the key may still spend, is less than `amount_nanos`, all of it is held, if it is at
   * least this much (and at least 1).
   */
  minimum_nanos: Nanos
  now_ms: number
  expires_at_ms: number
}

/** What is recorded of a call when it is resolved; the rest of the row comes from its hold. */
export type CallRecord = Omit<
  Call,
  'id' | 'request_id' | 'account_id' | 'key_id' | 'hold_nanos' | 'cost_nanos' | 'unpaid_nanos'
>

/** Resolves a hold at what the call cost; what was held beyond it is free again. A cost beyond the hold is taken from the free balance, then becomes debt. */
export interface PostOperation {
  op: 'post'
  hold_id: number
  cost_nanos: Nanos
  call: CallRecord
  now_ms: number
}

/** Resolves a hold at nothing; all of it is free again. */
export interface VoidOperation {
  op: 'void'
  hold_id: number
  call: CallRecord
  now_ms: number
}

/** Resolves a hold that its call left behind (a dead process, or a call past its time limit). */
export interface ExpireOperation {
  op: 'expire'
  hold_id: number
  now_ms: number
}

/** Adds to a balance; what is owed is paid from it first. */
export interface TopUpOperation {
  op: 'top_up'
  account_id: number
  amount_nanos: Nanos
  note: string
  now_ms: number
}

/** Takes from the free balance, never from what is held. */
export interface WithdrawOperation {
  op: 'withdraw'
  account_id: number
  amount_nanos: Nanos
  note: string
  now_ms: number
}

export type Operation =
  | HoldOperation
  | PostOperation
  | VoidOperation
  | ExpireOperation
  | TopUpOperation
  | WithdrawOperation

export type Refusal =
  | 'no_such_account'
  | 'account_suspended'
  | 'no_such_key'
  | 'key_revoked'
  | 'key_expired'
  | 'key_spend_limit'
  | 'insufficient_balance'
  | 'outstanding_debt'
  | 'no_such_hold'
  | 'already_resolved'
  | 'amount_out_of_range'

export type HoldOutcome = { ok: true; hold_id: number; held_nanos: Nanos } | Refused
export type PostOutcome = { ok: true; charged_nanos: Nanos; unpaid_nanos: Nanos } | Refused
export type VoidOutcome = { ok: true; returned_nanos: Nanos } | Refused
export type MoneyOutcome = { ok: true; balance_nanos: Nanos; debt_nanos: Nanos } | Refused
export interface Refused {
  ok: false
  refusal: Refusal
}

export type OutcomeOf<O extends Operation> = O extends HoldOperation
  ? HoldOutcome
  : O extends PostOperation
    ? PostOutcome
    : O extends VoidOperation | ExpireOperation
      ? VoidOutcome
      : MoneyOutcome
export type Outcome = HoldOutcome | PostOutcome | VoidOutcome | MoneyOutcome

/** The ledger as callers see it. A promise resolves only after the commit that holds its effect is on the disk. */
export interface Ledger {
  submit<O extends Operation>(operation: O): Promise<OutcomeOf<O>>
  /** Commits what is under way, then lets go of the database. */
  close(): Promise<void>
}
