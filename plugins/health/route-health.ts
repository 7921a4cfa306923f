// The health of models, providers and their routes: a judgement of the tries of the last hour, or else of the last day.
import type { Gateway } from '../../src/app/surface/gateway.ts'
import type { Events } from '../../src/calls/life/events.ts'
import { type HealthRange, openRouteSums, type RouteSum, type RouteSums } from './route-sums.ts'
import { ANSWERED, REFUSED } from './tries.ts'

/** `unknown`: nothing was tried; `failing`: nothing was answered; `impaired`: some was not. */
export const HEALTH_STATES = ['unknown', 'working', 'impaired', 'failing'] as const
export type HealthState = (typeof HEALTH_STATES)[number]

export interface Counts {
  answered: number
  failed: number
  /** The request itself was refused, as `bad_request`: it says little about the route. */
  refused: number
}

interface HealthSums {
  /** Tries at a route. */
  tries: Counts
  /** Calls, by their last tries. */
  calls: Counts
  /** Failures and refusals by their class. */
  classes: Record<string, number>
  /** The mean time to the first byte of what was answered; null if nothing was. */
  first_byte_ms: number | null
}

export interface Health extends Record<HealthRange, HealthSums> {
  state: HealthState
  /** The period of the state: the day where the last hour has no calls. */
  judged_by: HealthRange
}

/** A model or provider of which nothing was answered. */
export interface Failing {
  kind: 'model' | 'provider'
  name: string
  health: Health
}

export interface HealthNow {
  /** Judged by its calls: a model with a second route works while its first fails. */
  ofModel(model: string): Health
  /** Judged by the tries at its routes. */
  ofProvider(provider: string): Health
  ofRoute(model: string, provider: string, upstream_model: string): Health
  /** The names among these of which nothing was answered. */
  failing(names: { models: Iterable<string>; providers: Iterable<string> }): Failing[]
}

/** Of so many requests that were refused, and none answered, the fault is rather the route's. */
const MIN_REFUSED = 3
/** From this share of failures on something is wrong, where others are answered. */
const IMPAIRED_SHARE = 0.1

/** The sums of each gateway of the process. */
const opened = new WeakMap<Events, RouteSums>()

export function openRouteHealth({ db, calls }: Pick<Gateway, 'db' | 'calls'>): RouteSums {
  const sums = openRouteSums(db, calls)
  opened.set(calls.events, sums)
  return sums
}

const NO_SUMS: Pick<RouteSums, 'since'> = { since: async () => [] }

/** How models, providers and routes did in the last hour and day, over restarts. */
export const routeHealth = ({ calls }: Pick<Gateway, 'calls'>): Promise<HealthNow> =>
  healthNow(opened.get(calls.events) ?? NO_SUMS)

/** The health at this moment, read from the sums once. */
export async function healthNow(sums: Pick<RouteSums, 'since'>): Promise<HealthNow> {
  const hour = await sums.since('hour')
  const day = await sums.since('day')
  const by = (nameOf: (sum: RouteSum) => string, what: 'tries' | 'calls') => {
    const found = { hour: Map.groupBy(hour, nameOf), day: Map.groupBy(day, nameOf) }
    return (name: string): Health =>
      judged({ hour: sumOf(found.hour.get(name) ?? []), day: sumOf(found.day.get(name) ?? []) }, what)
  }
  const ofModel = by(({ model }) => model, 'calls')
  const ofProvider = by(({ provider }) => provider, 'tries')
  const ofRoute = by(
    ({ model, provider, upstream_model }) => routeName(model, provider, upstream_model),
    'tries',
  )
  const failing = (kind: Failing['kind'], names: Iterable<string>, of: (name: string) => Health): Failing[] =>
    [...names]
      .map((name) => ({ kind, name, health: of(name) }))
      .filter(({ health }) => health.state === 'failing')
  return {
    ofModel,
    ofProvider,
    ofRoute: (...names) => ofRoute(routeName(...names)),
    failing: ({ models, providers }) => [
      ...failing('model', models, ofModel),
      ...failing('provider', providers, ofProvider),
    ],
  }
}

const routeName = (model: string, provider: string, upstream_model: string): string =>
  `${model}\n${provider}\n${upstream_model}`

function judged(sums: Record<HealthRange, HealthSums>, what: 'tries' | 'calls'): Health {
  const judged_by = totalOf(sums.hour[what]) > 0 ? 'hour' : 'day'
  return { ...sums, judged_by, state: stateOf(sums[judged_by][what]) }
}

export const totalOf = ({ answered, failed, refused }: Counts): number => answered + failed + refused

export function stateOf(counts: Counts): HealthState {
  const { answered, failed, refused } = counts
  if (totalOf(counts) === 0) return 'unknown'
  if (answered === 0) return failed > 0 || refused >= MIN_REFUSED ? 'failing' : 'impaired'
  return failed / (answered + failed) >= IMPAIRED_SHARE ? 'impaired' : 'working'
}

function sumOf(rows: readonly RouteSum[]): HealthSums {
  const tries: Counts = { answered: 0, failed: 0, refused: 0 }
  const calls: Counts = { answered: 0, failed: 0, refused: 0 }
  const classes: Record<string, number> = {}
  let first_byte_ms = 0
  for (const row of rows) {
    const name = countOf(row.result)
    tries[name] += row.tries
    calls[name] += row.calls
    first_byte_ms += row.first_byte_ms
    if (name !== 'answered') classes[row.result] = (classes[row.result] ?? 0) + row.tries
  }
  const mean_ms = tries.answered === 0 ? null : Math.round(first_byte_ms / tries.answered)
  return { tries, calls, classes, first_byte_ms: mean_ms }
}

function countOf(result: string): keyof Counts {
  if (result === ANSWERED) return 'answered'
  return result === REFUSED ? 'refused' : 'failed'
}
