// The time of figures of failed calls and of refused requests: a range up to now, or from one moment to another.
import {
  type FigureRange,
  figureTime,
  REPORT_RANGES,
  type ReportRange,
  reportTime,
  type TimeRange,
} from '../../src/domain/ranges.ts'
import { readPeriod, readZone } from '../../src/http/period.ts'

/** From one moment to another where the request names one, else of the range. @throws GatewayError as `readPeriod` */
export function timeIn(
  range: FigureRange | ReportRange,
  period: Parameters<typeof readPeriod>[0],
  now_ms: number,
): TimeRange {
  const { since_ms, until_ms } = readPeriod(period)
  const zone = readZone(period)
  if (since_ms !== undefined || until_ms !== undefined)
    return { from_ms: since_ms ?? 0, until_ms: until_ms ?? now_ms + 1 }
  const of_report = REPORT_RANGES.find((one) => one === range)
  return of_report ? reportTime(of_report, now_ms, zone) : figureTime(range as FigureRange, now_ms, zone)
}
