// Price groups in the review of a draft: price changes for each group, models below cost, and removed groups with accounts.
import { type Static, Type } from '@sinclair/typebox'
import { countByGroup } from '../../../src/access/account-group.ts'
import type { Catalogue, Model } from '../../../src/domain/catalogue.ts'
import { modelsFor } from '../../../src/domain/price-groups.ts'
import { marginLines } from '../../../src/money/pricing/price-lines.ts'
import type { Db } from '../../../src/store/db.ts'
import { MarginLineView, marginsView, type RepricedModel } from '../../prices/index.ts'

/** Returns models with a new price, for list prices and for each group, and the names of all groups. */
export function repricedModels(
  before: Catalogue,
  after: Catalogue,
): { models: RepricedModel[]; groups: ReadonlySet<string> } {
  const groups = new Set([...before.price_groups.keys(), ...after.price_groups.keys()])
  const models = [null, ...groups].flatMap((group) => {
    const next_models = modelsFor(after, group)
    return [...modelsFor(before, group).values()].flatMap(({ id, price: current }): RepricedModel[] => {
      const next = next_models.get(id)?.price
      return Bun.deepEquals(current, next) ? [] : [{ id, group, current, next }]
    })
  })
  return { models, groups }
}

export const LostGroupsView = Type.Array(
  Type.Object({ name: Type.String(), accounts: Type.Integer({ description: 'open accounts in it' }) }),
  { description: 'price groups that a draft removes, with accounts in them: these would pay list prices' },
)

/** Returns removed groups that still have accounts. */
export async function lostGroups(
  db: Db,
  before: Catalogue,
  after: Catalogue,
): Promise<Static<typeof LostGroupsView>> {
  const removed = [...before.price_groups.keys()].filter((name) => !after.price_groups.has(name))
  if (removed.length === 0) return []
  const counts = await countByGroup(db)
  return counts.flatMap(({ price_group: name, accounts }) =>
    removed.includes(name) ? [{ name, accounts }] : [],
  )
}

export const LossView = Type.Object({
  group: Type.String(),
  model: Type.String({ description: 'as callers name it' }),
  provider: Type.String(),
  lines: Type.Array(MarginLineView, { description: 'rates below the cost of that provider' }),
})

/** Returns losses of one model in each group, or of all models in one group. */
export function lossesIn(
  { models: list, price_groups }: Catalogue,
  of: { readonly model?: string; readonly group?: string },
): Static<typeof LossView>[] {
  return [...price_groups.values()].flatMap(({ name: group, models }) => {
    if (of.group !== undefined && of.group !== group) return []
    const chosen = of.model === undefined ? [...models.values()] : [models.get(of.model) ?? []].flat()
    return chosen.flatMap((model) =>
      model === list.get(model.id) ? [] : lossesOf(model).map((loss) => ({ group, ...loss })),
    )
  })
}

const lossesOf = ({ id: model, price, routes }: Model) =>
  routes.flatMap(({ provider, cost }) => {
    if (!cost) return []
    const lines = marginsView(marginLines(price, cost)).filter(({ margin_nanos }) => margin_nanos < 0)
    return lines.length === 0 ? [] : [{ model, provider, lines }]
  })
