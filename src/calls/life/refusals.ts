// The caller's errors when the ledger refuses a hold, or cannot write it.
import { expiredKey, suspendedAccount, unknownKey } from '../../access/gate.ts'
import { type GatewayError, insufficientBalance, internal } from '../../domain/errors.ts'
import { ledgerUnavailable } from '../../money/ledger/failure.ts'
import type { Refusal } from '../../money/ledger/operations.ts'
import type { CallParts } from '../parts.ts'

const TOP_UP = 'Ask the operator of this gateway to top it up'

const ERRORS: Partial<Record<Refusal, () => GatewayError>> = {
  no_such_account: unknownKey,
  no_such_key: unknownKey,
  key_revoked: unknownKey,
  key_expired: expiredKey,
  account_suspended: suspendedAccount,
  key_spend_limit: () =>
    insufficientBalance(
      "This API key's spend limit does not cover this call. Raise the limit, or ask for less.",
    ),
  key_daily_limit: () =>
    insufficientBalance(
      "This API key's daily spend limit does not cover this call. The next day begins at 00:00 UTC. Raise the limit, or ask for less.",
    ),
  key_monthly_limit: () =>
    insufficientBalance(
      "This API key's monthly spend limit does not cover this call. The next month begins on the 1st at 00:00 UTC. Raise the limit, or ask for less.",
    ),
  insufficient_balance: () =>
    insufficientBalance(`The account's free balance does not cover this call. ${TOP_UP}, or ask for less.`),
  outstanding_debt: () =>
    insufficientBalance(`The account has unpaid charges. ${TOP_UP}: a top-up pays the debt first.`, {
      code: 'OUTSTANDING_DEBT',
    }),
}

/** How media are sent that can be counted. */
const COUNTED =
  'Its media cannot be counted, so that as much is held as the model reads: send files as data instead of by an address or an id, PDFs without encryption, sound as WAV, MP3, FLAC, Ogg, MP4 or WebM, and videos as MP4 or WebM, where the model takes them.'

/**
 * The error for a refused hold. A refusal that no caller can bring about is the gateway's own failure.
 * @param is_uncounted all of the model's context was to be held, since something in the request cannot be counted
 */
export function refusalError(refusal: Refusal, is_uncounted = false): GatewayError {
  const error = ERRORS[refusal]?.()
  if (!error)
    return internal('The gateway could not price this call. It has been logged.', { cause: refusal })
  const is_of_amount = error.kind === 'insufficient_balance' && refusal !== 'outstanding_debt'
  return is_uncounted && is_of_amount ? insufficientBalance(`${error.message} ${COUNTED}`) : error
}

/** While nothing can be charged, nothing new begins. @throws GatewayError overloaded */
export function refuseWhileClosed({ closed }: Pick<CallParts, 'closed'>): void {
  const reason = closed()
  if (reason !== undefined) throw ledgerUnavailable(reason)
}
