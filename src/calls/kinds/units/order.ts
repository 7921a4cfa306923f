// A call that is priced by units and was read: its model, and what it can use.
import type { UnitModel } from '../../../domain/catalogue.ts'
import type { Units } from '../../../domain/units.ts'
import type { UnitBounds } from '../../../money/pricing/units.ts'
import type { PaidOrder } from '../../life/order.ts'

export interface UnitOrder<M extends UnitModel = UnitModel> extends PaidOrder<M> {
  /** The units to hold for. */
  held: Units
  bounds: UnitBounds
  /** The units that its provider bills for the request alone. */
  input: Units
}
