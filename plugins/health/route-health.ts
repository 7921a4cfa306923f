// The health of models, providers and their routes at a moment: whether they fail by their last answers, and the figures of the last hour and day.
import type { Catalogue } from '../../src/domain/catalogue.ts'
import type { Outage } from './outage.ts'
import type { RecentAnswers } from './recent-answers.ts'
import type { HealthRange, RouteSum, RouteSums } from './route-sums.ts'
import { ANSWERED, REFUSED } from './tries.ts'
import { outageSentence, outagesOf, type Trouble } from './troubles.ts'

/**
 * `failing`: by its last answers (outage.ts). Else by the figures of the hour, or of the day where the hour has no calls: `unknown`: nothing was
 * tried; `impaired`: some failed.
 */
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
  /** The period of the figures: the day where the last hour has no calls. */
  judged_by: HealthRange
  /** Why and since when it fails; null where it does not. */
  outage: { since_ms: number; sentence: string } | null
}

export interface HealthNow {
  /** Judged by its calls: a model with a second route works while its first fails. */
  ofModel(model: string): Health
  /** Judged by the tries at its routes. */
  ofProvider(provider: string): Health
  ofRoute(model: string, provider: string, upstream_model: string): Health
  /** All that fails, each named once, by its cause. */
  troubles: readonly Trouble[]
}

/** From this share of failures on something is wrong, where others are answered. */
const IMPAIRED_SHARE = 0.1

interface HealthSources {
  sums: Pick<RouteSums, 'since'>
  recent: Pick<RecentAnswers, 'states'>
  catalogue: Pick<Catalogue, 'models' | 'providers'>
  now_ms: number
}

/** The health at this moment, read once. */
export async function healthNow({ sums, recent, catalogue, now_ms }: HealthSources): Promise<HealthNow> {
  const hour = await sums.since('hour')
  const day = await sums.since('day')
  const outages = outagesOf(catalogue, await recent.states(), now_ms)
  const by = (nameOf: (sum: RouteSum) => string, what: 'tries' | 'calls') => {
    const found = { hour: Map.groupBy(hour, nameOf), day: Map.groupBy(day, nameOf) }
    return (name: string, outage: Outage | undefined, is_partly = false): Health =>
      judged(
        { hour: sumOf(found.hour.get(name) ?? []), day: sumOf(found.day.get(name) ?? []) },
        { what, outage, is_partly },
      )
  }
  const ofModel = by(({ model }) => model, 'calls')
  const ofProvider = by(({ provider }) => provider, 'tries')
  const ofRoute = by(
    ({ model, provider, upstream_model }) => routeName(model, provider, upstream_model),
    'tries',
  )
  return {
    ofModel: (model) => ofModel(model, outages.ofModel(model)),
    ofProvider: (provider) =>
      ofProvider(provider, outages.ofProvider(provider), outages.isPartly({ provider })),
    ofRoute: (...names) => ofRoute(routeName(...names), outages.ofRoute(...names)),
    troubles: outages.troubles,
  }
}

const routeName = (model: string, provider: string, upstream_model: string): string =>
  `${model}\n${provider}\n${upstream_model}`

interface Judged {
  what: 'tries' | 'calls'
  outage: Outage | undefined
  /** A part of it fails, such as one of its keys. */
  is_partly: boolean
}

function judged(sums: Record<HealthRange, HealthSums>, { what, outage, is_partly }: Judged): Health {
  const judged_by = totalOf(sums.hour[what]) > 0 ? 'hour' : 'day'
  if (outage) {
    const { since_ms } = outage
    return { ...sums, judged_by, state: 'failing', outage: { since_ms, sentence: outageSentence(outage) } }
  }
  const state = is_partly ? 'impaired' : stateOf(sums[judged_by][what])
  return { ...sums, judged_by, state, outage: null }
}

export const totalOf = ({ answered, failed, refused }: Counts): number => answered + failed + refused

/** By figures alone. Requests that were refused as such say nothing. */
export function stateOf({ answered, failed, refused }: Counts): Exclude<HealthState, 'failing'> {
  if (answered + failed === 0) return refused > 0 ? 'working' : 'unknown'
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
