// The statement of an account by month: the opening balance plus all entries is the closing balance, to the
// nano-dollar, over seeded months with reversals, expiries, late settlements, debt, and holds that outlive their month.
import { expect, test } from 'bun:test'
import { statementOf } from '../../plugins/entries/statement.ts'
import { entrySums, totalOf } from '../../plugins/entries/sums.ts'
import { monthOf, UTC } from '../../src/domain/zones.ts'
import type { Operation } from '../../src/money/ledger/operations.ts'
import { createWriter } from '../../src/money/ledger/writer.ts'
import { dbOver } from '../../src/store/engines/sqlite/sqlite.ts'
import type { Entry } from '../../src/store/schema.ts'
import { type Random, randomFrom } from '../money/ledger/random.ts'
import {
  addAccount,
  CALL,
  expire,
  hold,
  post,
  refund,
  stateOf,
  topUp,
  voided,
  withdraw,
  world,
} from '../money/ledger/world.ts'
import { SEED } from '../support/seed.ts'

const MODELS = ['sim-flash', 'sim-pro', 'sim-image'] as const
const FIRST_MS = Date.UTC(2026, 0, 31, 23, 59, 59, 999)
const MONTHS = 5
const PER_MONTH = 400
const HOUR_MS = 3_600_000
const NO_ENTRIES = { entries: 0, amount_nanos: 0 }

function nextOperation(random: Random, holds_made: number, now_ms: number): Operation {
  const kind = random.below(100)
  const account_id = 1 + random.below(2)
  const hold_id = Math.max(1, holds_made - random.below(30))
  const model = random.pick(MODELS)
  if (kind < 50) {
    const amount = 1 + random.below(3_000_000_007)
    return { ...hold(amount, { account_id, key_id: account_id, now_ms, minimum_nanos: 1 }) }
  }
  // Now and then beyond the hold, which leaves debt.
  if (kind < 82) return { ...post(hold_id, random.below(4_000_000_009), { ...CALL, model }), now_ms }
  if (kind < 85)
    return {
      ...refund(hold_id, random.chance(0.5) ? null : 1 + random.below(99), {
        account_id,
        key_id: account_id,
      }),
      now_ms,
    }
  if (kind < 88) return { ...expire(hold_id), now_ms }
  if (kind < 91) return { ...voided(hold_id), now_ms }
  if (kind < 96) return { ...topUp(1 + random.below(9_000_000_001), account_id), now_ms }
  return { ...withdraw(1 + random.below(5_000_000_003), account_id), now_ms }
}

/** Months of two accounts, and their balances at the end of each. */
function seeded() {
  const random = randomFrom(SEED)
  const db = world()
  addAccount(db, 4)
  const writer = createWriter(db)
  const ends = new Map<string, { balance: number; held: number }>()
  const done = new Set<string>()
  let now_ms = FIRST_MS
  let holds_made = 0
  for (let nth = 0; nth < MONTHS * PER_MONTH; nth++) {
    // The last moment of a month and the first of the next, one after the other.
    const next_ms = random.chance(0.05) ? monthOf(now_ms, UTC).end_ms : now_ms + random.below(3 * HOUR_MS)
    const month = monthOf(now_ms, UTC)
    if (next_ms >= month.end_ms)
      for (const id of [1, 2]) {
        const { balance = 0, held = 0 } = stateOf(db, id) ?? {}
        ends.set(`${month.name} ${id}`, { balance, held })
      }
    now_ms = next_ms
    const operation = nextOperation(random, holds_made, now_ms)
    const [outcome] = writer.commit([operation])
    if (outcome?.ok && operation.op === 'hold') holds_made += 1
    if (outcome?.ok) done.add(operation.op)
  }
  return { db, ends, done, now_ms }
}

test(`opening balance + entries = closing balance in every month, TOLLGATE_SEED=${SEED}`, async () => {
  const { db, ends, done, now_ms } = seeded()
  expect([...done].sort()).toEqual(['expire', 'hold', 'post', 'refund', 'top_up', 'void', 'withdraw'])
  expect([...ends.values()].some(({ held }) => held > 0)).toBe(true)
  const entries = db
    .query<Entry & { model: string | null }, []>(
      'SELECT entries.*, calls.model FROM entries LEFT JOIN calls ON calls.id = entries.call_id',
    )
    .all()
  expect(new Set(entries.map(({ kind }) => kind)).size).toBe(5)
  for (const account_id of [1, 2]) {
    let closed = 0
    for (let at_ms = FIRST_MS; at_ms <= now_ms; at_ms = monthOf(at_ms, UTC).end_ms) {
      const { name, start_ms, end_ms } = monthOf(at_ms, UTC)
      const summary = await statementOf(dbOver(db), account_id, { from_ms: start_ms, until_ms: end_ms })
      const own = entries.filter(
        (entry) =>
          entry.account_id === account_id && entry.created_at_ms >= start_ms && entry.created_at_ms < end_ms,
      )
      const of = (some: Entry[]) => some.reduce((total, { amount_nanos }) => total + amount_nanos, 0)
      expect([name, summary.opening_nanos]).toEqual([name, closed])
      expect(summary.opening_nanos + of(own)).toBe(summary.closing_nanos)
      for (const { kind, entries: count, amount_nanos } of summary.movements) {
        const some = own.filter((entry) => entry.kind === kind)
        expect([kind, count, amount_nanos]).toEqual([kind, some.length, of(some)])
      }
      const charges = own.filter(({ kind }) => kind === 'charge')
      for (const { model, calls, amount_nanos } of summary.charges) {
        const some = charges.filter((entry) => entry.model === model)
        expect([model, calls, amount_nanos]).toEqual([model, some.length, of(some)])
      }
      expect(summary.charged).toEqual({ calls: charges.length, amount_nanos: of(charges) })
      const end = ends.get(`${name} ${account_id}`) ?? { balance: stateOf(db, account_id)?.balance }
      expect([name, summary.closing_nanos]).toEqual([name, end.balance as number])
      closed = summary.closing_nanos
    }
    expect(closed).toBe(stateOf(db, account_id)?.balance ?? 0)
  }
})

test('an account without entries opens and closes at zero', async () => {
  const { db } = seeded()
  const summary = await statementOf(dbOver(db), 4, { from_ms: FIRST_MS, until_ms: FIRST_MS + 1 })
  expect(summary).toMatchObject({ opening_nanos: 0, closing_nanos: 0, charges: [], charged: { calls: 0 } })
})

test('sums of entries equal those of SQL, of one account and of all, by kind and time', async () => {
  const { db, now_ms } = seeded()
  const middle_ms = (FIRST_MS + now_ms) / 2
  for (const account_id of [undefined, 1])
    for (const kind of [undefined, 'charge', 'top_up'] as const)
      for (const time of [{}, { since_ms: middle_ms }, { until_ms: middle_ms }]) {
        const { since_ms = 0, until_ms = Number.MAX_SAFE_INTEGER } = { ...time } as Record<string, number>
        const wanted = db
          .query<{ entries: number; amount_nanos: number }, [string, string, number, number]>(
            `SELECT count(*) AS entries, coalesce(sum(amount_nanos), 0) AS amount_nanos FROM entries
              WHERE account_id LIKE ? AND kind LIKE ? AND created_at_ms >= ? AND created_at_ms < ?`,
          )
          .get(String(account_id ?? '%'), kind ?? '%', since_ms, until_ms)
        const summary = totalOf(await entrySums(dbOver(db), { account_id, kind, ...time }))
        expect(summary).toEqual(wanted ?? NO_ENTRIES)
      }
})

test('more entries than one batch are added up once each, even those of one moment', async () => {
  const db = world()
  const writer = createWriter(db)
  const many = 12_345
  writer.commit(
    Array.from({ length: many }, (_, nth) => ({
      ...topUp(1_000 + nth, 1),
      now_ms: FIRST_MS + Math.floor(nth / 2_000),
    })),
  )
  const wanted = { entries: many, amount_nanos: stateOf(db)?.balance ?? 0 }
  expect(totalOf(await entrySums(dbOver(db), { account_id: 1 }))).toEqual(wanted)
  expect(totalOf(await entrySums(dbOver(db), { account_id: 1, kind: 'top_up' }))).toEqual(wanted)
  expect(totalOf(await entrySums(dbOver(db), {}))).toEqual(wanted)
})
