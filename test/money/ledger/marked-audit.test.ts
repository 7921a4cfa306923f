// Audits from a mark, in ledgers made by random operations: never a false alarm, and all damage above the mark is found.
import { describe, expect, test } from 'bun:test'
import { audit } from '../../../src/money/ledger/audit.ts'
import type { AuditMark } from '../../../src/money/ledger/audit-mark.ts'
import { auditAndMark, auditFrom } from '../../../src/money/ledger/marked-audit.ts'
import type { Db } from '../../../src/store/db.ts'
import { ENGINE } from '../../support/engine.ts'
import { IS_LONG } from '../../support/long.ts'
import { AgedLedger, onPostgres, onSqlite } from './aged-ledger.ts'
import { type Random, randomFrom } from './random.ts'
import { WITHOUT_CHECKS } from './tamperings.ts'

const SEEDS = ENGINE === 'SQLite' ? (IS_LONG ? 400 : 6) : IS_LONG ? 40 : 3
const BATCHES = ENGINE === 'SQLite' ? 90 : 45
const FIRST_SEED = Number(process.env.TOLLGATE_SEED ?? Math.floor(Math.random() * 1_000_000))

const open = () => (ENGINE === 'SQLite' ? onSqlite() : onPostgres(WITHOUT_CHECKS))

interface Aged extends AsyncDisposable {
  rows: Awaited<ReturnType<typeof open>>
  ledger: AgedLedger
  mark: AuditMark
}

/** Makes a ledger with marks at random moments, and compares each audit with one of all rows. */
async function aged(random: Random): Promise<Aged> {
  const rows = await open()
  const ledger = new AgedLedger(rows, random)
  let mark: AuditMark | undefined
  // Their calls are below a mark: then, and only then, the audit reads all rows.
  let settled_late = 0
  for (let batch = 0; batch < BATCHES || !mark; batch++) {
    await ledger.goOn()
    if (!random.chance(0.12)) continue
    const above = mark && (await auditFrom(rows.db, mark, ledger.now_ms))
    const whole = await auditAndMark(rows.db, ledger.now_ms)
    expect(whole.findings).toEqual([])
    if (above) {
      expect(above).toMatchObject({ clean: true, totals: whole.totals })
      expect(comparable(above.next)).toEqual(comparable(whole.next))
    } else if (mark) expect(ledger.settled_late).toBeGreaterThan(settled_late)
    mark = above?.next ?? whole.next
    settled_late = ledger.settled_late
  }
  for (let batch = 0; batch < 5; batch++) await ledger.goOn()
  return { rows, ledger, mark, [Symbol.asyncDispose]: () => rows[Symbol.asyncDispose]() }
}

/** Sorts the sums, and leaves out zeros and the time of its first audit. */
function comparable(mark: AuditMark | undefined) {
  if (!mark) return undefined
  const { whole_at_ms: _, ...rest } = mark
  const inOrder = (sums: [number | string, number][]) =>
    sums.filter(([, sum]) => sum !== 0).sort(([one], [other]) => (one < other ? -1 : 1))
  const { balance, owed, spent, owners, kinds } = mark
  return Object.assign(rest, {
    balance: inOrder(balance),
    owed: inOrder(owed),
    spent: inOrder(spent),
    owners: inOrder(owners),
    kinds: inOrder(kinds),
  })
}

const CALL_DAMAGES = [
  'UPDATE calls SET cost_nanos = cost_nanos + 1 WHERE id = $id',
  'UPDATE calls SET unpaid_nanos = unpaid_nanos + 1 WHERE id = $id',
  'UPDATE calls SET refunded_nanos = refunded_nanos + 1 WHERE id = $id',
  "UPDATE calls SET model = 'sim-third' WHERE id = $id",
  'UPDATE calls SET account_id = 3 - account_id WHERE id = $id',
  'UPDATE calls SET key_id = 3 - key_id % 2 WHERE id = $id AND key_id <> 3 - key_id % 2',
  'UPDATE calls SET input_tokens = input_tokens + 1 WHERE id = $id',
  'UPDATE calls SET provider_cost_nanos = coalesce(provider_cost_nanos, 0) + 1 WHERE id = $id',
  'UPDATE calls SET started_at_ms = started_at_ms + 86400000 WHERE id = $id',
  'UPDATE calls SET price_id = 99 WHERE id = $id',
  'UPDATE calls SET covered_nanos = 1 WHERE id = $id',
  'UPDATE calls SET plan_period_id = 9 WHERE id = $id',
  'DELETE FROM calls WHERE id = $id',
  'UPDATE calls SET id = 100000 WHERE id = $id',
] as const

const ENTRY_DAMAGES = [
  'UPDATE entries SET amount_nanos = amount_nanos + 1 WHERE id = $id',
  'UPDATE entries SET account_id = 3 - account_id WHERE id = $id',
  'UPDATE entries SET account_id = 99 WHERE id = $id',
  'DELETE FROM entries WHERE id = $id',
  `INSERT INTO entries SELECT 100000, account_id, kind, amount_nanos, call_id, note, created_at_ms, NULL FROM entries WHERE id = $id`,
] as const

const OF_CALL_DAMAGES = [
  'UPDATE entries SET call_id = 100000 WHERE id = $id',
  "UPDATE entries SET call_id = (SELECT min(call_id) FROM entries AS other WHERE kind = 'charge' AND call_id <> entries.call_id) WHERE id = $id",
] as const

/** Damage to a sum that has one of the calls above. */
const SUM_DAMAGES = [
  'calls = calls + 1',
  'cost_nanos = cost_nanos + 1',
  "model = 'sim-third'",
  'start_s = start_s + 864000000',
].flatMap((set) =>
  [86_400, 900].map(
    (span_s) => `UPDATE call_sums SET ${set} WHERE span_s = ${span_s} AND last_call_id = $id`,
  ),
)

/** Damage to rows that change all the time, whatever the mark. */
const LIVE_DAMAGES = [
  'UPDATE accounts SET balance_nanos = balance_nanos + 1 WHERE id = 1',
  'UPDATE accounts SET debt_nanos = debt_nanos + 1 WHERE id = 2',
  'UPDATE accounts SET held_nanos = held_nanos + 1 WHERE id = 1',
  'UPDATE keys SET spent_nanos = spent_nanos + 1 WHERE id = 3',
  'UPDATE keys SET held_nanos = held_nanos + 1 WHERE id = 3',
  'UPDATE keys SET account_id = 3 - account_id WHERE id = 1',
  'DELETE FROM keys WHERE id = 2',
  'DELETE FROM accounts WHERE id = 2',
  'INSERT INTO opening_debts (account_id, amount_nanos, note, created_at_ms, request_key) VALUES (1, 5, $$x$$, 0, $$y$$)',
] as const

type Damage = readonly [texts: readonly string[], rows: string]

const damagesBeyond = (sign: '>' | '<='): Damage[] => [
  [CALL_DAMAGES, `SELECT id FROM calls WHERE id ${sign} $call_id`],
  [ENTRY_DAMAGES, `SELECT id FROM entries WHERE id ${sign} $entry_id`],
  [OF_CALL_DAMAGES, `SELECT id FROM entries WHERE id ${sign} $entry_id AND kind IN ('charge', 'refund')`],
  [
    SUM_DAMAGES,
    `SELECT last_call_id AS id FROM call_sums WHERE span_s = 900 AND last_call_id ${sign} $call_id`,
  ],
]

/** A statement that damages one of some rows; undefined without such a row. */
async function damageOf(db: Db, [texts, rows]: Damage, random: Random, mark: AuditMark) {
  const text = texts[random.below(texts.length)] ?? ''
  const values = Object.fromEntries(
    (['call_id', 'entry_id'] as const)
      .filter((name) => rows.includes(`$${name}`))
      .map((name) => [name, mark[name]]),
  )
  const ids = await db.rows<{ id: number }>(`${rows} ORDER BY id`, values)
  const id = ids[random.below(ids.length)]?.id
  return id === undefined ? undefined : text.replaceAll('$id', String(id)).replaceAll('$$', "'")
}

const seeds = Array.from({ length: SEEDS }, (_, nth) => FIRST_SEED + nth)

describe.each(seeds)('TOLLGATE_SEED=%d', (seed) => {
  test('an audit from a mark agrees with one of all rows, and finds all damage above the mark', async () => {
    const random = randomFrom(seed)
    await using made = await aged(random)
    const { rows, mark, ledger } = made
    // Damage on a server is not undone.
    const above: Damage[] = [...damagesBeyond('>'), [LIVE_DAMAGES, 'SELECT 0 AS id']]
    const kinds =
      ENGINE === 'SQLite' ? above.flatMap((each) => [each, each, each]) : [random.pick(above as [Damage])]
    const last = (await auditFrom(rows.db, mark, ledger.now_ms))?.next ?? mark
    for (const kind of kinds) {
      const sql = await damageOf(rows.db, kind, random, mark)
      if (sql === undefined) continue
      await rows.withDamage(sql, async (db) => {
        const { clean } = await audit(db)
        const found = await auditFrom(db, mark, ledger.now_ms)
        expect({ sql, whole: clean, above: clean ? undefined : found?.clean }).toEqual({
          sql,
          whole: clean,
          above: undefined,
        })
      })
    }
    expect(last.call_id).toBeGreaterThanOrEqual(mark.call_id)
  })
})
