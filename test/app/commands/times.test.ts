// Times on the command line: durations and moments, parsed and printed.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { localIso, parseMoment } from '../../../src/app/command-line/times.ts'
import { parseDuration } from '../../../src/utilities/duration.ts'

const NOW = new Date(2026, 10, 21, 12).getTime()
const HOUR_MS = 3_600_000

describe('a duration', () => {
  const cases: [text: string, ms: number][] = [
    ['90s', 90_000],
    ['15m', 900_000],
    ['12h', 12 * HOUR_MS],
    ['30d', 720 * HOUR_MS],
    ['2w', 336 * HOUR_MS],
    ['0s', 0],
  ]
  test.each(cases)('%s', (text, ms) => expect(parseDuration(text)).toBe(ms))

  test.each(['', '30', 'd', '1.5h', '-1h', '1y', '1 h', '1H', '1h30m', '9999999d', '١d'])(
    '"%s" is not a duration',
    (text) => {
      expect(() => parseDuration(text)).toThrow(RangeError)
    },
  )
})

describe('a moment', () => {
  const read = (text: string, edge: 'start' | 'end' = 'start', direction: 'ahead' | 'back' = 'ahead') =>
    parseMoment(text, { edge, direction, now_ms: NOW })

  test('a date is the start of that local day, or its end: the first moment of the next day', () => {
    expect(read('2026-12-31')).toBe(new Date(2026, 11, 31).getTime())
    expect(read('2026-12-31', 'end')).toBe(new Date(2027, 0, 1).getTime())
  })

  test('a date with a time is local unless it has an offset, whatever the edge', () => {
    expect(read('2026-12-31T18:30', 'end')).toBe(new Date(2026, 11, 31, 18, 30).getTime())
    expect(read('2026-12-31T18:30:05.250Z')).toBe(Date.UTC(2026, 11, 31, 18, 30, 5, 250))
    expect(read('2026-12-31T18:30+02:00')).toBe(Date.UTC(2026, 11, 31, 16, 30))
  })

  test('a duration counts into the future or the past', () => {
    expect(read('1h')).toBe(NOW + HOUR_MS)
    expect(read('1h', 'start', 'back')).toBe(NOW - HOUR_MS)
  })

  test('the 29th of February exists in leap years only', () => {
    expect(read('2028-02-29')).toBe(new Date(2028, 1, 29).getTime())
    expect(() => read('2027-02-29')).toThrow(RangeError)
  })

  test.each([
    '',
    'now',
    '2026',
    '2026-12',
    '2026-00-10',
    '2026-13-01',
    '2026-04-31',
    '2026-12-31 18:00',
    '2026-12-31T',
    '2026-12-31T24:01',
    '2026-12-31T18:60',
    '2026-02-30T10:00',
    '2026-12-31T18:00 UTC',
    '26-12-31',
    '12/31/2026',
    '1795233161620',
  ])('"%s" is not a moment', (text) => {
    expect(() => read(text)).toThrow(RangeError)
  })

  test('a printed time can be parsed back, to the second', () => {
    const times = fc.integer({ min: Date.UTC(1980), max: Date.UTC(2100) })
    fc.assert(
      fc.property(times, (time_ms) => {
        expect(read(localIso(time_ms))).toBe(Math.floor(time_ms / 1_000) * 1_000)
      }),
    )
  })
})
