// Limits of accounts and keys: exact windows of 60 seconds, leases that end once, uncounted refusals.

import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { createLimiter, type Lease, limitsFor } from '../../src/access/limits.ts'
import type { Limit } from '../../src/domain/call-limits.ts'

function limiterAt(start_ms = 0) {
  let at = start_ms
  const limiter = createLimiter({ now: () => at })
  return {
    limiter,
    setTime: (ms: number) => {
      at = ms
    },
    admit: (account: Limit, key: Limit = {}, account_id = 1, key_id = 1) =>
      limiter.admit({ account_id, key_id, account, key }),
    lease(account: Limit, key: Limit = {}): Lease {
      const outcome = limiter.admit({ account_id: 1, key_id: 1, account, key })
      if (!outcome.ok) throw new Error(`refused: ${outcome.limit}`)
      return outcome.lease
    },
  }
}

describe('requests in any 60 seconds', () => {
  const TWO: Limit = { requests_per_minute: 2 }

  test.each([
    ['the third call within 60 seconds', [0, 1_000, 59_999], [true, true, false]],
    ['the third call once the first has left the window', [0, 1_000, 60_000], [true, true, true]],
    ['a sliding window, not a calendar minute', [59_000, 59_500, 61_000], [true, true, false]],
    [
      'each call leaves the window on its own',
      [0, 30_000, 60_000, 60_001, 90_000],
      [true, true, true, false, true],
    ],
    ['all at the same moment', [5, 5, 5, 5], [true, true, false, false]],
    ['a refused call is not counted', [0, 0, 30_000, 60_000, 60_000], [true, true, false, true, true]],
  ])('%s', (_row, times, admitted) => {
    const { admit, setTime } = limiterAt()
    const outcomes = times.map((time) => {
      setTime(time)
      return admit(TWO).ok
    })
    expect(outcomes).toEqual(admitted)
  })

  test('a request taken back no longer counts for the account and the key; each other one counts for its 60 seconds', () => {
    const { limiter, admit, setTime } = limiterAt()
    const limited = { account_id: 1, key_id: 1, account: TWO, key: TWO }
    admit(TWO, TWO)
    setTime(10_000)
    admit(TWO, TWO)
    limiter.takeBack(limited)
    expect(limiter.used('account', 1)).toMatchObject({ requests_per_minute: 1 })
    expect(limiter.used('key', 1)).toMatchObject({ requests_per_minute: 1 })
    setTime(20_000)
    expect(admit(TWO, TWO).ok).toBe(true)
    expect(admit(TWO, TWO)).toMatchObject({ ok: false, retry_after_s: 40 })
    setTime(80_000)
    limiter.takeBack(limited)
    expect(limiter.used('account', 1)).toMatchObject({ requests_per_minute: 0 })
  })

  test('without a limit of requests nothing is taken back', () => {
    const { limiter, lease } = limiterAt()
    lease(TWO, { concurrent_calls: 1 })
    limiter.takeBack({ account_id: 1, key_id: 1, account: {}, key: { concurrent_calls: 1 } })
    expect(limiter.used('account', 1)).toMatchObject({ requests_per_minute: 1 })
    expect(limiter.used('key', 1)).toMatchObject({ concurrent_calls: 1 })
  })

  test.each([
    ['until the oldest call leaves the window', 1_000, 59],
    ['rounded up', 500, 60],
    ['never 0', 59_999, 1],
  ])('Retry-After: %s', (_row, time, retry_after_s) => {
    const { admit, setTime } = limiterAt()
    admit(TWO)
    admit(TWO)
    setTime(time)
    expect(admit(TWO)).toEqual({ ok: false, limit: 'requests_per_minute', of: 'account', retry_after_s })
  })

  test('a lowered limit waits until enough calls have left the window', () => {
    const { admit, setTime } = limiterAt()
    for (const time of [0, 10_000, 20_000]) {
      setTime(time)
      admit({ requests_per_minute: 3 })
    }
    expect(admit({ requests_per_minute: 1 })).toMatchObject({ ok: false, retry_after_s: 60 })
    expect(admit({ requests_per_minute: 3 })).toMatchObject({ ok: false, retry_after_s: 40 })
  })

  test('a raised limit counts earlier calls', () => {
    const { admit } = limiterAt()
    admit(TWO)
    admit(TWO)
    expect([3, 3].map((requests_per_minute) => admit({ requests_per_minute }).ok)).toEqual([true, false])
  })
})

describe('concurrent calls', () => {
  const ONE: Limit = { concurrent_calls: 1 }

  test('a second call is refused until the first is released', () => {
    const { admit, lease } = limiterAt()
    const first = lease(ONE)
    expect(admit(ONE)).toEqual({ ok: false, limit: 'concurrent_calls', of: 'account', retry_after_s: 1 })
    first.release()
    expect(admit(ONE).ok).toBe(true)
  })

  test('releasing a lease twice frees one place', () => {
    const { admit, lease } = limiterAt()
    const first = lease(ONE)
    first.release()
    first.release()
    expect([admit(ONE).ok, admit(ONE).ok]).toEqual([true, false])
  })

  test('a call of hours keeps its place', () => {
    const { admit, setTime, lease } = limiterAt()
    const first = lease(ONE)
    setTime(10 * 3_600_000)
    expect(admit(ONE).ok).toBe(false)
    first.release()
    expect(admit(ONE).ok).toBe(true)
  })

  test('a limit that is removed during a call counts correctly once it is set again', () => {
    const { admit, lease } = limiterAt()
    const first = lease(ONE)
    lease({}).release()
    first.release()
    expect([admit(ONE).ok, admit(ONE).ok]).toEqual([true, false])
  })
})

describe('tokens in any 60 seconds', () => {
  const HUNDRED: Limit = { tokens_per_minute: 100 }

  test.each([
    ['while the sum is below the limit', 99, true],
    ['not once it is reached', 100, false],
    ['nor above it', 5_000, false],
  ])('a call is admitted %s', (_row, used, admitted) => {
    const { admit, lease } = limiterAt()
    lease(HUNDRED).release(used)
    expect(admit(HUNDRED).ok).toBe(admitted)
  })

  test('tokens count from the end of their call', () => {
    const { admit, setTime, lease } = limiterAt()
    const call = lease(HUNDRED)
    setTime(50_000)
    call.release(100)
    setTime(109_999)
    expect(admit(HUNDRED)).toEqual({ ok: false, limit: 'tokens_per_minute', of: 'account', retry_after_s: 1 })
    setTime(110_000)
    expect(admit(HUNDRED).ok).toBe(true)
  })

  test('Retry-After is the time until enough tokens have left the window', () => {
    const { admit, setTime, lease } = limiterAt()
    const [early, late] = [lease(HUNDRED), lease(HUNDRED)]
    early.release(60)
    setTime(30_000)
    late.release(60)
    expect(admit(HUNDRED)).toMatchObject({ ok: false, retry_after_s: 30 })
    expect(admit({ tokens_per_minute: 60 })).toMatchObject({ ok: false, retry_after_s: 60 })
  })

  test('a running call counts no tokens yet', () => {
    const { admit, lease } = limiterAt()
    const call = lease(HUNDRED)
    expect(admit(HUNDRED).ok).toBe(true)
    call.release(1_000)
    expect(admit(HUNDRED).ok).toBe(false)
  })

  test('a call that used no tokens counts none', () => {
    const { admit, lease } = limiterAt()
    lease(HUNDRED).release()
    expect(admit(HUNDRED).ok).toBe(true)
  })
})

describe('accounts and keys', () => {
  test('keys of one account share its limit', () => {
    const { admit } = limiterAt()
    const one: Limit = { requests_per_minute: 1 }
    expect([admit(one, {}, 1, 1).ok, admit(one, {}, 1, 2).ok]).toEqual([true, false])
  })

  test('accounts do not share limits, nor do keys', () => {
    const { admit } = limiterAt()
    const one: Limit = { requests_per_minute: 1 }
    expect([admit(one, one, 1, 1).ok, admit(one, one, 2, 2).ok]).toEqual([true, true])
  })

  test('an account and a key with the same id are counted apart', () => {
    const { admit } = limiterAt()
    const one: Limit = { requests_per_minute: 1 }
    expect([admit(one, {}, 7, 1).ok, admit({}, one, 1, 7).ok]).toEqual([true, true])
  })

  test("a call refused by its key's limit is not counted for its account", () => {
    const { admit } = limiterAt()
    const account: Limit = { requests_per_minute: 2, concurrent_calls: 2 }
    const key: Limit = { requests_per_minute: 1 }
    expect(admit(account, key, 1, 1).ok).toBe(true)
    expect(admit(account, key, 1, 1)).toMatchObject({ ok: false, of: 'key' })
    expect(admit(account, key, 1, 2).ok).toBe(true)
  })
})

test('used() returns the usage of each limit that is set: requests, tokens, running calls', () => {
  const { limiter, lease, setTime } = limiterAt()
  const account: Limit = { requests_per_minute: 9, tokens_per_minute: 900 }
  expect(limiter.used('account', 1)).toEqual({
    requests_per_minute: 0,
    tokens_per_minute: 0,
    concurrent_calls: 0,
  })
  const call = lease(account, { concurrent_calls: 3 })
  expect(limiter.used('account', 1)).toMatchObject({ requests_per_minute: 1, tokens_per_minute: 0 })
  expect(limiter.used('key', 1)).toMatchObject({ requests_per_minute: 0, concurrent_calls: 1 })
  call.release(40)
  expect(limiter.used('account', 1)).toMatchObject({ requests_per_minute: 1, tokens_per_minute: 40 })
  expect(limiter.used('key', 1)).toMatchObject({ concurrent_calls: 0 })
  setTime(60_000)
  expect(limiter.used('account', 1)).toMatchObject({ requests_per_minute: 0, tokens_per_minute: 0 })
})

describe('memory', () => {
  test('calls without limits leave no tallies', () => {
    const { limiter, admit } = limiterAt()
    for (let id = 0; id < 1_000; id++) admit({}, {}, id, id)
    expect(limiter.size).toBe(0)
  })

  test('an empty tally is dropped; others are kept', () => {
    const { limiter, admit, setTime } = limiterAt()
    const limit: Limit = { requests_per_minute: 1, concurrent_calls: 1 }
    for (let id = 1; id <= 1_000; id++) admit({ requests_per_minute: 1 }, {}, id, id)
    admit(limit, {}, 5_000, 5_000)
    expect(limiter.size).toBe(1_001)
    setTime(120_001)
    admit({ requests_per_minute: 1 }, {}, 6_000, 6_000)
    expect(limiter.size).toBe(2)
    expect(admit(limit, {}, 5_000, 5_000)).toMatchObject({ ok: false, limit: 'concurrent_calls' })
  })
})

describe('limitsFor', () => {
  const LIMITS = {
    account: { requests_per_minute: 10, concurrent_calls: 5 },
    key: { tokens_per_minute: 100 },
    accounts: { alice: { concurrent_calls: 50 }, 'bob & co': { tokens_per_minute: 9 } },
    keys: { tg_abc: { tokens_per_minute: 7, requests_per_minute: 3 } },
  }
  test.each([
    ['without an override the defaults apply', 'carol', 'tg_x', LIMITS.account, LIMITS.key],
    [
      'a field of the override replaces the default',
      'alice',
      'tg_x',
      { requests_per_minute: 10, concurrent_calls: 50 },
      LIMITS.key,
    ],
    [
      'a field of the override is added to the defaults',
      'bob & co',
      'tg_abc',
      { requests_per_minute: 10, concurrent_calls: 5, tokens_per_minute: 9 },
      { tokens_per_minute: 7, requests_per_minute: 3 },
    ],
    ['the name of an object property is no override', 'constructor', '__proto__', LIMITS.account, LIMITS.key],
  ])('%s', (_row, name, prefix, account, key) => {
    expect(limitsFor(LIMITS, name, { prefix, concurrent_calls: null })).toEqual({ account, key })
  })

  test.each([
    ['a key’s own limit is added', {}, 4, { concurrent_calls: 4 }],
    ['a key’s limit lowers the catalogue’s', { key: { concurrent_calls: 9 } }, 4, { concurrent_calls: 4 }],
    [
      'a key’s limit never raises the catalogue’s',
      { key: { concurrent_calls: 3 } },
      4,
      { concurrent_calls: 3 },
    ],
    [
      'the other limits stay',
      { key: { tokens_per_minute: 7 } },
      4,
      { tokens_per_minute: 7, concurrent_calls: 4 },
    ],
    ['without one the catalogue’s applies', { key: { concurrent_calls: 9 } }, null, { concurrent_calls: 9 }],
  ])('%s', (_row, limits: { key?: Limit }, concurrent_calls, key) => {
    expect(limitsFor(limits, 'alice', { prefix: 'tg_x', concurrent_calls }).key).toEqual(key)
  })

  test('a catalogue without limits sets none', () => {
    expect(limitsFor({}, 'alice', { prefix: 'tg_abc', concurrent_calls: null })).toEqual({
      account: {},
      key: {},
    })
  })
})

/** A reference implementation: it keeps every event and recounts them each time. */
function referenceLimiter() {
  const starts: { id: string; at: number }[] = []
  const spent: { id: string; at: number; tokens: number }[] = []
  const running = new Set<{ ids: string[] }>()
  const inWindow = (at: number, now: number) => at > now - 60_000

  const broken = (id: string, limit: Limit, now: number): keyof Limit | undefined => {
    const requests = starts.filter((start) => start.id === id && inWindow(start.at, now)).length
    const tokens = spent
      .filter((entry) => entry.id === id && inWindow(entry.at, now))
      .reduce((sum, entry) => sum + entry.tokens, 0)
    const calls = [...running].filter(({ ids }) => ids.includes(id))
    if (requests >= (limit.requests_per_minute ?? Number.POSITIVE_INFINITY)) return 'requests_per_minute'
    if (tokens >= (limit.tokens_per_minute ?? Number.POSITIVE_INFINITY)) return 'tokens_per_minute'
    if (calls.length >= (limit.concurrent_calls ?? Number.POSITIVE_INFINITY)) return 'concurrent_calls'
    return undefined
  }

  return {
    admit(ids: string[], limits: Limit[], now: number) {
      for (const [index, id] of ids.entries()) {
        const limit = broken(id, limits[index] ?? {}, now)
        if (limit) return { ok: false as const, limit }
      }
      for (const id of ids) starts.push({ id, at: now })
      const call = { ids }
      running.add(call)
      return { ok: true as const, call }
    },
    release(call: { ids: string[] }, tokens: number, now: number) {
      running.delete(call)
      for (const id of call.ids) spent.push({ id, at: now, tokens })
    },
  }
}

const anyLimit: fc.Arbitrary<Limit> = fc.record({
  requests_per_minute: fc.integer({ min: 1, max: 6 }),
  tokens_per_minute: fc.integer({ min: 1, max: 300 }),
  concurrent_calls: fc.integer({ min: 1, max: 4 }),
})

const anyStep = fc.record({
  wait_ms: fc.oneof(
    fc.constant(0),
    fc.integer({ min: 0, max: 20_000 }),
    fc.constantFrom(59_999, 60_000, 60_001),
  ),
  account_id: fc.integer({ min: 1, max: 2 }),
  key_id: fc.integer({ min: 1, max: 2 }),
  releases: fc.boolean(),
  tokens: fc.nat({ max: 150 }),
})

test('the limiter decides as the reference does, for any sequence of calls', () => {
  fc.assert(
    fc.property(anyLimit, anyLimit, fc.array(anyStep, { maxLength: 60 }), (account, key, steps) => {
      let now = 0
      const limiter = createLimiter({ now: () => now })
      const reference = referenceLimiter()
      const open: { lease: Lease; call: { ids: string[] } }[] = []
      for (const { wait_ms, account_id, key_id, releases, tokens } of steps) {
        now += wait_ms
        const ended = releases ? open.shift() : undefined
        if (ended) {
          ended.lease.release(tokens)
          reference.release(ended.call, tokens, now)
        }
        const id = account_id * 10 + key_id
        const outcome = limiter.admit({ account_id, key_id: id, account, key })
        const expected = reference.admit([`account ${account_id}`, `key ${id}`], [account, key], now)
        expect(outcome.ok || outcome.limit).toBe(expected.ok || expected.limit)
        if (outcome.ok && expected.ok) open.push({ lease: outcome.lease, call: expected.call })
      }
    }),
    { numRuns: 300 },
  )
})

test('a call that waits for its Retry-After is admitted if no other call came meanwhile and none is running', () => {
  fc.assert(
    fc.property(anyLimit, fc.array(anyStep, { minLength: 1, maxLength: 60 }), (account, steps) => {
      let now = 0
      const limiter = createLimiter({ now: () => now })
      const admit = () => limiter.admit({ account_id: 1, key_id: 1, account, key: {} })
      for (const { wait_ms, tokens } of steps) {
        now += Math.floor(wait_ms / 10)
        const outcome = admit()
        if (outcome.ok) {
          outcome.lease.release(tokens)
          continue
        }
        now += (outcome.retry_after_s - 1) * 1_000
        if (outcome.retry_after_s > 1) expect(admit().ok).toBe(false)
        now += 1_000
        let last = admit()
        // Another limit may refuse the call then; it waits for each limit once.
        if (!last.ok) {
          expect(last.limit).not.toBe(outcome.limit)
          now += last.retry_after_s * 1_000
          last = admit()
        }
        expect(last.ok).toBe(true)
        if (last.ok) last.lease.release(tokens)
      }
    }),
    { numRuns: 300 },
  )
})
