// A period in a query: days of a time zone, or times.
import { Type } from '@sinclair/typebox'
import { invalidRequest } from '../domain/errors.ts'
import { dayNamed, isZone, UTC, type Zone } from '../domain/zones.ts'

const A_MOMENT = 'a day such as 2026-12-31, or a time such as 2026-12-31T18:00:00Z (write a "+" as %2B)'
export const Moment = Type.String({
  pattern: '^\\d{4}-\\d{2}-\\d{2}(T\\d{2}:\\d{2}.{0,20})?$',
  must: A_MOMENT,
})

const A_ZONE = 'a time zone such as Europe/Berlin, or UTC'

/** The time zone of days in a query. */
export const ZONE_PARAMETER = {
  zone: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z][A-Za-z0-9_+/-]{1,63}$',
      must: A_ZONE,
      description: 'The time zone of days, such as `Europe/Berlin`; UTC by default.',
      examples: ['Europe/Berlin'],
    }),
  ),
}

/** @throws GatewayError invalid_request for an unknown zone */
export function readZone({ zone = UTC }: { zone?: string | undefined }): Zone {
  if (isZone(zone)) return zone
  throw invalidRequest(`zone: must be ${A_ZONE}.`, { param: 'zone' })
}

export const PERIOD_PARAMETERS = {
  since: Type.Optional({
    ...Moment,
    description: 'The start: a day, or a time with its offset, such as `2026-12-31T18:00:00Z`.',
    examples: ['2026-01-01'],
  }),
  until: Type.Optional({
    ...Moment,
    description: 'The end, in the same form. A day is included as a whole.',
    examples: ['2099-12-31'],
  }),
  ...ZONE_PARAMETER,
}

interface Requested {
  since?: string | undefined
  until?: string | undefined
  zone?: string | undefined
}

/** @throws GatewayError invalid_request for days or zones that do not exist, or a period that ends before it begins */
export function readPeriod({ since, until, ...of }: Requested): {
  since_ms: number | undefined
  until_ms: number | undefined
} {
  const zone = readZone(of)
  const since_ms = since === undefined ? undefined : readMoment('since', since, { edge: 'start', zone })
  const until_ms = until === undefined ? undefined : readMoment('until', until, { edge: 'end', zone })
  if (since_ms !== undefined && until_ms !== undefined && since_ms >= until_ms) {
    throw invalidRequest('since: must be before until.', { param: 'since' })
  }
  return { since_ms, until_ms }
}

/** Parses a day or a time; as an end, a day is included. @returns milliseconds since 1970 @throws GatewayError invalid_request */
export function readMoment(
  name: string,
  text: string,
  { edge, zone = UTC }: { edge: 'start' | 'end'; zone?: Zone },
): number {
  try {
    const day = dayNamed(text.slice(0, 'YYYY-MM-DD'.length), zone)
    if (text === day.name) return edge === 'end' ? day.end_ms : day.start_ms
    if (ZONED.test(text)) return Temporal.Instant.from(text).epochMilliseconds
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause
  }
  throw invalidRequest(`${name}: must be ${A_MOMENT}.`, { param: name })
}

const ZONED = /^.{10}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2})$/
