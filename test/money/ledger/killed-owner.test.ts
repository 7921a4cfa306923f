// The killed owner of a ledger: the process dies at any point, again and again, while others write. After each start the books are right,
// answered calls are charged once, and no account has overspent. The next process settles some of the calls that a dead one left
// unsettled, after their holds have expired or were lost.
import type { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { type Executor, openExecutor } from '../../../src/money/ledger/executor.ts'
import type { LostHold, Operation } from '../../../src/money/ledger/operations.ts'
import { createWriter, type Probe } from '../../../src/money/ledger/writer.ts'
import { IS_LONG, timeoutMs } from '../../support/long.ts'
import { SEED } from '../../support/seed.ts'
import { onDisk } from './disk.ts'
import { type Random, randomFrom } from './random.ts'
import { addAccount, brokenInvariants, expire, hold, NOW, post, topUp, voided, withdraw } from './world.ts'

const LIVES = IS_LONG ? 5_000 : 120
const MAX_STEPS = 60
const ACCOUNTS = 3

const POINTS = [
  'hold.decided',
  'batch.started',
  'batch.written',
  'batch.committed',
  'hold.written',
  'batch.synced',
] as const

/** A hold as the process that made it knows it. */
interface Pending {
  hold_id: number
  request_id: string
  held_nanos: number
  account_id: number
  /** Set if an earlier process made it, and had not written its row. */
  lost?: LostHold | undefined
}

/** Answers that callers have seen, over all lives. */
interface Seen {
  charged: Map<string, number>
  /** Settlements that were under way when a process died: written or not. */
  open: Map<string, number>
  /** The cost of calls whose hold had expired or was lost. */
  late_nanos: number
  late: Set<string>
  requests: number
  deaths: Map<string, number>
}

/** A probe that dies at the nth passing of its point, and stays dead. */
function mortal(point: (typeof POINTS)[number], passings: number) {
  const state = { dead: false }
  let left = passings
  const probe: Probe = (passed) => {
    if (passed === point) left -= 1
    if (left <= 0) state.dead = true
    if (state.dead) throw new Error('dead')
  }
  return { state, probe }
}

/** Writes like another process, such as the command line: it takes no money away, and holds none. */
function writeFromOutside(db: Database, random: Random): void {
  const account_id = 1 + random.below(ACCOUNTS)
  const update = (sql: string) => db.query(`UPDATE ${sql} WHERE id = ?`).run(account_id)
  const changes = [
    () => void createWriter(db).commit([topUp(1 + random.below(300), account_id)]),
    () => void update(`keys SET revoked_at_ms = ${random.chance(0.3) ? 0 : 'NULL'}`),
    () => void update(`accounts SET status = '${random.chance(0.3) ? 'suspended' : 'active'}'`),
    () => void update(`keys SET spend_limit_nanos = ${random.chance(0.5) ? 2_000 : 'NULL'}`),
  ] as const
  random.pick(changes)()
}

function batchOf(random: Random, pending: Pending[]): { operations: Operation[]; settled: Pending[] } {
  const settled = pending.splice(0, random.below(4))
  const operations = settled.map(({ hold_id, held_nanos, lost }) => ({
    ...(random.chance(0.8) ? post(hold_id, random.below(held_nanos + 1)) : voided(hold_id)),
    lost,
  }))
  const account_id = 1 + random.below(ACCOUNTS)
  const moved = random.chance(0.2) ? [topUp(1 + random.below(200), account_id)] : []
  const taken = random.chance(0.2) ? [withdraw(1 + random.below(200), account_id)] : []
  return { operations: [...operations, ...moved, ...taken], settled }
}

async function settle(executor: Executor, random: Random, pending: Pending[], seen: Seen): Promise<void> {
  const { operations, settled } = batchOf(random, pending)
  const costs = settled.map((_, at) => {
    const operation = operations[at]
    return operation?.op === 'post' ? operation.cost_nanos : 0
  })
  for (const [at, { request_id }] of settled.entries()) {
    seen.open.set(request_id, costs[at] ?? 0)
    if (seen.late.has(request_id)) seen.late_nanos += costs[at] ?? 0
  }
  const results = await executor.commit(operations, 0)
  for (const [at, { request_id }] of settled.entries()) {
    const result = results[at]
    if (!result || !('ok' in result)) continue
    if (!result.ok) throw new Error(`a settlement was refused: ${result.refusal}`)
    expect('late' in result && result.late === true).toBe(seen.late.has(request_id))
    seen.open.delete(request_id)
    seen.charged.set(request_id, costs[at] ?? 0)
  }
}

function decide(executor: Executor, random: Random, pending: Pending[], seen: Seen): void {
  const account_id = 1 + random.below(ACCOUNTS)
  const request_id = `r-${++seen.requests}`
  const operation = hold(random.below(150), { account_id, key_id: account_id, request_id })
  const outcome = executor.holds?.decide(operation)
  if (!outcome?.ok) return
  const { hold_id, held_nanos } = outcome
  pending.push({ hold_id, request_id, held_nanos, account_id })
}

/** One life of the owner, up to its death or its last step. @param pending holds that earlier lives left @returns those that it leaves */
async function live(
  path: string,
  db: Database,
  { random, seen, pending }: { random: Random; seen: Seen; pending: Pending[] },
): Promise<Pending[]> {
  const point = random.pick(POINTS)
  const { state, probe } = mortal(point, 1 + random.below(12))
  const executor = openExecutor(path, { gateway_id: 1, probe })
  for (let step = 0; step < MAX_STEPS && !state.dead; step++) {
    try {
      const kind = random.below(100)
      if (kind < 45) decide(executor, random, pending, seen)
      else if (kind < 80) await settle(executor, random, pending, seen)
      else if (kind < 88) await executor.holds?.write(0)
      else writeFromOutside(db, random)
    } catch (thrown) {
      if (!state.dead) throw thrown
    }
  }
  if (state.dead) seen.deaths.set(point, (seen.deaths.get(point) ?? 0) + 1)
  await executor.close()
  return pending
}

/** Expires the pending holds of the dead process, as a start does. @returns some of them, to be settled late */
function start(db: Database, random: Random, pending: Pending[], seen: Seen): Pending[] {
  const left = db.query<{ id: number }, []>("SELECT id FROM holds WHERE state = 'pending'").all()
  createWriter(db).commit(left.map(({ id }) => expire(id)))
  const hasRow = db.query<unknown, [number, string]>('SELECT 1 FROM holds WHERE id = ? AND request_id = ?')
  return pending
    .filter(() => random.chance(0.3))
    .map((hold) => {
      seen.late.add(hold.request_id)
      return { ...hold, lost: hasRow.get(hold.hold_id, hold.request_id) ? undefined : lostOf(hold) }
    })
}

const lostOf = ({ account_id, request_id, held_nanos }: Pending): LostHold => ({
  account_id,
  key_id: account_id,
  request_id,
  amount_nanos: held_nanos,
  created_at_ms: NOW,
  expires_at_ms: NOW,
})

/** The faults after a start. */
function complaints(db: Database, seen: Seen): string[] {
  const recorded = new Map(
    db
      .query<{ request_id: string; cost_nanos: number }, []>('SELECT request_id, cost_nanos FROM calls')
      .all()
      .map(({ request_id, cost_nanos }) => [request_id, cost_nanos]),
  )
  const { debt = 0 } =
    db.query<{ debt: number }, []>('SELECT sum(debt_nanos) AS debt FROM accounts').get() ?? {}
  return [
    ...brokenInvariants(db),
    ...(debt <= seen.late_nanos ? [] : [`${debt} were overspent`]),
    ...[...seen.charged]
      .filter(([id, cost]) => recorded.get(id) !== cost)
      .map(([id]) => `${id} was answered, and is not charged`),
    ...[...recorded]
      .filter(([id, cost]) => seen.charged.get(id) !== cost && seen.open.get(id) !== cost)
      .map(([id]) => `${id} is charged without a request`),
  ]
}

test(
  `the books are right after each of ${LIVES} lives of the owner, TOLLGATE_SEED=${SEED}`,
  () =>
    onDisk({ balance: 2_000 }, async (path, db) => {
      for (let id = 2; id <= ACCOUNTS; id++) addAccount(db, id, { balance: 500 })
      const random = randomFrom(SEED)
      const seen: Seen = {
        charged: new Map(),
        open: new Map(),
        late: new Set(),
        late_nanos: 0,
        requests: 0,
        deaths: new Map(),
      }
      let pending: Pending[] = []
      for (let life = 0; life < LIVES; life++) {
        const left = await live(path, db, { random, seen, pending })
        pending = start(db, random, left, seen)
        expect(complaints(db, seen)).toEqual([])
      }
      expect([...seen.late].filter((id) => seen.charged.has(id)).length).toBeGreaterThan(0)
      expect([...seen.deaths.keys()].toSorted()).toEqual([...POINTS].toSorted())
      expect(seen.charged.size).toBeGreaterThan(LIVES)
    }),
  timeoutMs(60_000),
)
