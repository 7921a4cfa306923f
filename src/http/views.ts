// Owns how amounts and moments are shown in JSON, to callers and to the operator: exact, and to be read.
import { formatUsd, type Nanos } from '../domain/money.ts'

/** An amount both ways: `cost_nanos`, exact, and `cost_usd`, to be read. */
export function money<Name extends string, N extends Nanos | null>(name: Name, nanos: N) {
  return {
    [`${name}_nanos`]: nanos,
    [`${name}_usd`]: nanos === null ? null : formatUsd(nanos),
  } as { [K in `${Name}_nanos`]: N } & { [K in `${Name}_usd`]: N extends null ? null : string }
}

/** A moment both ways: `created_at_ms`, and `created_at` as ISO 8601 in UTC. */
export function time<Name extends string>(name: Name, time_ms: number | null) {
  return {
    [`${name}_at_ms`]: time_ms,
    [`${name}_at`]: time_ms === null ? null : new Date(time_ms).toISOString(),
  } as { [K in `${Name}_at_ms`]: number | null } & { [K in `${Name}_at`]: string | null }
}
