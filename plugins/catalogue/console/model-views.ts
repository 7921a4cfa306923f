// Views of models for the console: prices, health, routes for the operator, and the calls of the last seven days.
import { Type } from '@sinclair/typebox'
import { SUM_FIELDS } from '../../../src/app/surface/console/sum-views.ts'
import { INPUT_MEDIA } from '../../../src/domain/catalogue.ts'
import { Nullable, OneOf } from '../../../src/http/schema.ts'
import { HealthState, HealthView, LastFailureView } from '../../health/index.ts'
import { MarginLineView, PriceLineView } from '../../prices/index.ts'

export const RouteView = Type.Object({
  provider: Type.String(),
  model: Type.String({ description: "the provider's name for it" }),
  weight: Type.Integer(),
  order: Type.Integer(),
  health: HealthView,
  last_failure: LastFailureView,
  shutdown_date: Type.Optional(Type.String({ description: 'the day on which its provider shuts it down' })),
  cost: Nullable(Type.Array(PriceLineView, { description: 'what the provider charges; null if unknown' })),
})

const MODEL = {
  id: Type.String(),
  display_name: Type.String(),
  kind: Type.String(),
  state: OneOf(['served', 'retired', 'unavailable']),
  why: Nullable(Type.String({ description: 'the reason why it is unavailable' })),
  end: Nullable(
    Type.Object({
      date: Type.String({ description: 'the day on which the model is shut down' }),
      days: Type.Integer({ description: 'days until then; negative afterwards' }),
      is_near: Type.Boolean({ description: 'whether the operator should act now' }),
    }),
  ),
  price: Type.Array(PriceLineView),
  takes: Nullable(
    Type.Array(OneOf(['text', ...INPUT_MEDIA]), {
      description: 'content that requests may include; null if unknown',
    }),
  ),
  context_tokens: Nullable(Type.Integer()),
  max_output_tokens: Nullable(Type.Integer()),
  routes: Type.Optional(Type.Array(RouteView, { description: 'for the operator' })),
  health_state: HealthState,
  health: Type.Optional(HealthView),
  week: Type.Object(SUM_FIELDS),
}

export const ModelView = Type.Object({ ...MODEL })
export const ModelsView = Type.Object({ models: Type.Array(ModelView) })
export const ModelDetailView = Type.Object({
  ...MODEL,
  routes: Type.Optional(
    Type.Array(
      Type.Object({
        ...RouteView.properties,
        margins: Type.Array(MarginLineView, { description: 'each line of the price beside its known cost' }),
      }),
      { description: 'for the operator' },
    ),
  ),
  groups: Type.Optional(
    Type.Array(
      Type.Object({
        name: Type.String(),
        price: Type.Array(PriceLineView),
        loses: Type.Boolean({ description: 'whether a rate is below the known cost of a route' }),
      }),
      { description: 'for the operator: price groups with another price for the model' },
    ),
  ),
})
