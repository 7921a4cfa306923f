// Calls priced by units, of every kind: order, hold and charge.
import type { UnitModel } from '../../../domain/catalogue.ts'
import type { ReportedUnits, Units } from '../../../domain/units.ts'
import {
  billUnits,
  chargeUnits,
  quoteUnits,
  tokensOf,
  type UnitBounds,
} from '../../../money/pricing/units.ts'
import type { Attempt } from '../../../upstream/routes.ts'
import type { PaidCall } from '../../life/admission.ts'
import type { Held, PaidOrder } from '../../life/call.ts'
import type { PaidKind } from '../../life/paid-kind.ts'
import type { CallParts } from '../../parts.ts'
import type { Delivered, Spent } from '../../settling/end.ts'
import { reportDoubt } from '../../settling/reported-usage.ts'

export interface UnitOrder<M extends UnitModel = UnitModel> extends PaidOrder<M> {
  /** The units that the hold covers. */
  held: Units
  bounds: UnitBounds
  /** The units that the provider bills for the request alone. */
  input: Units
}

/** Holds the most that the call can use. A caller who disconnects after the request was sent pays for the input. */
export const UNIT_PRICING: Pick<PaidKind<PaidCall, UnitOrder>, 'quote' | 'spent'> = {
  quote: ({ model, held }) => quoteUnits(model.price, held),
  spent: ({ model, input }): Spent => ({ usage: tokensOf(input), charge: chargeUnits(model.price, input) }),
}

/** Bills the reported units. @param bounds those of the order, unless the answer narrowed them */
export function deliveredUnits(
  parts: Pick<CallParts, 'log'>,
  held: Held<UnitOrder>,
  attempt: Attempt,
  reported: ReportedUnits | undefined,
  bounds = held.order.bounds,
): Pick<Delivered, 'charge' | 'usage' | 'estimated' | 'reported_usage' | 'doubt'> {
  const { model } = held.order
  const { units, estimated, doubt } = billUnits(model.price, reported, bounds)
  reportDoubt(parts, held, attempt, doubt === undefined ? undefined : { reported, why: doubt }, units)
  const reported_usage = estimated || doubt !== undefined ? reported : undefined
  return { charge: chargeUnits(model.price, units), usage: tokensOf(units), estimated, reported_usage, doubt }
}
