// The lists of models and providers as files.
import type { Static } from '@sinclair/typebox'
import { formatUsd } from '../../../src/domain/money.ts'
import { type CsvColumns, csvUsd } from '../../../src/http/csv.ts'
import type { ModelView } from './model-views.ts'
import type { ProviderView } from './provider-views.ts'

type Model = Static<typeof ModelView>
type Provider = Static<typeof ProviderView>

export const MODEL_COLUMNS: CsvColumns<Model> = {
  model: ({ id }) => id,
  display_name: ({ display_name }) => display_name,
  kind: ({ kind }) => kind,
  state: ({ state }) => state,
  prices_usd: ({ price }) =>
    price
      .map(
        ({ name, of, price_nanos, per }) => `${name}${of && ` ${of}`}: ${formatUsd(price_nanos)} per ${per}`,
      )
      .join('; '),
  calls_in_7_days: ({ week }) => week.calls,
  failed_in_7_days: ({ week }) => week.failed,
  cost_in_7_days_usd: ({ week }) => csvUsd(week.cost_nanos),
}

/** A margin stands beside the revenue that it is of. */
export const MODEL_COLUMNS_OF_OPERATOR: CsvColumns<Model> = {
  ...MODEL_COLUMNS,
  revenue_with_known_cost_usd: ({ week }) => csvUsd(week.known_revenue_nanos),
  provider_cost_usd: ({ week }) => csvUsd(week.provider_cost_nanos),
  margin_usd: ({ week }) => csvUsd(week.margin_nanos),
  routes: ({ routes = [] }) => routes.map(({ provider, model }) => `${provider}:${model}`).join(' '),
}

export const PROVIDER_COLUMNS: CsvColumns<Provider> = {
  provider: ({ name }) => name,
  protocol: ({ protocol }) => protocol,
  base_url: ({ base_url }) => base_url,
  state: ({ state }) => state,
  why: ({ why }) => why,
  keys: ({ keys }) => keys.length,
  models: ({ routes }) => routes.map(({ id }) => id).join(' '),
}
