// The end of a call: delivered and charged, or not charged.
import type { ExtraCharge } from '../../domain/extras.ts'
import type { Nanos } from '../../domain/money.ts'
import type { TokenPrice } from '../../domain/prices.ts'
import type { ReportedUnits } from '../../domain/units.ts'
import { NO_USAGE, type ReportedUsage, type Usage } from '../../domain/usage.ts'
import type { CallRecord } from '../../money/ledger/operations.ts'
import { type Charge, chargeTokens } from '../../money/pricing/charge.ts'
import type { Attempt } from '../../upstream/routes.ts'
import type { RunningCall } from '../life/running.ts'
import type { ImageAnswerTokens } from './provider-cost.ts'

/** The caller disconnected before the answer: nginx's status for it. */
export const CLIENT_CLOSED_REQUEST = 499

/** The end of a call that is charged. */
export interface Delivered {
  outcome: CallRecord['outcome']
  charge: Charge
  usage: Usage
  /** The usage is the gateway's estimate. */
  estimated: boolean
  images?: number
  /** The attempt of each image, or the tokens of each answer; absent if the recorded attempt made all images. */
  image_attempts?: readonly Attempt[]
  tokens_by_answer?: readonly ImageAnswerTokens[]
  /** The caller has received a part, or can fetch it. */
  has_reached_caller?: boolean
  /** The provider's report, if it differs from the charged usage. */
  reported_usage?: ReportedUsage | ReportedUnits | undefined
  /** Why the report was not accepted. */
  doubt?: string | undefined
  /** The cost that the provider reported. */
  reported_cost_nanos?: Nanos | undefined
  /** Why the answer was interrupted. */
  cause?: unknown
}

/** A whole answer is completed and charged even if its caller has disconnected by then. */
export const wholeOutcome = ({ place }: { place: Pick<RunningCall, 'gone'> }): 'cancelled' | 'completed' =>
  place.gone.aborted ? 'cancelled' : 'completed'

/** The charge for a request that was sent and not answered. */
export type Spent = Pick<Delivered, 'charge' | 'usage'>

/**
 * Charges the input of a sent request. A caller who disconnects before anything was reported or delivered pays this.
 * @param input_tokens the estimate @param extras the extras used beyond tokens, as far as known
 */
export function spentInput(
  price: TokenPrice,
  input_tokens: number,
  extras: readonly ExtraCharge[] = [],
): Spent {
  const usage = { ...NO_USAGE, input_tokens }
  return { usage, charge: chargeTokens(price, usage, extras) }
}

/** The end of a call that is not charged. */
export interface Undelivered {
  outcome: CallRecord['outcome']
  status: number
  /** Why it failed or was interrupted. */
  cause?: unknown
}
