// Random calls of three gateways on PostgreSQL that decide by known rows, while others write: the results are those of batches
// carried out one after the other by rows that were just read.
import { expect, spyOn, test } from 'bun:test'
import type { Operation } from '../../../src/money/ledger/operations.ts'
import { openPostgresExecutor } from '../../../src/money/ledger/postgres/executor.ts'
import { createWriter } from '../../../src/money/ledger/writer.ts'
import { Connection } from '../../../src/store/engines/postgres/connection.ts'
import { timeoutMs } from '../../support/long.ts'
import { hasPostgres } from '../../support/postgres.ts'
import { SEED } from '../../support/seed.ts'
import { inOne, postgresWorld } from './postgres-world.ts'
import { type Random, randomFrom } from './random.ts'
import { withoutResets } from './steps.ts'
import {
  budgetsText,
  expire,
  hold,
  NOW,
  openDebt,
  personText,
  post,
  topUp,
  voided,
  withdraw,
  world,
} from './world.ts'

const BATCHES = Math.ceil(Number(process.env.TOLLGATE_SIMULATION_OPERATIONS ?? 40_000) / 80)
/** The clock of a world stands still: after more batches its limits are used up, and nearly all of its calls are refused. */
const BATCHES_OF_A_WORLD = 500
type Named = { account_id: number; key_id: number }
const KEYS: [Named, ...Named[]] = [
  { account_id: 1, key_id: 1 },
  { account_id: 2, key_id: 2 },
  { account_id: 1, key_id: 3 },
]

type Numbered = { hold_id?: number }

/** A write by another process, the same on both engines. */
function foreignWrite(random: Random, nth: number): string | Operation {
  const { account_id, key_id } = random.pick(KEYS)
  return random.pick<() => string | Operation>([
    () => topUp(random.below(3_000), account_id),
    () => withdraw(random.below(500), account_id),
    () => openDebt(random.below(50), account_id, `debt-${nth}`),
    () =>
      `UPDATE accounts SET status = '${random.chance(0.3) ? 'suspended' : 'active'}' WHERE id = ${account_id}`,
    () => `UPDATE accounts SET status = 'active'`,
    () => `UPDATE keys SET revoked_at_ms = ${random.chance(0.3) ? NOW : 'NULL'} WHERE id = ${key_id}`,
    () =>
      `UPDATE keys SET spend_limit_nanos = ${random.chance(0.5) ? 'NULL' : 'spent_nanos + held_nanos + 300'} WHERE id = ${key_id}`,
    () => `UPDATE budgets SET limit_nanos = ${100 + random.below(20_000)} WHERE account_id = ${account_id}`,
    () => `DELETE FROM budgets WHERE key_id = ${key_id}`,
    () =>
      `DELETE FROM budgets WHERE key_id = ${key_id}; ${budgetsText(account_id, key_id, { day: 5_000 + random.below(9_000) })}`,
    () =>
      `DELETE FROM budgets WHERE account_id = ${account_id} AND key_id IS NULL AND person_id IS NULL; ${budgetsText(account_id, null, { week: 9_000 + random.below(9_000) })}`,
  ])()
}

test.if(hasPostgres)(
  `${BATCHES} random batches agree with the model, TOLLGATE_SEED=${SEED}`,
  async () => {
    const random = randomFrom(SEED)
    const taken: number[] = []
    while (taken.length < BATCHES) taken.push(...(await playWorld(random)))
    const share = (trips: number) => taken.filter((count) => count === trips).length / taken.length
    // Decided by known rows, by read rows, and by read rows after a refused try.
    expect([share(1) > 0.05, share(2) > 0.05, share(3) > 0]).toEqual([true, true, true])
  },
  timeoutMs(120_000),
)

/** @returns the round trips of each batch */
async function playWorld(random: Random): Promise<number[]> {
  await using there = await postgresWorld()
  const model = world({})
  await there.begin({})
  const executors = Array.from({ length: 3 }, () => openPostgresExecutor(there.url))
  const sent = spyOn(Connection.prototype, 'askAll')
  /** The ids of pending holds, on the server and in the model. */
  let pending: [there: number, here: number][] = []
  const taken: number[] = []

  const run = async (text: string) => {
    await there.run(inOne(text.split('; ')))
    for (const one of text.split('; ')) model.run(one)
  }
  const both = async (operations: readonly Operation[], commit: (all: Operation[]) => Promise<unknown[]>) => {
    const here = createWriter(model).commit(
      operations.map((one) => ('hold_id' in one ? { ...one, hold_id: hereOf(one.hold_id) } : one)),
    )
    const results = await commit([...operations])
    const [numbered, expected] = [results, here].map((all) => withoutResets(all as Numbered[])) as [
      Numbered[],
      Numbered[],
    ]
    const withoutNumbers = (all: Numbered[]) => all.map(({ hold_id: _, ...rest }) => rest)
    expect(withoutNumbers(numbered)).toEqual(withoutNumbers(expected))
    for (const [at, { hold_id }] of numbered.entries())
      if (hold_id !== undefined) pending.push([hold_id, expected[at]?.hold_id ?? 0])
  }
  const hereOf = (id: number) => pending.find(([of_server]) => of_server === id)?.[1] ?? -1

  await run(personText(1, 1, [1, 3], { month: 60_000 }).join('; '))
  await both([topUp(9_000), topUp(9_000, 2)], there.commit)
  for (let nth = 0; nth < BATCHES_OF_A_WORLD; nth++) {
    const executor = executors[random.chance(0.93) ? 0 : random.below(3)]
    if (random.chance(0.06)) {
      const write = foreignWrite(random, nth)
      if (typeof write === 'string') await run(write)
      else await both([write], there.commit)
    }
    if (random.chance(0.02) && pending.length > 0) await both([expire(pending[0]?.[0] ?? 0)], there.commit)
    const operations: Operation[] = []
    for (let left = 1 + random.below(4); left > 0; left--) {
      const chosen = pending[random.below(pending.length)]?.[0]
      if (
        chosen !== undefined &&
        random.chance(0.5) &&
        !operations.some((one) => 'hold_id' in one && one.hold_id === chosen)
      )
        operations.push(random.chance(0.8) ? post(chosen, random.below(200)) : voided(chosen))
      else
        operations.push(
          hold(random.below(200), {
            ...random.pick(KEYS),
            minimum_nanos: 1,
            reports_spend_left: true,
          }),
        )
    }
    const from = sent.mock.calls.length
    await both(operations, (all) => executor?.commit(all, 5_000) ?? Promise.resolve([]))
    taken.push(sent.mock.calls.length - from)
    pending = pending.filter(([id]) => !operations.some((one) => 'hold_id' in one && one.hold_id === id))
  }
  sent.mockRestore()

  for (const text of [
    'SELECT id, status, balance_nanos, held_nanos, debt_nanos FROM accounts ORDER BY id',
    'SELECT id, spent_nanos, held_nanos FROM keys ORDER BY id',
    'SELECT account_id, key_id, person_id, period, limit_nanos, used_nanos FROM budgets ORDER BY period, account_id, key_id, person_id',
    'SELECT account_id, key_id, amount_nanos, state FROM holds ORDER BY id',
    'SELECT account_id, key_id, hold_nanos, cost_nanos, unpaid_nanos FROM calls ORDER BY id',
    'SELECT account_id, kind, amount_nanos FROM entries ORDER BY id',
    'SELECT span_s, account_id, key_id, outcome, calls, input_tokens, cost_nanos FROM call_sums ORDER BY span_s, account_id, key_id, outcome, calls',
  ])
    expect(await there.db.rows(text)).toEqual(model.query(text).all() as never)
  await Promise.all(executors.map((executor) => executor.close()))
  return taken
}
