// The differences between two catalogues in JSON: the same parts in the review before a save and in the history.
import { type Static, Type } from '@sinclair/typebox'
import type { ChangedPart } from '../../../src/catalogue/changed-parts.ts'
import type { Catalogue, Model } from '../../../src/domain/catalogue.ts'
import { OneOf } from '../../../src/http/schema.ts'
import { comparePrices, marginLines } from '../../../src/money/pricing/price-lines.ts'
import { changeView, MarginLineView, marginsView, PriceChangeView } from '../../prices/index.ts'
import { LossView, lossesIn } from './price-groups.ts'

const PART = {
  kind: OneOf(['model', 'provider', 'price_group', 'setting']),
  name: Type.String({ description: 'an id, a name, or `server.log_level`, of every section' }),
  change: OneOf(['added', 'removed', 'changed']),
  fields: Type.Array(Type.String()),
}

export const ChangedPartView = Type.Object(PART)

export const ChangesView = Type.Array(
  Type.Object({
    ...PART,
    prices: Type.Array(PriceChangeView, { description: 'of a model' }),
    margins: Type.Array(
      Type.Object({ provider: Type.String(), model: Type.String(), lines: Type.Array(MarginLineView) }),
      { description: 'of each route of a model with a known cost' },
    ),
    group_losses: Type.Array(LossView, {
      description: 'rates below cost in price groups, of a model or of a group',
    }),
  }),
)

export const partView = (part: ChangedPart): Static<typeof ChangedPartView> => ({
  ...part,
  fields: [...part.fields],
})

/**
 * @param parts the changes of a draft
 * @param before in force
 * @param after in force once the draft is saved
 */
export const changesView = (
  parts: readonly ChangedPart[],
  before: Catalogue,
  after: Catalogue,
): Static<typeof ChangesView> =>
  parts.map((part) => {
    const [was, is] = [before, after].map(({ models }) =>
      part.kind === 'model' ? models.get(part.name) : undefined,
    )
    return {
      ...partView(part),
      prices: priceChanges(was, is),
      margins: marginsOf(is),
      group_losses: groupLosses(part, after),
    }
  })

/** Of a part that is still there. */
function groupLosses({ kind, name }: ChangedPart, after: Catalogue) {
  if (kind === 'model') return lossesIn(after, { model: name })
  return kind === 'price_group' ? lossesIn(after, { group: name }) : []
}

/** A model that is added has all of its price. */
const priceChanges = (before: Model | undefined, after: Model | undefined) =>
  after ? comparePrices(before?.price, after.price).map(changeView) : []

const marginsOf = (model: Model | undefined) =>
  (model?.routes ?? []).flatMap(({ provider, model: name, cost }) =>
    cost && model ? [{ provider, model: name, lines: marginsView(marginLines(model.price, cost)) }] : [],
  )
