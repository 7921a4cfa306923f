// The rate limit of sign-ins: failed attempts by address and by name, in bounded memory.
import { describe, expect, test } from 'bun:test'
import { createSignInRate } from '../../src/access/sign-in-rate.ts'

function scene() {
  const clock = { at_ms: 0 }
  const rate = createSignInRate(() => clock.at_ms)
  const tries = (times: number, address: string | undefined, name?: string) => {
    for (let i = 0; i < times; i++) rate.attempt(address, name)
  }
  return { clock, rate, tries }
}

describe('an address', () => {
  test('fails twenty times in any 60 seconds, and is told when to come back', () => {
    const { clock, rate, tries } = scene()
    tries(20, '203.0.113.7')
    clock.at_ms = 15_000
    expect(() => rate.attempt('203.0.113.7')).toThrow(
      expect.objectContaining({ kind: 'rate_limited', retry_after_s: 45 }),
    )
    expect(() => rate.attempt('203.0.113.8')).not.toThrow()
    clock.at_ms = 60_000
    expect(() => rate.attempt('203.0.113.7')).not.toThrow()
  })

  test('of IPv6 is counted with its /64', () => {
    const { rate, tries } = scene()
    for (let i = 0; i < 20; i++) tries(1, `2001:db8:0:1::${i.toString(16)}`)
    expect(() => rate.attempt('2001:db8:0:1:ffff::1')).toThrow('Too many')
    expect(() => rate.attempt('2001:db8:0:2::1')).not.toThrow()
  })

  test('that is not known is counted with all of those', () => {
    const { rate, tries } = scene()
    tries(20, undefined)
    expect(() => rate.attempt(undefined)).toThrow('Too many')
  })
})

describe('a name', () => {
  test('fails ten times, from whatever addresses', () => {
    const { rate } = scene()
    for (let i = 0; i < 10; i++) rate.attempt(`203.0.113.${i}`, 'alice')
    expect(() => rate.attempt('198.51.100.1', 'alice')).toThrow('Too many')
    expect(() => rate.attempt('198.51.100.1', 'bob')).not.toThrow()
    expect(() => rate.attempt('198.51.100.1')).not.toThrow()
  })

  test('that is refused is not counted, for its address neither', () => {
    const { rate, tries } = scene()
    tries(10, '203.0.113.7', 'alice')
    for (let i = 0; i < 50; i++) expect(() => rate.attempt('203.0.113.7', 'alice')).toThrow()
    expect(() => tries(10, '203.0.113.7', 'bob')).not.toThrow()
  })
})

test('what succeeds does not count', () => {
  const { rate } = scene()
  for (let i = 0; i < 100; i++) rate.attempt('203.0.113.7', 'alice')()
  expect(() => rate.attempt('203.0.113.7', 'alice')).not.toThrow()
})

test('attempts at once are counted before any has failed', () => {
  const { rate } = scene()
  const under_way = Array.from({ length: 10 }, () => rate.attempt('203.0.113.7', 'alice'))
  expect(() => rate.attempt('203.0.113.7', 'alice')).toThrow('Too many')
  for (const succeeded of under_way) succeeded()
  expect(() => rate.attempt('203.0.113.7', 'alice')).not.toThrow()
})

test('names and addresses without end take the room of ten thousand', () => {
  const { clock, rate } = scene()
  for (let i = 0; i < 30_000; i++) rate.attempt(`10.0.${i >> 8}.${i & 255}`, `name-${i}`)
  expect(rate.size).toBe(20_000)
  clock.at_ms = 61_000
  rate.attempt('203.0.113.7', 'alice')
  expect(rate.size).toBe(2)
})
