// The period of figures about failed calls and refused requests: a range up to now, or explicit bounds.
import {
  DEFAULT_REPORT_RANGE,
  type FigureRange,
  figureTime,
  lastDays,
  REPORT_RANGES,
  type ReportRange,
  reportTime,
  type TimeRange,
} from '../../src/domain/ranges.ts'
import { readPeriod, readZone } from '../../src/http/period.ts'

/**
 * Returns the explicit bounds of a request, otherwise the range. With only `until`, the period has as many days as the Overview's default.
 * @throws GatewayError as `readPeriod`
 */
export function timeIn(
  range: FigureRange | ReportRange,
  period: Parameters<typeof readPeriod>[0],
  now_ms: number,
): TimeRange {
  const { since_ms, until_ms } = readPeriod(period)
  const zone = readZone(period)
  if (since_ms !== undefined || until_ms !== undefined) {
    const end_ms = until_ms ?? now_ms + 1
    const from_ms = since_ms ?? lastDays(end_ms - 1, Number(DEFAULT_REPORT_RANGE), zone).from_ms
    return { from_ms, until_ms: end_ms }
  }
  const of_report = REPORT_RANGES.find((one) => one === range)
  return of_report ? reportTime(of_report, now_ms, zone) : figureTime(range as FigureRange, now_ms, zone)
}
