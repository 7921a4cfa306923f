// Recorded refusals of providers: their failure class and Retry-After.
import { describe, expect, test } from 'bun:test'
import { BUILT_IN_PROTOCOLS } from '../../src/protocols/registry.ts'
import { readLines } from './translation/recordings.ts'

describe.each(['anthropic', 'openai'] as const)('%s', (protocol) => {
  test.each(readLines(`${protocol}/failures.jsonl`).map((line) => JSON.parse(line)))(
    '$name is $failure_class',
    ({ status, headers, body, failure_class, retry_after_s }) => {
      const text = typeof body === 'string' ? body : JSON.stringify(body)
      const failure = BUILT_IN_PROTOCOLS[protocol].readFailure(status, new Headers(headers), text)
      expect([failure.failure_class, failure.retry_after_s]).toEqual([failure_class, retry_after_s])
      expect(failure.message).not.toBe('')
    },
  )
})
