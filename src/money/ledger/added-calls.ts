// A batch's additions to the kept sums: calls of one kind are combined, so that they change the sums once. Pure.

import type { Nanos } from '../../domain/money.ts'
import type { Call } from '../../store/schema.ts'
import { QUARTER_S } from './days.ts'
import { SUMMED, SUMMED_OF_CALL } from './sums.ts'

type Kind = 'account_id' | 'started_at_ms' | 'key_id' | 'model' | 'outcome' | 'provider' | 'upstream_model'

/** The combined calls of one kind that started in the same quarter of an hour: a row of the view `calls_to_sum`. */
export interface AddedCalls extends Pick<Call, Kind | 'covered_nanos' | (typeof SUMMED_OF_CALL)[number]> {
  calls: number
  provider_cost_nanos: Nanos
  known_revenue_nanos: Nanos
  uncosted_calls: number
  covered_calls: number
  covered_cost_nanos: Nanos
  first_call_id: number
  last_call_id: number
}

/** The columns of `calls_to_sum`. */
export const ADDED_COLUMNS = [
  'account_id',
  'started_at_ms',
  'key_id',
  'model',
  'outcome',
  'provider',
  'upstream_model',
  'calls',
  ...SUMMED,
  'first_call_id',
  'last_call_id',
] as const satisfies (keyof AddedCalls)[]

/**
 * Combines the calls of a batch. A call that is the only one of its kind is left to the trigger, which is cheaper then. So are
 * kinds whose sum is not a safe integer, and calls with a part of their cost on other routes.
 *
 * @param calls combined calls are marked as summed
 */
export function groupCalls(calls: readonly Call[]): AddedCalls[] {
  if (calls.length < 2) return []
  const kinds = new Map<string, [Call, ...Call[]]>()
  for (const call of calls) {
    if (call.costs_elsewhere) continue
    const kind = kindOf(call, QUARTER_S)
    const others = kinds.get(kind)
    if (others) others.push(call)
    else kinds.set(kind, [call])
  }
  const added: AddedCalls[] = []
  for (const of_kind of kinds.values()) {
    const sum = of_kind.length > 1 ? sumOf(of_kind) : undefined
    if (!sum) continue
    for (const call of of_kind) call.summed = 1
    added.push(sum)
  }
  return added
}

/**
 * Combines all calls of a batch into the sums of one span.
 *
 * @returns undefined if a sum would not be exact, or if a part of a cost is on another route
 */
export function sumsOfSpan(calls: readonly Call[], span_s: number): AddedCalls[] | undefined {
  if (calls.some(({ costs_elsewhere }) => costs_elsewhere)) return undefined
  const kinds = Map.groupBy(calls, (call) => kindOf(call, span_s))
  const sums = [...kinds.values()].map((of_kind) => sumOf(of_kind as [Call, ...Call[]]))
  return sums.every((sum) => sum !== undefined) ? sums : undefined
}

function kindOf(call: Call, span_s: number): string {
  const { account_id, key_id, started_at_ms, outcome, model, provider, upstream_model } = call
  return `${account_id} ${key_id} ${spanAt(started_at_ms, span_s)} ${outcome} ${provider}\n${model}\n${upstream_model}`
}

/** Returns the number of the span in which a call started. */
export const spanAt = (started_at_ms: number, span_s: number): number =>
  Math.trunc(started_at_ms / 1_000 / span_s)

/** @returns undefined if the sum would not be exact, and for values that the table refuses anyway */
function sumOf(calls: readonly [Call, ...Call[]]): AddedCalls | undefined {
  const sum: AddedCalls = {
    ...calls[0],
    calls: 0,
    provider_cost_nanos: 0,
    known_revenue_nanos: 0,
    uncosted_calls: 0,
    covered_calls: 0,
    covered_nanos: 0,
    covered_cost_nanos: 0,
    first_call_id: calls[0].id,
    last_call_id: calls[0].id,
  }
  for (const name of SUMMED_OF_CALL) sum[name] = 0
  for (const call of calls) {
    sum.calls += 1
    for (const name of SUMMED_OF_CALL) sum[name] += call[name]
    if (call.provider_cost_nanos !== null) {
      sum.provider_cost_nanos += call.provider_cost_nanos
      sum.known_revenue_nanos += call.cost_nanos
    } else if (call.price !== '') sum.uncosted_calls += 1
    if (call.plan_period_id !== null) {
      sum.covered_calls += 1
      sum.covered_nanos += call.covered_nanos
      sum.covered_cost_nanos += call.provider_cost_nanos ?? 0
    }
    sum.first_call_id = Math.min(sum.first_call_id, call.id)
    sum.last_call_id = Math.max(sum.last_call_id, call.id)
  }
  return SUMMED.every((name) => Number.isSafeInteger(sum[name])) ? sum : undefined
}
