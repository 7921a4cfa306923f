// Views of prices for the console: price lines, changes and margins.
import { type Static, Type } from '@sinclair/typebox'
import { marginPercent } from '../../../src/domain/margin.ts'
import type { Nanos } from '../../../src/domain/money.ts'
import type { Price } from '../../../src/domain/prices.ts'
import { Nullable } from '../../../src/http/schema.ts'
import { MoneyFields, money, NullableMoneyFields } from '../../../src/http/views.ts'
import { type MarginLine, type PriceChange, priceLines } from '../../../src/money/pricing/price-lines.ts'

const LINE = {
  name: Type.String({ description: 'as the catalogue file names it' }),
  of: Type.String({ description: 'the calls that it applies to; empty: all' }),
  per: Type.String({ description: 'the unit of the amount' }),
}

export const PriceLineView = Type.Object({ ...LINE, ...MoneyFields('price') })
export const PriceChangeView = Type.Object({
  ...LINE,
  ...NullableMoneyFields('before'),
  ...NullableMoneyFields('after'),
})

export const MarginLineView = Type.Object({
  ...LINE,
  ...MoneyFields('price'),
  ...MoneyFields('cost'),
  ...MoneyFields('margin'),
  margin_percent: Nullable(Type.String({ description: 'of the price, to a tenth; null if it is free' })),
})

/** Returns margins of a route. Omits lines with an unknown cost. */
export const marginsView = (lines: readonly MarginLine[]): Static<typeof MarginLineView>[] =>
  lines.flatMap(({ price_nanos, cost_nanos, ...line }) =>
    cost_nanos === null ? [] : [{ ...line, ...marginView(price_nanos, cost_nanos) }],
  )

const marginView = (price_nanos: Nanos, cost_nanos: Nanos) => ({
  ...money('price', price_nanos),
  ...money('cost', cost_nanos),
  ...money('margin', price_nanos - cost_nanos),
  margin_percent: marginPercent(price_nanos, cost_nanos),
})

export const linesView = (price: Price): Static<typeof PriceLineView>[] =>
  priceLines(price).map(({ nanos, ...line }) => ({ ...line, ...money('price', nanos) }))

export const changeView = ({
  before_nanos,
  after_nanos,
  name,
  of,
  per,
}: PriceChange): Static<typeof PriceChangeView> => ({
  name,
  of,
  per,
  ...money('before', before_nanos),
  ...money('after', after_nanos),
})
