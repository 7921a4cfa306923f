// The view of re-rated calls for the console: the cost of last week's calls at other prices.
import { type Static, Type } from '@sinclair/typebox'
import { Nullable } from '../../../src/http/schema.ts'
import { MoneyFields, money } from '../../../src/http/views.ts'
import type { ReratedSums, RerateResult } from '../rerating/recorded-calls.ts'

const SUM = {
  calls: Type.Integer(),
  ...MoneyFields('charged'),
  ...MoneyFields('would_cost'),
  ...MoneyFields('difference'),
  unrated_calls: Type.Integer({
    description: 'calls whose record lacks a figure that the new price needs: counted with their charge',
  }),
  known_calls: Type.Integer({
    description: 'calls with a known provider cost: margins include only these',
  }),
  ...MoneyFields('margin'),
  ...MoneyFields('new_margin'),
}

export const RatingView = Type.Object({
  all: Type.Object(SUM),
  models: Type.Array(Type.Object({ model: Type.String(), ...SUM })),
  accounts: Type.Array(Type.Object({ account: Type.String(), ...SUM }), {
    description: 'the accounts with the largest change',
  }),
  sampled_calls: Nullable(
    Type.Integer({
      description: 'number of the newest calls from which all figures are extrapolated; null: all calls',
    }),
  ),
})

export const ratingView = ({
  all,
  models,
  accounts,
  sampled_calls,
}: RerateResult): Static<typeof RatingView> => ({
  all: sumView(all),
  models: models.map((sum) => ({ model: sum.model, ...sumView(sum) })),
  accounts: accounts.map((sum) => ({ account: sum.account, ...sumView(sum) })),
  sampled_calls: sampled_calls ?? null,
})

/** Calls that cannot be re-rated count with their charge. */
function sumView(sum: ReratedSums) {
  const { calls, charged_nanos, rerated_nanos, unrated_calls, unrated_nanos, known_calls } = sum
  const would_cost_nanos = rerated_nanos + unrated_nanos
  return {
    calls,
    ...money('charged', charged_nanos),
    ...money('would_cost', would_cost_nanos),
    ...money('difference', would_cost_nanos - charged_nanos),
    unrated_calls,
    known_calls,
    ...money('margin', sum.margin_nanos),
    ...money('new_margin', sum.new_margin_nanos),
  }
}
