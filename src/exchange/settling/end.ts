// The end of a call: what it is charged for, or that it is charged for nothing.
import type { Nanos } from '../../domain/money.ts'
import type { ReportedUnits } from '../../domain/units.ts'
import type { ReportedUsage, Usage } from '../../domain/usage.ts'
import type { CallRecord } from '../../ledger/operations.ts'
import type { Charge } from '../../pricing/charge.ts'
import type { Attempt } from '../../upstream/routes.ts'
import type { DrawnTokens } from './provider-cost.ts'

/** The caller left before the answer: nginx's status for it. */
export const CLIENT_CLOSED_REQUEST = 499

/** What a call is charged for. */
export interface Delivered {
  outcome: CallRecord['outcome']
  charge: Charge
  usage: Usage
  /** The usage is the gateway's own estimate. */
  estimated: boolean
  images?: number
  /** Which attempts drew the images, one for each, or the tokens of each answer; absent if the attempt of the record drew them all. */
  drawn_by?: readonly Attempt[]
  drawn_tokens?: readonly DrawnTokens[]
  /** The caller has got some of it already, or can fetch it. */
  given_out?: boolean
  /** What the provider reported, where that is not what is charged. */
  told?: ReportedUsage | ReportedUnits | undefined
  /** Why that was not believed. */
  doubt?: string | undefined
  /** What the provider says that it took. */
  reported_cost_nanos?: Nanos | undefined
  /** Why the answer broke off. */
  cause?: unknown
}

/** How a call ended that is charged for nothing. */
export interface Undelivered {
  outcome: CallRecord['outcome']
  status: number
  /** Why it failed or broke off. */
  cause?: unknown
}
