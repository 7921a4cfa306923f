// Console views of health: models, providers and routes, their figures of the last 24 hours, and the last failure of a route.

import { type Static, Type } from '@sinclair/typebox'
import type { Viewer } from '../../src/access/viewer.ts'
import type { Gateway } from '../../src/app/surface/gateway.ts'
import { DAY_MS } from '../../src/domain/ranges.ts'
import { Nullable, OneOf } from '../../src/http/schema.ts'
import { NullableTimeFields, TimeFields, time } from '../../src/http/views.ts'
import { startedBetween } from '../../src/money/ledger/started-calls.ts'
import { lastFailures, type RouteFailure } from './last-failures.ts'
import { routeHealth } from './open-health.ts'
import { HEALTH_STATES, type Health, type HealthNow } from './route-health.ts'

const CountsView = Type.Object({
  answered: Type.Integer(),
  failed: Type.Integer(),
  refused: Type.Integer({ description: 'by the provider, because of the request itself' }),
})

export const HealthState = OneOf(HEALTH_STATES)

export const HealthView = Type.Object({
  state: HealthState,
  sentence: Nullable(Type.String({ description: 'the reason for failing or partly failing' })),
  ...NullableTimeFields('since'),
  tries: CountsView,
  calls: CountsView,
  classes: Type.Record(Type.String(), Type.Integer(), { description: 'the number of failures by class' }),
  first_byte_ms: Nullable(Type.Integer({ description: 'the mean; null without answered requests' })),
})

export const LastFailureView = Nullable(
  Type.Object({
    failure_class: Type.String(),
    words: Type.String({ description: "the provider's message, without secrets" }),
    request_id: Type.String(),
    ...TimeFields('failed'),
  }),
)

/** A copy, because several routes share one view object. */
export const healthView = ({ since_ms, ...health }: Health): Static<typeof HealthView> => ({
  ...health,
  ...time('since', since_ms),
})

/** The sources of the health views of one viewer. */
export interface VisibleHealth {
  is_operator: boolean
  health: HealthNow
  /** For the operator only. */
  failures: readonly RouteFailure[]
}

export async function visibleHealth(
  gateway: Pick<Gateway, 'db' | 'calls'>,
  viewer: Pick<Viewer, 'side'>,
): Promise<VisibleHealth> {
  const is_operator = viewer.side === 'operator'
  const health = await routeHealth(gateway)
  return { is_operator, health, failures: is_operator ? await recentFailures(gateway) : [] }
}

/** Returns the last failures of routes in the last day, from the traces of calls. */
async function recentFailures({
  db,
  calls: { now },
}: Pick<Gateway, 'db' | 'calls'>): Promise<RouteFailure[]> {
  const from_ms = now() - DAY_MS
  const range = await startedBetween(db, from_ms, now())
  if (!range) return []
  return lastFailures(db, { from_ms, first_id: range.first_id })
}

/** Returns the latest failure among the matching routes. */
export function lastFailureView(
  failures: readonly RouteFailure[],
  isOf: (route: RouteFailure) => boolean,
): Static<typeof LastFailureView> {
  const [last] = failures.filter(isOf).sort((one, other) => other.at_ms - one.at_ms)
  if (!last) return null
  const { failure_class, words, request_id, at_ms } = last
  // Calls of versions before 0.5 have this value.
  const own_words = words.replace(/^UpstreamFault: /, '')
  return { failure_class, words: own_words, request_id, ...time('failed', at_ms) }
}
