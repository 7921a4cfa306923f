// The allowance of support: the amount that a person may credit in a day, which the ledger counts, and the error once it is used up.
import type { Viewer } from '../../src/access/viewer.ts'
import type { Gateway } from '../../src/app/surface/gateway.ts'
import { type GatewayError, permissionDenied, unprocessable } from '../../src/domain/errors.ts'
import { formatUsd } from '../../src/domain/money.ts'
import { dayStart } from '../../src/domain/ranges.ts'
import type { Allowance, Refused } from '../../src/money/ledger/operations.ts'
import { staffSettings } from './settings.ts'

/**
 * Returns the amount that a viewer may credit; undefined without a limit.
 *
 * @throws GatewayError permission_denied for support if the operator lets them credit nothing
 */
export function allowanceOf({ calls }: Pick<Gateway, 'calls'>, viewer: Viewer): Allowance | undefined {
  if (viewer.side !== 'operator' || viewer.role === 'operator') return undefined
  const { support_credit_nanos: limit_nanos } = staffSettings.of(calls.catalogue())
  if (limit_nanos === 0) throw creditNotAllowed()
  return { person_id: viewer.person_id, since_ms: dayStart(calls.now()), limit_nanos }
}

/** Whether a viewer with the right to credit has any allowance. */
export const isCreditAllowed = ({ calls }: Pick<Gateway, 'calls'>, { role }: Viewer): boolean =>
  role !== 'support' || staffSettings.of(calls.catalogue()).support_credit_nanos > 0

/** @param done the sentence about the refused action: "Nothing was added." */
export function overAllowance(
  { limit_nanos }: Pick<Allowance, 'limit_nanos'>,
  { left_nanos = 0 }: Refused,
  done: string,
): GatewayError {
  const limit = `You may credit ${formatUsd(limit_nanos)} USD a day, top-ups and refunds together`
  const left =
    left_nanos === 0
      ? 'and nothing of it is left today'
      : `and ${formatUsd(left_nanos)} USD of it are left today`
  return unprocessable(`amount: ${limit}, ${left} (UTC). ${done} Ask an operator for more.`, {
    param: 'amount',
    code: 'credit_limit',
  })
}

const creditNotAllowed = () =>
  permissionDenied(
    'Your role is support, which may not add or refund money here: the operator has set no limit for it. Ask an operator.',
    { code: 'role_may_not' },
  )
