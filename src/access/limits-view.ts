// The limits of an account or a key in JSON, each with what counts against it now.
import { Type } from '@sinclair/typebox'
import type { Limit } from '../domain/catalogue.ts'

const closed = { additionalProperties: false }

const LIMITS = [
  'requests_per_minute',
  'tokens_per_minute',
  'concurrent_calls',
] as const satisfies (keyof Limit)[]

const LimitView = Type.Optional(Type.Object({ limit: Type.Integer(), used: Type.Integer() }, closed))
export const LimitsView = Type.Object(
  { requests_per_minute: LimitView, tokens_per_minute: LimitView, concurrent_calls: LimitView },
  closed,
)

/** The limits that are set, each with what counts against it now. */
export function limitsView(limit: Limit, used: Record<keyof Limit, number>) {
  return Object.fromEntries(
    LIMITS.flatMap((name) =>
      limit[name] === undefined ? [] : [[name, { limit: limit[name], used: used[name] }]],
    ),
  )
}
