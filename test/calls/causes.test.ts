// The cause of a failed call: from its trace, or from its status once the trace is deleted; and equal refusals, grouped into one row.
import { describe, expect, test } from 'bun:test'
import { causeOf, type FailureCause } from '../../plugins/calls/causes.ts'
import { equalRefusals } from '../../plugins/calls/web/calls/equal-refusals.ts'
import type { CallTrace } from '../../src/money/ledger/traces.ts'

const failedWith = (kind: string, ...classes: string[]): CallTrace => ({
  failure: { kind },
  tried: classes.map((failure_class) => ({
    provider: 'p',
    model: 'm',
    key: 'p#1',
    at_ms: 0,
    took_ms: 1,
    failure_class,
  })),
})

describe('the cause', () => {
  test.each<
    [
      name: string,
      outcome: 'failed' | 'broken',
      trace: CallTrace,
      operator: FailureCause,
      account: FailureCause,
    ]
  >([
    ['no answer in time', 'failed', failedWith('upstream_timeout', 'timed_out'), 'timeout', 'timeout'],
    ['a rejected key', 'failed', failedWith('upstream_failed', 'bad_key'), 'key_rejected', 'provider_error'],
    [
      'a rejected key, then a rate limit',
      'failed',
      failedWith('upstream_failed', 'bad_key', 'rate_limited'),
      'key_rejected',
      'provider_error',
    ],
    [
      'a rejected key, then an error',
      'failed',
      failedWith('upstream_failed', 'bad_key', 'upstream_error'),
      'provider_error',
      'provider_error',
    ],
    ['rate limits', 'failed', failedWith('rate_limited', 'rate_limited'), 'rate_limited', 'rate_limited'],
    [
      'a busy provider',
      'failed',
      failedWith('upstream_overloaded', 'overloaded'),
      'overloaded',
      'overloaded',
    ],
    [
      'a rejected request',
      'failed',
      failedWith('invalid_request', 'bad_request'),
      'request_rejected',
      'request_rejected',
    ],
    ['a bug', 'failed', failedWith('internal'), 'gateway_error', 'gateway_error'],
    ['a broken stream', 'broken', failedWith('upstream_failed'), 'interrupted', 'interrupted'],
    ['a broken stream without a trace', 'broken', {}, 'interrupted', 'interrupted'],
    ['a stream that stalled', 'broken', failedWith('upstream_timeout'), 'timeout', 'timeout'],
  ])('%s', (_, outcome, trace, operator, account) => {
    const call = { outcome, status: 502, trace: JSON.stringify(trace) }
    expect([causeOf(call, true), causeOf(call, false)]).toEqual([operator, account])
  })

  test.each<[status: number, FailureCause]>([
    [504, 'timeout'],
    [429, 'rate_limited'],
    [502, 'provider_error'],
    [500, 'gateway_error'],
    [418, 'unknown'],
  ])('of status %d without a trace', (status, cause) => {
    expect(causeOf({ outcome: 'failed', status, trace: '' }, true)).toBe(cause)
  })

  test.each(['completed', 'cancelled', 'refused'] as const)('is null for a %s call', (outcome) => {
    const trace = JSON.stringify(failedWith('upstream_failed'))
    expect(causeOf({ outcome, status: 502, trace }, true)).toBeNull()
  })
})

describe('equal refusals', () => {
  const call = { outcome: 'completed', account_id: 1, key_id: 1, model: 'm', status: 200, refusal: null }
  const refusal = { ...call, outcome: 'refused', status: 429, refusal: 'Retry after 3 s.' }
  const later = { ...refusal, refusal: 'Retry after 21 s.' }

  test.each([
    ['in a sequence are one row', [refusal, later, refusal], [3]],
    ['with a call between them are two rows', [refusal, call, later], [1, 1, 1]],
    ['of another key are another row', [refusal, { ...later, key_id: 2 }], [1, 1]],
    ['of another account are another row', [refusal, { ...later, account_id: 2 }], [1, 1]],
    ['of another model are another row', [refusal, { ...later, model: 'n' }], [1, 1]],
    ['for another reason are another row', [refusal, { ...later, refusal: 'Add funds.' }], [1, 1]],
    ['do not include calls, which each have a row', [call, call], [1, 1]],
    ['of an empty list are an empty list', [], []],
  ])('%s', (_, rows, sizes) => {
    const groups = equalRefusals(rows)
    expect(groups.map(({ length }) => length)).toEqual(sizes)
    expect(groups.flat()).toEqual(rows)
  })
})
