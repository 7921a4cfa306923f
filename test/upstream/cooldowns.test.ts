// Cooldowns of a provider's keys: the reason of each, and the counts of attempts.
import { expect, test } from 'bun:test'
import { createCooldowns } from '../../src/upstream/cooldowns.ts'

test('a failure is remembered with its time and reason, until the key answers', () => {
  const cooldowns = createCooldowns(() => 1_000)
  const reason = { failure_class: 'rate_limited', message: 'slow down' }
  cooldowns.failed('a#1', 500, 0, reason)
  expect(cooldowns.of('a#1')).toEqual({ failures: 1, until_ms: 1_500, failed_at_ms: 1_000, reason })
  cooldowns.succeeded('a#1')
  expect(cooldowns.of('a#1')).toBeUndefined()
  expect(cooldowns.countsOf('a#1')).toEqual({ answered: 1, failed: 1 })
  expect(cooldowns.countsOf('b#1')).toEqual({ answered: 0, failed: 0 })
})

test('a key that a check outside of calls cleared is free again, and the check is not counted', () => {
  const cooldowns = createCooldowns(() => 1_000)
  cooldowns.failed('a#1', 500)
  cooldowns.cleared('a#1')
  expect(cooldowns.coolingUntil('a#1')).toBe(0)
  expect(cooldowns.countsOf('a#1')).toEqual({ answered: 0, failed: 1 })
})
