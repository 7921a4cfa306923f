// Views of differences between two catalogues, for the review before saving and for the history.
import { type Static, Type } from '@sinclair/typebox'
import type { ChangedPart } from '../../../src/catalogue/changed-parts.ts'
import type { Catalogue, Model } from '../../../src/domain/catalogue.ts'
import { OneOf } from '../../../src/http/schema.ts'
import { comparePrices, marginLines } from '../../../src/money/pricing/price-lines.ts'
import { changeView, MarginLineView, marginsView, PriceChangeView } from '../../prices/index.ts'
import { LossView, lossesIn } from './price-groups.ts'

const PART = {
  kind: OneOf(['model', 'provider', 'price_group', 'setting']),
  name: Type.String({ description: 'an id, a name, or the path of a setting, such as `server.log_level`' }),
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
 * @param before the catalogue in force
 * @param after the catalogue of the draft
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

/** Returns losses of a model or group that still exists after the change. */
function groupLosses({ kind, name }: ChangedPart, after: Catalogue) {
  if (kind === 'model') return lossesIn(after, { model: name })
  return kind === 'price_group' ? lossesIn(after, { group: name }) : []
}

/** For a new model, all of its price is a change. */
const priceChanges = (before: Model | undefined, after: Model | undefined) =>
  after ? comparePrices(before?.price, after.price).map(changeView) : []

const marginsOf = (model: Model | undefined) =>
  (model?.routes ?? []).flatMap(({ provider, model: name, cost }) =>
    cost && model ? [{ provider, model: name, lines: marginsView(marginLines(model.price, cost)) }] : [],
  )
