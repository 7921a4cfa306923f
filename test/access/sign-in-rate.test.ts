// The rate limit of sign-ins: failed attempts by visitor, address and name, in bounded memory; strangers do not block known people.
import { describe, expect, test } from 'bun:test'
import { createSignInRate } from '../../src/access/sign-in-rate.ts'

const by = (address: string | undefined, name: string, is_known = false) => ({ address, name, is_known })

function scene() {
  const clock = { at_ms: 0 }
  const rate = createSignInRate(() => clock.at_ms)
  const tries = (times: number, address: string | undefined, name = 'alice') => {
    for (let i = 0; i < times; i++) rate.attempt(by(address, name))
  }
  const guesses = (times: number, address: string | undefined) => {
    for (let i = 0; i < times; i++) rate.guessed(address)
  }
  return { clock, rate, tries, guesses }
}

describe('an address', () => {
  test('may fail twenty times in any 60 seconds, then gets the time to wait', () => {
    const { clock, rate, guesses } = scene()
    guesses(20, '203.0.113.7')
    clock.at_ms = 15_000
    for (const call of [() => rate.guessed('203.0.113.7'), () => rate.attempt(by('203.0.113.7', 'alice'))])
      expect(call).toThrow(expect.objectContaining({ kind: 'rate_limited', retry_after_s: 45 }))
    expect(() => rate.guessed('203.0.113.8')).not.toThrow()
    clock.at_ms = 60_000
    expect(() => rate.guessed('203.0.113.7')).not.toThrow()
  })

  test('of IPv6 is counted with its /64', () => {
    const { rate, guesses } = scene()
    for (let i = 0; i < 20; i++) guesses(1, `2001:db8:0:1::${i.toString(16)}`)
    expect(() => rate.guessed('2001:db8:0:1:ffff::1')).toThrow('Too many')
    expect(() => rate.guessed('2001:db8:0:2::1')).not.toThrow()
  })

  test('of IPv4 counts alone, in both spellings of a socket', () => {
    const { rate, guesses } = scene()
    guesses(20, '::ffff:203.0.113.7')
    expect(() => rate.guessed('203.0.113.7')).toThrow('Too many')
    expect(() => rate.guessed('::ffff:203.0.113.8')).not.toThrow()
  })

  test('may have a zone', () => {
    expect(() => scene().rate.attempt(by('fe80::1%eth0', 'alice'))).not.toThrow()
  })

  test('that is unknown is counted with all unknown ones', () => {
    const { rate, guesses } = scene()
    guesses(20, undefined)
    expect(() => rate.attempt(by(undefined, 'alice'))).toThrow('Too many')
  })
})

describe('a name', () => {
  test('may fail ten times from one address, and a hundred times from all', () => {
    const { rate, tries } = scene()
    for (let i = 0; i < 10; i++) tries(10, `203.0.113.${i}`)
    expect(() => rate.attempt(by('203.0.113.0', 'alice'))).toThrow('Too many')
    expect(() => rate.attempt(by('198.51.100.1', 'alice'))).toThrow('Too many')
    expect(() => rate.attempt(by('198.51.100.1', 'bob'))).not.toThrow()
  })

  test('that is refused does not count, not even for its address', () => {
    const { rate, tries } = scene()
    tries(10, '203.0.113.7', 'alice')
    for (let i = 0; i < 50; i++) expect(() => rate.attempt(by('203.0.113.7', 'alice'))).toThrow()
    expect(() => tries(10, '203.0.113.7', 'bob')).not.toThrow()
  })

  test('blocked by strangers stays open to a person who has signed in from the same address before', () => {
    const { rate, tries } = scene()
    for (let i = 0; i < 10; i++) tries(10, `198.51.100.${i}`, '')
    tries(10, '203.0.113.7', 'bob')
    tries(10, '203.0.113.7', 'carol')
    expect(() => rate.attempt(by('203.0.113.8', ''))).toThrow('Too many')
    for (let i = 0; i < 10; i++) expect(() => rate.attempt(by('203.0.113.7', '', true))).not.toThrow()
    expect(() => rate.attempt(by('203.0.113.7', '', true))).toThrow('Too many')
  })
})

test('six hundred failures of all visitors block strangers, but not known people', () => {
  const { rate, tries } = scene()
  for (let i = 0; i < 600; i++) tries(1, `2001:db8:0:${i.toString(16)}::1`, `name-${i}`)
  expect(() => rate.attempt(by('198.51.100.1', 'bob'))).toThrow('Too many')
  expect(() => rate.attempt(by('203.0.113.7', 'alice', true))).not.toThrow()
})

test('successful attempts have their own limit', () => {
  const { clock, rate } = scene()
  for (let i = 0; i < 60; i++) rate.attempt(by('203.0.113.7', 'alice'))()
  expect(() => rate.attempt(by('203.0.113.7', 'alice'))).toThrow('Too many sign-in attempts')
  expect(() => rate.attempt(by('203.0.113.7', 'bob'))).not.toThrow()
  for (let i = 0; i < 60; i++) rate.visit('key 1')
  expect(() => rate.visit('key 1')).toThrow(expect.objectContaining({ retry_after_s: 60 }))
  clock.at_ms = 60_000
  expect(() => rate.visit('key 1')).not.toThrow()
})

test('simultaneous attempts count before any has failed', () => {
  const { rate } = scene()
  const attempts = Array.from({ length: 10 }, () => rate.attempt(by('203.0.113.7', 'alice')))
  expect(() => rate.attempt(by('203.0.113.7', 'alice'))).toThrow('Too many')
  for (const succeed of attempts) succeed()
  expect(() => rate.attempt(by('203.0.113.7', 'alice'))).not.toThrow()
})

test('the limit keeps at most ten thousand addresses', () => {
  const { clock, rate } = scene()
  for (let i = 0; i < 30_000; i++) rate.guessed(`10.0.${i >> 8}.${i & 255}`)
  expect(rate.size).toBe(10_000)
  clock.at_ms = 61_000
  rate.attempt(by('203.0.113.7', 'alice'))
  rate.visit('alice')
  expect(rate.size).toBe(4)
})
