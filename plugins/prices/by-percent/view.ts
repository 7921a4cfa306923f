// JSON of a price change by per cent, for the console and `--json`.
import { type Static, Type } from '@sinclair/typebox'
import { marginPercent } from '../../../src/domain/margin.ts'
import { Nullable, OneOf } from '../../../src/http/schema.ts'
import { MoneyFields, money, NullableMoneyFields } from '../../../src/http/views.ts'
import type { ChangedLine, ChangedModel } from './plan.ts'

const LineView = Type.Object({
  name: Type.String({ description: 'as the catalogue file names it' }),
  of: Type.String({ description: 'the calls that it applies to; empty: all' }),
  per: Type.String({ description: 'the unit of the amount' }),
  ...MoneyFields('old_price'),
  ...MoneyFields('price'),
  ...NullableMoneyFields('old_cost'),
  ...NullableMoneyFields('cost', 'What the provider charges'),
  ...NullableMoneyFields('margin', 'What is left of the new price'),
  margin_percent: Nullable(Type.String({ description: 'of the new price, to a tenth' })),
  follows: Type.Boolean({ description: 'whether it is derived from another rate of the price' }),
})

export const ChangedModelView = Type.Object({
  id: Type.String(),
  kind: Type.String(),
  chosen: Type.Boolean({ description: 'false: it does not change' }),
  left: Type.Array(OneOf(['free', 'cost unknown']), { description: 'why an amount stays' }),
  routes: Type.Array(
    Type.Object({ provider: Type.String(), model: Type.String(), lines: Type.Array(LineView) }),
    { description: 'routes, also of other providers: they share the price' },
  ),
})

export const changedModelView = ({
  id,
  kind,
  is_chosen,
  left,
  routes,
}: ChangedModel): Static<typeof ChangedModelView> => ({
  id,
  kind,
  chosen: is_chosen,
  left: [...left],
  routes: routes.map(({ provider, model, lines }) => ({ provider, model, lines: lines.map(lineView) })),
})

function lineView(line: ChangedLine): Static<typeof LineView> {
  const { name, of, per, price_nanos, cost_nanos, follows } = line
  return {
    ...{ name, of, per, follows },
    ...money('old_price', line.old_price_nanos),
    ...money('price', price_nanos),
    ...money('old_cost', line.old_cost_nanos),
    ...money('cost', cost_nanos),
    ...money('margin', cost_nanos === null ? null : price_nanos - cost_nanos),
    margin_percent: cost_nanos === null ? null : marginPercent(price_nanos, cost_nanos),
  }
}
