// The change of a provider's prices by per cent in the console. The result is a draft, which the operator reviews and saves like any other.
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { FAILURES, operatorCalls } from '../../../src/app/surface/console/calls.ts'
import type { Gateway } from '../../../src/app/surface/gateway.ts'
import { Closed, OneOf } from '../../../src/http/schema.ts'
import { draftChange } from '../by-percent/draft.ts'
import { PERCENT_MUST } from '../by-percent/percent.ts'
import { TARGETS } from '../by-percent/plan.ts'
import { ChangedModelView, changedModelView } from '../by-percent/view.ts'

const MAX_MODELS = 10_000
const Name = Type.String({ maxLength: 256 })

const ChangeBody = Closed({
  provider: Name,
  percent: Type.String({ maxLength: 32, description: `${PERCENT_MUST}; negative: down` }),
  target: OneOf(TARGETS, { description: 'what callers pay, what the provider charges, or both' }),
  models: Type.Optional(
    Type.Array(Name, {
      maxItems: MAX_MODELS,
      description: 'only these models; absent: all that the provider serves',
    }),
  ),
})

const DraftView = Type.Object({
  text: Type.String({ description: 'text of the catalogue with these prices' }),
  hash: Type.String({ description: 'hash of the file that the draft changes, to be sent back with a save' }),
  changes: Type.Integer({ description: 'number of changed prices and costs; 0: nothing to save' }),
  models: Type.Array(ChangedModelView, { description: 'all models that the provider serves' }),
})

/** `POST /console/api/prices/changes`, for the operator. It saves nothing: `POST /console/api/catalogue/save` takes the draft. */
export const percentRoutes = (gateway: Gateway) =>
  new Elysia({ name: 'console-price-changes' }).use(operatorCalls(gateway)).post(
    '/console/api/prices/changes',
    async ({ body: { models: only, ...order } }) => {
      const { models, ...draft } = await draftChange(gateway.operations.configuration, {
        ...order,
        models: only,
      })
      return { ...draft, models: models.map(changedModelView) }
    },
    { body: ChangeBody, response: { 200: DraftView, ...FAILURES } },
  )
