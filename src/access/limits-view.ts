// The limits of an account or a key in JSON, each with what counts against it now.
import { Type } from '@sinclair/typebox'
import type { Limit } from '../domain/call-limits.ts'

const closed = { additionalProperties: false }

const LIMITS = [
  'requests_per_minute',
  'tokens_per_minute',
  'concurrent_calls',
] as const satisfies (keyof Limit)[]

const limit = Type.Integer({ description: 'The limit.' })
const used = Type.Integer({ description: 'What counts against it.' })
const limitOf = (description: string) =>
  Type.Optional(Type.Object({ limit, used }, { ...closed, description }))

export const LimitsView = Type.Object(
  {
    requests_per_minute: limitOf('Requests a minute.'),
    tokens_per_minute: limitOf('Tokens a minute.'),
    concurrent_calls: limitOf('Calls at the same time.'),
  },
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
