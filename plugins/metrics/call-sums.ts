// Sums over settled calls. Adding a call takes a microsecond; metrics are computed from the sums when they are read.

import { costsDiffer } from '../../src/domain/cost-difference.ts'
import type { Nanos } from '../../src/domain/money.ts'
import { hasFailed } from '../../src/domain/outcomes.ts'
import { USAGE_FIELDS } from '../../src/domain/usage.ts'
import { createTally, type Tallied } from '../../src/observe/tally.ts'
import { Bins } from './bins.ts'
import { type CountedCall, type SettledCall, troubleOf } from './call-facts.ts'

const DURATION_BOUNDS_MS = [
  50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000, 120_000, 300_000, 600_000,
]
const FIRST_BYTE_BOUNDS_MS = [
  25, 50, 100, 250, 500, 750, 1_000, 1_500, 2_500, 5_000, 10_000, 30_000, 60_000, 120_000,
]

/** The sums for one surface, model, provider and outcome. All four come from the catalogue or the code, so the number of sums is bounded. */
export class CallSum {
  readonly surface: string
  readonly model: string
  readonly provider: string
  readonly outcome: string
  calls = 0
  revenue_nanos: Nanos = 0
  provider_cost_nanos: Nanos = 0
  /** Revenue of the calls whose provider cost is known. */
  known_revenue_nanos: Nanos = 0
  /** Calls whose provider reports another cost than the one computed from the route's prices. */
  costs_that_differ = 0
  images = 0
  /** In the order of `USAGE_FIELDS`. */
  readonly tokens = new Float64Array(USAGE_FIELDS.length)
  readonly durations = new Bins(DURATION_BOUNDS_MS)
  readonly first_bytes = new Bins(FIRST_BYTE_BOUNDS_MS)

  constructor({ surface, model, provider, outcome }: CountedCall) {
    this.surface = surface
    this.model = model
    this.provider = provider
    this.outcome = outcome
  }
}

export interface CallSums {
  add(settled: SettledCall): void
  sums(): Iterable<CallSum>
  /** Failed and interrupted calls by failure class. */
  failures(): Iterable<Tallied>
  /** Failed attempts at routes, also of calls that succeeded at another route. */
  failedTries(): Iterable<Tallied>
}

export function createCallSums(): CallSums {
  const sums = new Map<string, CallSum>()
  const failures = createTally()
  const tries = createTally()

  function sumOf(call: CountedCall): CallSum {
    const key = `${call.surface} ${call.outcome} ${call.provider} ${call.model}`
    const known = sums.get(key)
    if (known) return known
    const made = new CallSum(call)
    sums.set(key, made)
    return made
  }

  function addTrouble(call: CountedCall): void {
    const { failure, tried = [], more_tried = 0 } = troubleOf(call)
    const { surface, model } = call
    if (hasFailed(call)) failures.add({ surface, model, class: failure?.kind ?? 'unknown' })
    for (const { provider, failure_class } of tried) tries.add({ provider, class: failure_class })
    if (more_tried > 0) tries.add({ provider: call.provider, class: 'unknown' }, more_tried)
  }

  return {
    add({ call, cost_nanos, provider_cost_nanos }) {
      const sum = sumOf(call)
      sum.calls++
      sum.revenue_nanos += cost_nanos
      if (provider_cost_nanos !== null) {
        sum.provider_cost_nanos += provider_cost_nanos
        sum.known_revenue_nanos += cost_nanos
      }
      if (costsDiffer(call.reported_cost_nanos ?? null, call.computed_cost_nanos ?? null))
        sum.costs_that_differ++
      sum.images += call.images
      const { tokens } = sum
      for (let at = 0; at < USAGE_FIELDS.length; at++)
        tokens[at] = (tokens[at] as number) + call[USAGE_FIELDS[at] as (typeof USAGE_FIELDS)[number]]
      sum.durations.add(call.duration_ms)
      if (call.first_byte_ms !== null) sum.first_bytes.add(call.first_byte_ms)
      addTrouble(call)
    },
    sums: () => sums.values(),
    failures: failures.all,
    failedTries: tries.all,
  }
}
