// Price groups in the console: factors, number of accounts, and models sold below cost.
import { type Static, Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { countByGroup } from '../../../src/access/account-group.ts'
import { type ConsoleParts, FAILURES, operatorCalls } from '../../../src/app/surface/console/calls.ts'
import type { Catalogue, PriceGroup } from '../../../src/domain/catalogue.ts'
import { marginLines } from '../../../src/money/pricing/price-lines.ts'

const GroupView = Type.Object({
  name: Type.String(),
  factor: Type.String({ description: 'factor of list prices, as written: `0.8`' }),
  model_factors: Type.Array(
    Type.Object({
      models: Type.String({ description: 'the id of a model, or a pattern' }),
      factor: Type.String(),
    }),
    { description: 'factors that replace it for some models' },
  ),
  accounts: Type.Integer({ description: 'open accounts in it' }),
  in_catalogue: Type.Boolean({ description: 'false: its accounts pay list prices' }),
  below_cost: Type.Array(Type.String(), {
    description: 'models with a rate below the known cost of a route, in this group',
  }),
})

const GroupsView = Type.Object({ groups: Type.Array(GroupView) })

/** `GET /console/api/price-groups`, for the staff: groups of the catalogue, then groups of accounts that the catalogue lacks. */
export const priceGroupRoutes = (gateway: ConsoleParts) =>
  new Elysia({ name: 'console-price-groups' }).use(operatorCalls(gateway)).get(
    '/console/api/price-groups',
    async () => {
      const catalogue = gateway.calls.catalogue()
      const counts = await countByGroup(gateway.db)
      const accounts = new Map(counts.map((count) => [count.price_group, count.accounts]))
      const unknown = counts.filter(({ price_group }) => !catalogue.price_groups.has(price_group))
      return {
        groups: [
          ...[...catalogue.price_groups.values()].map((group) =>
            groupView(catalogue, group, accounts.get(group.name) ?? 0),
          ),
          ...unknown.map(({ price_group, accounts }) => unknownGroupView(price_group, accounts)),
        ],
      }
    },
    { response: { 200: GroupsView, ...FAILURES } },
  )

function groupView(
  { models: list }: Catalogue,
  { name, factor, model_factors, models }: PriceGroup,
  accounts: number,
): Static<typeof GroupView> {
  const below_cost = [...models.values()].filter(
    (model) =>
      model !== list.get(model.id) &&
      model.routes.some(
        ({ cost }) =>
          cost &&
          marginLines(model.price, cost).some(
            ({ price_nanos, cost_nanos }) => cost_nanos !== null && price_nanos < cost_nanos,
          ),
      ),
  )
  return {
    name,
    factor,
    model_factors: Object.entries(model_factors).map(([models, own]) => ({ models, factor: own })),
    accounts,
    in_catalogue: true,
    below_cost: below_cost.map(({ id }) => id),
  }
}

const unknownGroupView = (name: string, accounts: number): Static<typeof GroupView> => ({
  name,
  factor: '1',
  model_factors: [],
  accounts,
  in_catalogue: false,
  below_cost: [],
})
