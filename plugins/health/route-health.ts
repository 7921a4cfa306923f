// Current health of models, providers and routes: their state by the last answers, and figures of the last 24 hours.
import type { Catalogue } from '../../src/domain/catalogue.ts'
import type { Outage } from './outage.ts'
import type { RecentAnswers } from './recent-answers.ts'
import type { RouteSum, RouteSums } from './route-sums.ts'
import { ANSWERED, REFUSED } from './tries.ts'
import { outageSentence, outagesOf, type Trouble } from './troubles.ts'

/** The state by the last answers (outage.ts); `unknown` without calls in the last 24 hours. */
export const HEALTH_STATES = ['unknown', 'working', 'impaired', 'failing'] as const
type HealthState = (typeof HEALTH_STATES)[number]

interface Counts {
  answered: number
  failed: number
  /** Requests that the provider refused as invalid (`bad_request`), which say little about the route. */
  refused: number
}

/** The figures of the last 24 hours. */
interface HealthSums {
  /** Attempts at a route. */
  tries: Counts
  /** Calls, by their last attempts. */
  calls: Counts
  /** Failures and refusals by class. */
  classes: Record<string, number>
  /** The mean time to the first byte of answered requests; null without any. */
  first_byte_ms: number | null
}

export interface Health extends HealthSums {
  state: HealthState
  /** The reason for failing or partly failing; null otherwise. */
  sentence: string | null
  /** The start of the outage; null if none exists. */
  since_ms: number | null
}

export interface HealthNow {
  /** By calls: a model with a second route works while its first route fails. */
  ofModel(model: string): Health
  /** By keys and routes. */
  ofProvider(provider: string): Health
  ofRoute(model: string, provider: string, upstream_model: string): Health
  /** All failures, each reported once, for its cause. */
  troubles: readonly Trouble[]
}

interface HealthSources {
  sums: Pick<RouteSums, 'ofDay'>
  recent: Pick<RecentAnswers, 'states'>
  catalogue: Pick<Catalogue, 'models' | 'providers'>
  now_ms: number
}

export async function healthNow({ sums, recent, catalogue, now_ms }: HealthSources): Promise<HealthNow> {
  const day = await sums.ofDay()
  const { partly, troubles, ...outages } = outagesOf(catalogue, await recent.states(), now_ms)
  const by = (nameOf: (sum: RouteSum) => string) => {
    const found = Map.groupBy(day, nameOf)
    return (name: string) => sumOf(found.get(name) ?? [])
  }
  const sumOfModel = by(({ model }) => model)
  const sumOfProvider = by(({ provider }) => provider)
  const sumOfRoute = by(({ model, provider, upstream_model }) => routeName(model, provider, upstream_model))
  return {
    ofModel: (model) => judged(sumOfModel(model), outages.ofModel(model), partly.ofModel(model)),
    ofProvider: (name) => judged(sumOfProvider(name), outages.ofProvider(name), partly.ofProvider(name)),
    ofRoute: (...route) =>
      judged(sumOfRoute(routeName(...route)), outages.ofRoute(...route), partly.ofRoute(...route)),
    troubles,
  }
}

const routeName = (model: string, provider: string, upstream_model: string): string =>
  `${model}\n${provider}\n${upstream_model}`

function judged(sums: HealthSums, outage: Outage | undefined, partly: string | undefined): Health {
  if (outage)
    return { ...sums, state: 'failing', sentence: outageSentence(outage), since_ms: outage.since_ms }
  const is_unknown = Object.values(sums.tries).every((tries) => tries === 0)
  const state = partly === undefined ? (is_unknown ? 'unknown' : 'working') : 'impaired'
  return { ...sums, state, sentence: partly ?? null, since_ms: null }
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
