// Health as the console shows it: of models, providers and routes, in the last hour and day; and the last failure of a route.

import { type Static, Type } from '@sinclair/typebox'
import type { Viewer } from '../../src/access/viewer.ts'
import type { Gateway } from '../../src/app/surface/gateway.ts'
import { DAY_MS } from '../../src/domain/ranges.ts'
import { Nullable, OneOf } from '../../src/http/schema.ts'
import { TimeFields, time } from '../../src/http/views.ts'
import { startedBetween } from '../../src/money/ledger/started-calls.ts'
import { type FailingRoute, failingRoutes } from './failing-routes.ts'
import { routeHealth } from './open-health.ts'
import { HEALTH_STATES, type Health, type HealthNow } from './route-health.ts'

const CountsView = Type.Object({
  answered: Type.Integer(),
  failed: Type.Integer(),
  refused: Type.Integer({ description: 'by the provider, because of the request itself' }),
})

const SumsView = Type.Object({
  tries: CountsView,
  calls: CountsView,
  classes: Type.Record(Type.String(), Type.Integer(), { description: 'failures by their class' }),
  first_byte_ms: Nullable(Type.Integer({ description: 'on average; null where nothing was answered' })),
})

export const HealthState = OneOf(HEALTH_STATES)

export const HealthView = Type.Object({
  state: HealthState,
  judged_by: OneOf(['hour', 'day'], { description: 'the figures to go by' }),
  outage: Nullable(
    Type.Object({ sentence: Type.String({ description: 'why it fails' }), ...TimeFields('since') }),
  ),
  hour: SumsView,
  day: SumsView,
})

export const LastFailureView = Nullable(
  Type.Object({
    failure_class: Type.String(),
    words: Type.String({ description: "the provider's own, without secrets" }),
    request_id: Type.String(),
    ...TimeFields('failed'),
  }),
)

/** A copy: the views of some routes are the same object in the health. */
export const healthView = ({ outage, ...health }: Health): Static<typeof HealthView> => ({
  ...health,
  outage: outage && { sentence: outage.sentence, ...time('since', outage.since_ms) },
})

/** The health that a viewer may see. */
export interface VisibleHealth {
  is_operator: boolean
  health: HealthNow
  /** For the operator alone. */
  failures: readonly FailingRoute[]
}

export async function visibleHealth(
  gateway: Pick<Gateway, 'db' | 'calls'>,
  viewer: Pick<Viewer, 'role'>,
): Promise<VisibleHealth> {
  const is_operator = viewer.role === 'operator'
  const health = await routeHealth(gateway)
  return { is_operator, health, failures: is_operator ? await recentFailures(gateway) : [] }
}

/** The routes that failed in the last day, from the traces of calls. */
async function recentFailures({
  db,
  calls: { now },
}: Pick<Gateway, 'db' | 'calls'>): Promise<FailingRoute[]> {
  const from_ms = now() - DAY_MS
  const range = await startedBetween(db, from_ms, now())
  if (!range) return []
  return (await failingRoutes(db, { from_ms, first_id: range.first_id })).routes
}

/** The latest failure of some routes. */
export function lastFailureView(
  failures: readonly FailingRoute[],
  isOf: (route: FailingRoute) => boolean,
): Static<typeof LastFailureView> {
  const [last] = failures.filter(isOf).sort((one, other) => other.last_at_ms - one.last_at_ms)
  if (!last) return null
  return {
    failure_class: last.last_class,
    // Calls of versions before 0.5 have it.
    words: last.last_words.replace(/^UpstreamFault: /, ''),
    request_id: last.last_request_id,
    ...time('failed', last.last_at_ms),
  }
}
