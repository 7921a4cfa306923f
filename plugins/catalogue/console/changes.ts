// What is different between two catalogues, as the operator is told before it is in force.
import { type Static, Type } from '@sinclair/typebox'
import type { ChangedPart } from '../../../src/catalogue/changed-parts.ts'
import type { Catalogue, Model } from '../../../src/domain/catalogue.ts'
import { OneOf } from '../../../src/http/schema.ts'
import { marginLines } from '../../../src/money/pricing/margin-lines.ts'
import { comparePrices } from '../../../src/money/pricing/price-lines.ts'
import { changeView, MarginLineView, marginsView, PriceChangeView } from '../../prices/index.ts'

const CHANGE = { change: OneOf(['added', 'removed', 'changed']), what: Type.Array(Type.String()) }

export const ChangesView = Type.Object({
  models: Type.Array(
    Type.Object({
      id: Type.String(),
      ...CHANGE,
      prices: Type.Array(PriceChangeView),
      margins: Type.Array(
        Type.Object({ provider: Type.String(), model: Type.String(), lines: Type.Array(MarginLineView) }),
        { description: 'what would be left of the price, of each route that says what it costs' },
      ),
    }),
  ),
  providers: Type.Array(Type.Object({ name: Type.String(), ...CHANGE })),
  settings: Type.Array(Type.String({ description: '`server.log_level`, of every section' })),
})

/**
 * @param parts what a draft changes in the file
 * @param before in force
 * @param after what would be
 */
export const changesView = (
  parts: readonly ChangedPart[],
  before: Catalogue,
  after: Catalogue,
): Static<typeof ChangesView> => ({
  models: ofKind(parts, 'model').map(({ name: id, change, fields }) => ({
    id,
    change,
    what: fields.filter((field) => field !== 'price'),
    prices: priceChanges(before.models.get(id), after.models.get(id)),
    margins: marginsOf(after.models.get(id)),
  })),
  providers: ofKind(parts, 'provider').map(({ name, change, fields }) => ({
    name,
    change,
    what: [...fields],
  })),
  settings: ofKind(parts, 'setting').map(({ name }) => name),
})

const ofKind = (parts: readonly ChangedPart[], kind: ChangedPart['kind']) =>
  parts.filter((part) => part.kind === kind)

/** Of a model that is added, all of its price. */
const priceChanges = (before: Model | undefined, after: Model | undefined) =>
  after ? comparePrices(before?.price, after.price).map(changeView) : []

const marginsOf = (model: Model | undefined) =>
  (model?.routes ?? []).flatMap(({ provider, model: name, cost }) =>
    cost && model ? [{ provider, model: name, lines: marginsView(marginLines(model.price, cost)) }] : [],
  )
