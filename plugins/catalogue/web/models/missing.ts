// Required fields of a new model, checked in the browser: its names and its price.
import { missingRates, unitOf, unitsOf } from '../parts/price-units.ts'
import { type Block, blockAt, type Mistake, type Path, textAt, writtenPath } from '../parts/values.ts'

export type FieldMistake = Pick<Mistake, 'path' | 'message'>

/** Returns missing fields. A price is required: the default must not be free. */
export function missingFields(model: Block, path: Path): FieldMistake[] {
  const at = (...own: Path) => writtenPath([...path, ...own])
  const kind = textAt(model, 'kind')
  const price = blockAt(model, 'price')
  const unit = unitOf(kind, price) ?? unitsOf(kind)[0]
  const rates = unit ? missingRates(unit, price) : []
  return [
    ...(textAt(model, 'routes', 0, 'model') === ''
      ? [{ path: at('routes', 0, 'model'), message: 'Enter the provider’s own ID of the model.' }]
      : []),
    ...(textAt(model, 'id') === '' ? [{ path: at('id'), message: 'Enter the name that callers use.' }] : []),
    ...rates.map((name) => ({
      path: at('price', name),
      message: 'Enter a price, or switch on “Free model”.',
    })),
  ]
}
