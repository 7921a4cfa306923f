// Redemption of vouchers: one ledger transaction credits the account and marks the voucher.
import { hashKey } from '../../src/access/secret.ts'
import type { ActionContext } from '../../src/domain/actions.ts'
import {
  conflict,
  type GatewayError,
  invalidRequest,
  notFound,
  unprocessable,
} from '../../src/domain/errors.ts'
import type { Nanos } from '../../src/domain/money.ts'
import type { MoneyOutcome, TopUpOperation } from '../../src/money/ledger/operations.ts'
import type { Db } from '../../src/store/db.ts'
import type { StateChange } from '../../src/store/state-changes.ts'
import { parseCode } from './code.ts'
import type { GuessLimiter, Redeemer } from './guesses.ts'
import { type VoucherOfBatch, voucherByHash } from './store.ts'

export interface RedemptionParts {
  db: Db
  /** Executes the credit: by the ledger, or in a command by the gateway that serves the folder. */
  topUp: (operation: TopUpOperation) => Promise<MoneyOutcome>
  now: () => number
  guesses: GuessLimiter
}

interface Attempt extends Redeemer, Pick<StateChange, 'source' | 'detail'> {
  /** As typed. */
  code: string
  by: ActionContext | undefined
}

export interface RedemptionResult {
  voucher_id: number
  amount_nanos: Nanos
  balance_nanos: Nanos
  debt_nanos: Nanos
  /** Whether the account had redeemed the voucher before: nothing was added. */
  again: boolean
}

/**
 * Redeems a voucher for an account. Idempotent: a repeated request gets the same answer, and adds nothing.
 *
 * @throws GatewayError invalid_request for a code with a typing error; not_found for an unknown code; conflict if it was redeemed or revoked,
 * has expired, or is a second one of a batch that allows one per account; rate_limited after many wrong codes
 */
export async function redeemVoucher(parts: RedemptionParts, redeeming: Attempt): Promise<RedemptionResult> {
  const { db, topUp, now, guesses } = parts
  const { account_id, by, source, detail } = redeeming
  const read = parseCode(redeeming.code)
  if (read.kind === 'mistyped') throw mistyped()
  const takeBack = guesses.attempt(redeeming)
  const voucher = await voucherByHash(db, hashKey(read.code))
  if (!voucher) throw unknown()
  takeBack()
  const now_ms = now()
  requireUsable(voucher, account_id, now_ms)
  const { id, batch_id, amount_nanos, once_each } = voucher
  const outcome = await topUp({
    op: 'top_up',
    account_id,
    amount_nanos,
    note: `Voucher ${id}`,
    // A ledger key is used only once per account, so the ledger enforces "once per account".
    request_key: once_each === 1 ? `voucher-batch:${batch_id}` : `voucher:${id}`,
    by,
    now_ms,
    changes: [{ table: 'vouchers', id, from: ['new'], to: 'redeemed', source, detail }],
  })
  if (!outcome.ok) throw refusalOf(outcome.refusal)
  const { balance_nanos, debt_nanos, first } = outcome
  return { voucher_id: id, amount_nanos, balance_nanos, debt_nanos, again: first !== undefined }
}

/** @throws GatewayError conflict */
function requireUsable(
  { state, account_id, expires_at_ms }: VoucherOfBatch,
  redeemer_id: number,
  now_ms: number,
): void {
  // For the same account, the ledger reports the repetition.
  if (state === 'redeemed' && account_id !== redeemer_id) throw redeemed()
  if (state === 'revoked')
    throw conflict('This voucher was revoked. Ask the person who gave it to you.', {
      ...CODE,
      code: 'voucher_revoked',
    })
  const is_over = state === 'new' && expires_at_ms !== null && expires_at_ms <= now_ms
  if (state === 'expired' || is_over)
    throw conflict(
      `This voucher expired on ${new Date(expires_at_ms ?? 0).toISOString().slice(0, 10)}. Ask the person who gave it to you for another one.`,
      { ...CODE, code: 'voucher_expired' },
    )
}

function refusalOf(refusal: string): GatewayError {
  if (refusal === 'wrong_state') return redeemed()
  if (refusal === 'request_key_used')
    return conflict(
      'Your account has redeemed a voucher of this kind already. Each account can redeem one of them.',
      { ...CODE, code: 'voucher_once_per_account' },
    )
  if (refusal === 'amount_out_of_range')
    return unprocessable('The balance would be more than an account can hold. Nothing was added.', {
      code: refusal,
    })
  return unprocessable(`The ledger refused: ${refusal}. Nothing was added.`, { code: refusal })
}

const CODE = { param: 'code' }

const mistyped = () =>
  invalidRequest('code: has a typing error. Compare it with your voucher, character by character.', {
    ...CODE,
    code: 'voucher_mistyped',
  })

/** The same error for every unknown text. */
const unknown = () =>
  notFound('No voucher has this code. Check it, and enter all of it.', { ...CODE, code: 'voucher_unknown' })

const redeemed = () =>
  conflict('This voucher was redeemed already. Each voucher works once.', {
    ...CODE,
    code: 'voucher_redeemed',
  })
