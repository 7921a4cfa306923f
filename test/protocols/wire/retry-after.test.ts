// Retry-After of providers: seconds, milliseconds and dates, in each protocol; an invalid one counts as none.
import { describe, expect, test } from 'bun:test'
import { BUILT_IN_REGISTRY, protocolNamed } from '../../../src/protocols/registry.ts'
import { retryAfter } from '../../../src/protocols/wire/retry-after.ts'

const NOW_MS = Date.UTC(2026, 10, 28, 12, 0, 0)

describe('the retry delay', () => {
  test.each<[string, Record<string, string>, number | undefined]>([
    ['seconds', { 'retry-after': '12' }, 12],
    ['zero', { 'retry-after': '0' }, 0],
    ['a fraction of a second is rounded up', { 'retry-after': '0.25' }, 1],
    ['milliseconds', { 'retry-after-ms': '1200' }, 2],
    ['milliseconds before seconds', { 'retry-after-ms': '1200', 'retry-after': '60' }, 2],
    ['seconds, if the milliseconds are invalid', { 'retry-after-ms': 'soon', 'retry-after': '60' }, 60],
    ['a date', { 'retry-after': 'Sat, 28 Nov 2026 12:00:30 GMT' }, 30],
    ['a date of RFC 850', { 'retry-after': 'Saturday, 28-Nov-26 12:00:30 GMT' }, 30],
    ['a date of asctime', { 'retry-after': 'Sat Nov 28 12:00:30 2026' }, 30],
    [
      'a date of a server whose clock is an hour ahead, by its own time',
      { 'retry-after': 'Sat, 28 Nov 2026 13:00:30 GMT', date: 'Sat, 28 Nov 2026 13:00:10 GMT' },
      20,
    ],
    ['a date that has passed', { 'retry-after': 'Sat, 28 Nov 2026 11:00:00 GMT' }, 0],
    ['a date of next year: at most a day', { 'retry-after': 'Tue, 28 Dec 2027 12:00:00 GMT' }, 86_400],
    ['weeks: at most a day', { 'retry-after': '99999999' }, 86_400],
    ['weeks of milliseconds: at most a day', { 'retry-after-ms': '9999999999' }, 86_400],
    ['nothing', {}, undefined],
    ['an empty value', { 'retry-after': '' }, undefined],
    ['a negative number', { 'retry-after': '-4', 'retry-after-ms': '-4' }, undefined],
    ['a number with a unit', { 'retry-after': '4s' }, undefined],
    ['a number with an exponent', { 'retry-after': '1e9' }, undefined],
    ['infinity', { 'retry-after': 'Infinity', 'retry-after-ms': 'NaN' }, undefined],
    ['two numbers', { 'retry-after': '4, 9' }, undefined],
    ['a date of another zone', { 'retry-after': 'Sat, 28 Nov 2026 12:00:30 +0200' }, undefined],
    ['a date as in JSON', { 'retry-after': '2026-11-28T12:00:30Z' }, undefined],
    ['a year', { 'retry-after': '2026-11' }, undefined],
    ['a day that no month has', { 'retry-after': 'Sat, 99 Nov 2026 12:00:30 GMT' }, undefined],
  ])('%s', (_, headers, seconds) => {
    expect(retryAfter(new Headers(headers), NOW_MS)).toBe(seconds)
  })
})

const DATED = { 'retry-after': 'Sat, 28 Nov 2026 13:00:30 GMT', date: 'Sat, 28 Nov 2026 13:00:10 GMT' }
const RETRY_INFO = JSON.stringify({ error: { message: 'later', details: [{ retryDelay: '3.2s' }] } })

describe.each(['gemini', 'anthropic', 'openai'])('the protocol %s reads', (name) => {
  const protocol = protocolNamed(BUILT_IN_REGISTRY, name)
  const readers = [protocol.readFailure, ...(protocol.images ? [protocol.images.readFailure] : [])]
  test.each<[string, Record<string, string>, string, number | undefined]>([
    ['a date', DATED, '', 20],
    ['milliseconds', { 'retry-after-ms': '1500' }, '{}', 2],
    ["Google's RetryInfo", {}, RETRY_INFO, 4],
    ["Google's RetryInfo in an array", {}, `[${RETRY_INFO}]`, 4],
    ['no time from a refusal without one', {}, '{"error":{"message":"later"}}', undefined],
  ])('%s', (_, headers, body, seconds) => {
    for (const readFailure of readers)
      expect(readFailure(429, new Headers(headers), body).retry_after_s).toBe(seconds)
  })
})
