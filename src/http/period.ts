// A period of time in a query: days in UTC, or moments.
import { Type } from '@sinclair/typebox'
import { invalidRequest } from '../domain/errors.ts'
import { DAY_MS } from '../domain/ranges.ts'

const A_MOMENT =
  'a day such as 2026-12-31, in UTC, or a time such as 2026-12-31T18:00:00Z (write a "+" as %2B)'
export const Moment = Type.String({
  pattern: '^\\d{4}-\\d{2}-\\d{2}(T\\d{2}:\\d{2}.{0,20})?$',
  must: A_MOMENT,
})

export const PERIOD_PARAMETERS = {
  since: Type.Optional({
    ...Moment,
    description: 'From here on: a day in UTC, or a time with its zone, such as `2026-12-31T18:00:00Z`.',
    examples: ['2026-01-01'],
  }),
  until: Type.Optional({
    ...Moment,
    description: 'Up to here, in the same way; a day counts whole.',
    examples: ['2099-12-31'],
  }),
}

/** @throws GatewayError invalid_request for days that do not exist, or a time that ends before it begins */
export function readPeriod({ since, until }: { since?: string; until?: string }): {
  since_ms: number | undefined
  until_ms: number | undefined
} {
  const since_ms = since === undefined ? undefined : readMoment('since', since, 'start')
  const until_ms = until === undefined ? undefined : readMoment('until', until, 'end')
  if (since_ms !== undefined && until_ms !== undefined && since_ms >= until_ms) {
    throw invalidRequest('since: must be before until.', { param: 'since' })
  }
  return { since_ms, until_ms }
}

/** A day begins at midnight UTC; as an end it counts whole. */
export function readMoment(name: string, text: string, edge: 'start' | 'end'): number {
  const is_day = text.length === 10
  const moment_ms = ZONED.test(text) || is_day ? Date.parse(text) : Number.NaN
  const day = text.slice(0, 10)
  if (Number.isNaN(moment_ms) || !isDay(day)) {
    throw invalidRequest(`${name}: must be ${A_MOMENT}.`, { param: name })
  }
  return is_day && edge === 'end' ? moment_ms + DAY_MS : moment_ms
}

const ZONED = /^.{10}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2})$/

/** `Date.parse` rolls the 31st of a short month over into the next one. */
function isDay(day: string): boolean {
  const parsed = new Date(`${day}T00:00:00Z`)
  return !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(day)
}
