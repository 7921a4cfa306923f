// Limits of calls that several gateways count together: refusals, their retry times, and the calls that count.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Limit } from '../../../src/domain/call-limits.ts'
import type { HoldLimits, Operation, Outcome, Refusal } from '../../../src/money/ledger/operations.ts'
import { SEED } from '../../support/seed.ts'
import { LimitedLedger } from './limited.ts'
import { charged, held, late, returned } from './steps.ts'
import { expire, hold, post, voided } from './world.ts'

const START_S = 1_700_000_000
const refused = (refusal: Refusal, retry_after_s = 1, of: 'account' | 'key' = 'key'): Outcome => ({
  ok: false,
  refusal,
  limit: { of, retry_after_s },
})

/** A call by key 1, unless another is named. */
const call = (limits: HoldLimits, key_id = 1): Operation =>
  hold(1, { limits, key_id, account_id: key_id === 2 ? 2 : 1 })
/** The end of a call that used these tokens, at a second of the case. */
const ends = (hold_id: number, tokens: number, limits: HoldLimits, ended_s: number): Operation => ({
  ...post(hold_id, 0, { input_tokens: tokens, output_tokens: 0 }),
  limits,
  now_ms: (START_S + ended_s) * 1_000,
})

const REQUESTS = { key: { requests_per_minute: 2 } }
const TOKENS = { key: { tokens_per_minute: 100 } }
const AT_ONCE = { key: { concurrent_calls: 2 } }
const BOTH = { account: { concurrent_calls: 2 }, key: { concurrent_calls: 1 } }
const ALL = { key: { requests_per_minute: 1, tokens_per_minute: 1, concurrent_calls: 1 } }

/** Each operation at a second of the case, with its outcome. */
type Step = readonly [at_s: number, Operation, Outcome]

const CASES: { name: string; steps: Step[] }[] = [
  {
    name: 'requests of a key: the third in 60 seconds waits until the first no longer counts, whatever becomes of them',
    steps: [
      [0, call(REQUESTS), held(1, 1)],
      [10, call(REQUESTS), held(2, 1)],
      [10, call(REQUESTS), refused('limit_requests', 51)],
      [20, voided(1), returned(1)],
      [20, call(REQUESTS), refused('limit_requests', 41)],
      [60, call(REQUESTS), refused('limit_requests', 1)],
      [61, call(REQUESTS), held(3, 1)],
      [61, call(REQUESTS), refused('limit_requests', 10)],
    ],
  },
  {
    name: 'a refused call does not count',
    steps: [
      [0, call(REQUESTS), held(1, 1)],
      [1, hold(1e15, { limits: REQUESTS }), { ok: false, refusal: 'insufficient_balance' }],
      [1, call(REQUESTS), held(2, 1)],
      [59, call(REQUESTS), refused('limit_requests', 2)],
      [61, call(REQUESTS), held(3, 1)],
    ],
  },
  {
    name: 'calls of another key, and of one without a limit, count for themselves',
    steps: [
      [0, call(REQUESTS), held(1, 1)],
      [0, call(REQUESTS, 3), held(2, 1)],
      [0, call({}, 3), held(3, 1)],
      [0, call(REQUESTS, 3), held(4, 1)],
      [0, call(REQUESTS, 3), refused('limit_requests', 61)],
      [0, call(REQUESTS), held(5, 1)],
    ],
  },
  {
    name: 'requests of an account: those of all its keys, of no other account',
    steps: [
      [0, call({ account: { requests_per_minute: 2 } }), held(1, 1)],
      [0, call({ account: { requests_per_minute: 2 } }, 3), held(2, 1)],
      [0, call({ account: { requests_per_minute: 2 } }), refused('limit_requests', 61, 'account')],
      [0, call({ account: { requests_per_minute: 2 } }, 2), held(3, 1)],
    ],
  },
  {
    name: 'tokens: known at the end of a call, they count from then on; one call may go beyond',
    steps: [
      [0, call(TOKENS), held(1, 1)],
      [0, call(TOKENS), held(2, 1)],
      [5, ends(1, 99, TOKENS, 5), charged(0)],
      [5, call(TOKENS), held(3, 1)],
      [9, ends(2, 500, TOKENS, 9), charged(0)],
      [9, call(TOKENS), refused('limit_tokens', 61)],
      [69, call(TOKENS), refused('limit_tokens', 1)],
      [70, call(TOKENS), held(4, 1)],
    ],
  },
  {
    name: 'tokens of a voided call, of one without a limit, and of one that ended a minute ago do not count',
    steps: [
      [0, call(TOKENS), held(1, 1)],
      [0, voided(1), returned(1)],
      [0, call({}), held(2, 1)],
      [0, ends(2, 500, {}, 0), charged(0)],
      [0, call(TOKENS), held(3, 1)],
      [90, ends(3, 500, TOKENS, 29), charged(0)],
      [90, call(TOKENS), held(4, 1)],
      [90, ends(4, 500, TOKENS, 31), charged(0)],
      [90, call(TOKENS), refused('limit_tokens', 61)],
    ],
  },
  {
    name: 'tokens of a call whose hold had expired count',
    steps: [
      [0, call(TOKENS), held(1, 1)],
      [40, expire(1), returned(1)],
      [41, ends(1, 100, TOKENS, 41), late(charged(0))],
      [41, call(TOKENS), refused('limit_tokens', 61)],
    ],
  },
  {
    name: 'concurrent calls: one ends once, when it is charged, voided or expired',
    steps: [
      [0, call(AT_ONCE), held(1, 1)],
      [0, call(AT_ONCE), held(2, 1)],
      [0, call(AT_ONCE), refused('limit_concurrency')],
      [0, ends(1, 10, AT_ONCE, 0), charged(0)],
      [0, call(AT_ONCE), held(3, 1)],
      [0, call(AT_ONCE), refused('limit_concurrency')],
      [0, voided(2), returned(1)],
      [0, call(AT_ONCE), held(4, 1)],
      [0, expire(3), returned(1)],
      [0, call(AT_ONCE), held(5, 1)],
      [0, ends(3, 10, AT_ONCE, 0), late(charged(0))],
      [0, voided(2), { ok: false, refusal: 'already_resolved' }],
      [0, call(AT_ONCE), refused('limit_concurrency')],
    ],
  },
  {
    name: 'concurrent calls that began without a limit count once there is one',
    steps: [
      [0, call({}), held(1, 1)],
      [0, call({}), held(2, 1)],
      [0, call(AT_ONCE), refused('limit_concurrency')],
      [0, voided(1), returned(1)],
      [0, call(AT_ONCE), held(3, 1)],
    ],
  },
  {
    name: 'an account and its keys: each has its own limit, and the account is checked first',
    steps: [
      [0, call(BOTH), held(1, 1)],
      [0, call(BOTH), refused('limit_concurrency')],
      [0, call(BOTH, 3), held(2, 1)],
      [0, call(BOTH), refused('limit_concurrency', 1, 'account')],
      [0, voided(2), returned(1)],
      [0, call(BOTH), refused('limit_concurrency')],
    ],
  },
  {
    name: 'of several limits requests are checked first, then tokens, then concurrent calls',
    steps: [
      [0, call(ALL), held(1, 1)],
      [5, call(ALL), refused('limit_requests', 56)],
      [61, call(ALL), refused('limit_concurrency')],
      [62, ends(1, 1, ALL, 62), charged(0)],
      [63, call(ALL), refused('limit_tokens', 60)],
    ],
  },
  {
    name: 'a clock that was set back by less than a minute refuses no more than it would have; by more, nothing',
    steps: [
      [100, call(REQUESTS), held(1, 1)],
      [100, call(REQUESTS), held(2, 1)],
      [70, call(REQUESTS), refused('limit_requests', 91)],
      [39, call(REQUESTS), held(3, 1)],
    ],
  },
]

describe('limits of calls', () => {
  test.each(CASES)('$name', ({ steps }) => {
    const ledger = new LimitedLedger()
    for (const [at_s, operation, outcome] of steps)
      expect(ledger.commit([operation], START_S + at_s)).toEqual([outcome])
  })

  test.each(CASES)('$name: the same with one batch a second', ({ steps }) => {
    const ledger = new LimitedLedger()
    for (const batch of Object.values(Object.groupBy(steps, ([at_s]) => at_s)).sort(inOrderOf(steps)))
      expect(
        ledger.commit(
          (batch ?? []).map(([, operation]) => operation),
          START_S + (batch?.[0]?.[0] ?? 0),
        ),
      ).toEqual((batch ?? []).map(([, , outcome]) => outcome))
  })

  test('unknown keys and accounts are refused before limits', () => {
    const ledger = new LimitedLedger()
    const limits = { key: { concurrent_calls: 0 } }
    expect(ledger.commit([hold(1, { limits, key_id: 2 })], START_S)).toEqual([
      { ok: false, refusal: 'no_such_key' },
    ])
    expect(ledger.commit([hold(1, { limits, account_id: 9 })], START_S)).toEqual([
      { ok: false, refusal: 'no_such_account' },
    ])
  })
})

/** Compares batches by their order in a case, also if its clock is set back. */
function inOrderOf(steps: readonly Step[]) {
  return (a: Step[] | undefined, b: Step[] | undefined): number =>
    steps.indexOf(a?.[0] as Step) - steps.indexOf(b?.[0] as Step)
}

const anyLimit: fc.Arbitrary<Limit> = fc.record(
  {
    requests_per_minute: fc.integer({ min: 1, max: 6 }),
    tokens_per_minute: fc.integer({ min: 1, max: 300 }),
    concurrent_calls: fc.integer({ min: 1, max: 4 }),
  },
  { requiredKeys: [] },
)

const anyStep = fc.record({
  wait_s: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 20 }), fc.constantFrom(59, 60, 61)),
  key_id: fc.constantFrom(1, 2, 3),
  end: fc.constantFrom('none', 'post', 'void', 'expire'),
  tokens: fc.nat({ max: 150 }),
})

/** The history of calls, kept whole and counted anew each time. */
class CallHistory {
  readonly #limits: HoldLimits
  readonly #starts: { ids: string[]; at_s: number }[] = []
  readonly #spent: { ids: string[]; at_s: number; tokens: number }[] = []
  readonly under_way: { hold_id: number; ids: string[] }[] = []

  constructor(limits: HoldLimits) {
    this.#limits = limits
  }

  /** The limit that one more call of a key would exceed. */
  refusal(key_id: number, now_s: number): Refusal | undefined {
    const [of_account, of_key] = idsOf(key_id)
    return (
      this.#reached(of_account, this.#limits.account, now_s) ?? this.#reached(of_key, this.#limits.key, now_s)
    )
  }

  begin(hold_id: number, key_id: number, at_s: number): void {
    this.#starts.push({ ids: idsOf(key_id), at_s })
    this.under_way.push({ hold_id, ids: idsOf(key_id) })
  }

  /** Ends the oldest call. */
  end(at_s: number, tokens: number): void {
    const ended = this.under_way.shift()
    if (ended) this.#spent.push({ ids: ended.ids, at_s, tokens })
  }

  #reached(id: string, limit: Limit = {}, now_s: number): Refusal | undefined {
    const {
      requests_per_minute = Infinity,
      tokens_per_minute = Infinity,
      concurrent_calls = Infinity,
    } = limit
    const lastMinute = <T extends { ids: string[]; at_s: number }>(events: T[]) =>
      events.filter(({ ids, at_s }) => ids.includes(id) && now_s - at_s <= 60)
    const tokens = lastMinute(this.#spent).reduce((sum, spent) => sum + spent.tokens, 0)
    if (lastMinute(this.#starts).length >= requests_per_minute) return 'limit_requests'
    if (tokens >= tokens_per_minute) return 'limit_tokens'
    if (this.under_way.filter(({ ids }) => ids.includes(id)).length >= concurrent_calls)
      return 'limit_concurrency'
    return undefined
  }
}

const idsOf = (key_id: number): [account: string, key: string] => [
  `account ${key_id === 2 ? 2 : 1}`,
  `key ${key_id}`,
]

const END: Record<string, (hold_id: number, tokens: number, limits: HoldLimits, at_s: number) => Operation> =
  {
    post: (...of) => ends(...of),
    void: (hold_id) => voided(hold_id),
    expire: (hold_id) => expire(hold_id),
  }

describe(`any calls, TOLLGATE_SEED=${SEED}`, () => {
  test('are decided as by a count of their whole history', () => {
    fc.assert(
      fc.property(anyLimit, anyLimit, fc.array(anyStep, { maxLength: 80 }), (account, key, steps) => {
        const limits = { account, key }
        const ledger = new LimitedLedger()
        const history = new CallHistory(limits)
        let at_s = 0
        for (const { wait_s, key_id, end, tokens } of steps) {
          at_s += wait_s
          const [oldest] = history.under_way
          const operation = oldest && END[end]?.(oldest.hold_id, tokens, limits, at_s)
          if (operation) {
            ledger.commit([operation], START_S + at_s)
            history.end(at_s, end === 'post' ? tokens : 0)
          }
          const [outcome] = ledger.commit([call(limits, key_id)], START_S + at_s)
          expect(outcome?.ok ? undefined : outcome?.refusal).toBe(history.refusal(key_id, at_s))
          if (outcome && 'hold_id' in outcome) history.begin(outcome.hold_id, key_id, at_s)
        }
      }),
      { numRuns: 300, seed: SEED },
    )
  })

  test('are admitted after their retry time, if no other call comes in between and none is under way', () => {
    fc.assert(
      fc.property(anyLimit, fc.array(anyStep, { minLength: 1, maxLength: 60 }), (key, steps) => {
        const limits = { key }
        const ledger = new LimitedLedger()
        let at_s = 0
        for (const { wait_s, tokens } of steps) {
          at_s += Math.floor(wait_s / 10)
          const waited = new Set<Refusal>()
          for (;;) {
            const [outcome] = ledger.commit([call(limits)], START_S + at_s)
            if (outcome && 'hold_id' in outcome) {
              ledger.commit([ends(outcome.hold_id, tokens, limits, at_s)], START_S + at_s)
              break
            }
            if (!outcome || outcome.ok || !outcome.limit) throw new Error('refused for something else')
            // Each limit is waited for once.
            expect(waited).not.toContain(outcome.refusal)
            waited.add(outcome.refusal)
            const { retry_after_s } = outcome.limit
            const [early] = ledger.commit([call(limits)], START_S + at_s + retry_after_s - 1)
            expect(early?.ok).toBe(false)
            at_s += retry_after_s
          }
        }
      }),
      { numRuns: 300, seed: SEED },
    )
  })
})
