// The simulated ledger on PostgreSQL, where the ids of holds have gaps: a refused hold takes an id, too.
import type { Operation, Outcome } from '../../../src/money/ledger/operations.ts'
import { openPostgresExecutor } from '../../../src/money/ledger/postgres/executor.ts'
import { accountText, inOne, keyText, postgresWorld } from './postgres-world.ts'
import type { Simulated } from './simulation.test.ts'

export async function postgresSimulated(): Promise<Simulated> {
  const there = await postgresWorld()
  await there.begin({})
  await there.run(inOne(['DELETE FROM accounts', 'DELETE FROM keys']))
  const executors = Array.from({ length: 3 }, () => openPostgresExecutor(there.url))
  const ids = new HoldIds()
  return {
    addAccount: async (id) => there.run(inOne([accountText(id), keyText(id, id)])),
    addKey: async (id, account_id, limits) => there.run(inOne([keyText(id, account_id, limits)])),
    async commit(writer, operations, expected) {
      const [newest] = await there.db.rows<{ id: number }>(
        'SELECT CASE WHEN is_called THEN last_value ELSE 0 END AS id FROM hold_ids',
      )
      const sent = ids.translate(operations, expected, newest?.id ?? 0)
      const results = (await executors[writer]?.commit(sent, 5_000)) ?? []
      return results.map((result) =>
        'hold_id' in result ? { ...result, hold_id: ids.numberOf(result.hold_id) } : result,
      )
    },
    run: there.run,
    plans_started: new Map(),
    accounts: async () =>
      await there.db.rows('SELECT id, balance_nanos, held_nanos, debt_nanos FROM accounts ORDER BY id'),
    things: async () => await there.db.rows('SELECT id, account_id, state FROM things ORDER BY id'),
    brokenInvariants: there.brokenInvariants,
    async [Symbol.asyncDispose]() {
      await Promise.all(executors.map((executor) => executor.close()))
      await there[Symbol.asyncDispose]()
    },
  }
}

/** Maps holds, numbered from 1, to their ids. The ids of a batch are consecutive, since no other process takes any. */
class HoldIds {
  readonly #ids: number[] = []

  translate(operations: readonly Operation[], expected: readonly Outcome[], newest_id: number): Operation[] {
    let id = newest_id
    return operations.map((operation, at) => {
      const is_new = operation.op === 'hold' || ('lost' in operation && operation.lost !== undefined)
      if (is_new && expected[at]?.ok) this.#ids.push(++id)
      if ('call_id' in operation) return { ...operation, call_id: this.#idOf(operation.call_id) }
      return 'hold_id' in operation ? { ...operation, hold_id: this.#idOf(operation.hold_id) } : operation
    })
  }

  numberOf = (id: number): number => this.#ids.indexOf(id) + 1

  /** An unknown hold stays unknown. */
  #idOf = (hold_id: number): number =>
    hold_id > 0 ? (this.#ids[hold_id - 1] ?? hold_id + 1_000_000_000) : hold_id
}
