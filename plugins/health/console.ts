// Console route of current failures, for the top of the Overview: all of them for the operator, only models for an account.
import { type Static, Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { FAILURES, viewerCalls } from '../../src/app/surface/console/calls.ts'
import type { Gateway } from '../../src/app/surface/gateway.ts'
import { Closed, Nullable, OneOf } from '../../src/http/schema.ts'
import { TimeFields, time } from '../../src/http/views.ts'
import { routeHealth } from './open-health.ts'
import type { Trouble } from './troubles.ts'

const TroubleView = Type.Object({
  kind: OneOf(['key', 'provider', 'model', 'route']),
  subject: Type.String({ description: 'identifies the failure together with `kind`' }),
  name: Type.String({ description: 'of the provider, the model or the route' }),
  verb: Type.String({ description: 'the state as a verb: "rejects your key", "is failing"' }),
  detail: Type.String({ description: 'what failed, in a sentence' }),
  ...TimeFields('since'),
  provider: Nullable(Type.String()),
  model: Nullable(Type.String()),
  test: Nullable(
    Closed(
      { provider: Type.String(), model: Type.String(), key: Type.Integer() },
      {
        description:
          'the body of a test of its route; null if no single route can be tested, or if the test would generate an image',
      },
    ),
  ),
})

const HealthNowView = Type.Object({
  troubles: Type.Array(TroubleView, { description: 'for the operator only' }),
  failing_models: Type.Array(
    Type.Object(
      { model: Type.String(), ...TimeFields('since') },
      {
        description: 'models that no route answers',
      },
    ),
  ),
})

/** `GET /console/api/health`: current failures. */
export function healthRoutes(gateway: Pick<Gateway, 'calls' | 'requests' | 'people' | 'db'>) {
  return new Elysia({ name: 'console-health' }).use(viewerCalls(gateway)).get(
    '/console/api/health',
    async ({ viewer }): Promise<Static<typeof HealthNowView>> => {
      const { models } = gateway.calls.catalogue()
      const health = await routeHealth(gateway)
      const sold = [...models.values()].filter(({ retired }) => !retired)
      return {
        troubles: viewer.side === 'operator' ? health.troubles.map((one) => troubleView(one, models)) : [],
        failing_models: sold.flatMap(({ id }) => {
          const { since_ms } = health.ofModel(id)
          return since_ms === null ? [] : [{ model: id, ...time('since', since_ms) }]
        }),
      }
    },
    { response: { 200: HealthNowView, ...FAILURES } },
  )
}

function troubleView(
  { since_ms, provider, model, upstream_model, key_number, ...trouble }: Trouble,
  models: ReadonlyMap<string, { kind: string }>,
): Static<typeof TroubleView> {
  const can_test =
    provider !== null && upstream_model !== null && model !== null && models.get(model)?.kind !== 'image'
  return {
    ...trouble,
    ...time('since', since_ms),
    provider,
    model,
    test: can_test ? { provider, model: upstream_model, key: key_number } : null,
  }
}
