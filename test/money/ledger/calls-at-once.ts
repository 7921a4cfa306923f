// Calls on a ledger that others use at the same time: what each was told, to be compared with the tables.
import { expect } from 'bun:test'
import type { Ledger, OutcomeOf, PostOperation, VoidOperation } from '../../../src/money/ledger/operations.ts'
import type { Db } from '../../../src/store/db.ts'
import { brokenIn } from './postgres-world.ts'
import type { Random } from './random.ts'
import { hold, post, voided } from './world.ts'

/** What was told of calls: their costs by their holds. */
export class Told {
  readonly costs = new Map<number, number>()
  /** Holds that were refused. */
  refused = 0
  /** Holds of which nothing could be told. */
  unknown = 0
}

const MAX_NANOS = 50

/** The key of an account by which calls are made. */
export const keyOf = (account_id: number): number => 10 + account_id

/** Makes calls on accounts 1 to `accounts`, one after the other. Each settlement is tried until it is answered, as the gateway does. */
export async function makeCalls(
  ledger: Ledger,
  told: Told,
  { random, calls, accounts }: { random: Random; calls: number; accounts: number },
): Promise<void> {
  for (let call = 0; call < calls; call++) {
    const account_id = 1 + random.below(accounts)
    const held = await orUnavailable(() =>
      ledger.submit(hold(1 + random.below(MAX_NANOS), { account_id, key_id: keyOf(account_id) })),
    )
    if (!held) told.unknown += 1
    else if (!held.ok) told.refused += 1
    else {
      const cost = random.chance(0.8) ? random.below(held.held_nanos + 1) : undefined
      await settle(ledger, cost === undefined ? voided(held.hold_id) : post(held.hold_id, cost))
      if (told.costs.has(held.hold_id)) throw new Error(`hold ${held.hold_id} was given twice`)
      told.costs.set(held.hold_id, cost ?? 0)
    }
  }
}

async function settle(ledger: Ledger, operation: PostOperation | VoidOperation): Promise<void> {
  let was_unknown = false
  for (;;) {
    const outcome = await orUnavailable<OutcomeOf<PostOperation | VoidOperation>>(() =>
      ledger.submit(operation),
    )
    // Of what was not known it may turn out that it was done.
    if (outcome?.ok || (was_unknown && outcome?.refusal === 'already_resolved')) return
    if (outcome) throw new Error(`a settlement was refused: ${outcome.refusal}`)
    was_unknown = true
    await Bun.sleep(20)
  }
}

async function orUnavailable<T>(submit: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await submit()
  } catch (thrown) {
    if ((thrown as { code?: string }).code !== 'ledger_unavailable') throw thrown
    return undefined
  }
}

/** The tables say what was told, and nothing else; nothing is held any more. */
export async function expectAsTold(db: Db, told: Told): Promise<void> {
  const recorded = await db.rows<{ id: number; cost_nanos: number }>(
    'SELECT id, cost_nanos FROM calls ORDER BY id',
  )
  const expected = [...told.costs].map(([id, cost_nanos]) => ({ id, cost_nanos }))
  expect(recorded).toEqual(expected.toSorted((a, b) => a.id - b.id))
  expect(await db.rows("SELECT id FROM holds WHERE state = 'pending'")).toEqual([])
  // A hold of which nothing could be told has expired.
  expect((await db.rows('SELECT id FROM holds')).length).toBeLessThanOrEqual(told.unknown)
  expect(await brokenIn(db)).toEqual([])
}
