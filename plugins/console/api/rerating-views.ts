// Re-ratings as the console shows them: how far they are, and what last week's calls would have cost.
import { type Static, Type } from '@sinclair/typebox'
import type { Rerating } from '../../../src/exchange/rerating.ts'
import type { Rerated } from '../../../src/exchange/rerating-thread.ts'
import { MoneyFields, money } from '../../../src/http/views.ts'

const SUM = {
  calls: Type.Integer(),
  ...MoneyFields('charged'),
  ...MoneyFields('would_cost'),
  ...MoneyFields('difference'),
  unrated_calls: Type.Integer({
    description: 'calls whose record does not have what the new price hangs on: counted as they were charged',
  }),
  known_calls: Type.Integer({
    description: 'calls whose provider cost is known: the margins are of these alone',
  }),
  ...MoneyFields('margin'),
  ...MoneyFields('new_margin'),
}

export const RatingView = Type.Union([
  Type.Object({
    state: Type.Literal('running'),
    done: Type.Integer(),
    total: Type.Integer({ description: '0 until it is known' }),
  }),
  Type.Object({
    state: Type.Literal('done'),
    all: Type.Object(SUM),
    models: Type.Array(Type.Object({ model: Type.String(), ...SUM })),
    accounts: Type.Array(Type.Object({ account: Type.String(), ...SUM }), {
      description: 'those for which most changes',
    }),
  }),
  Type.Object({ state: Type.Literal('failed'), message: Type.String() }),
])

export function ratingView(rating: Rerating): Static<typeof RatingView> {
  if (rating.state !== 'done') return rating
  const { all, models, accounts } = rating.result
  return {
    state: 'done',
    all: sumView(all),
    models: models.map((sum) => ({ model: sum.model, ...sumView(sum) })),
    accounts: accounts.map((sum) => ({ account: sum.account, ...sumView(sum) })),
  }
}

/** What cannot be rated is taken to cost what it did. */
function sumView(sum: Rerated) {
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
