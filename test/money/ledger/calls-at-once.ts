// Calls on a ledger that others use at the same time: the answers, to be compared with the tables.
import { expect } from 'bun:test'
import type { Ledger, OutcomeOf, PostOperation, VoidOperation } from '../../../src/money/ledger/operations.ts'
import type { Db } from '../../../src/store/db.ts'
import { brokenIn } from './postgres-world.ts'
import type { Random } from './random.ts'
import { hold, post, voided } from './world.ts'

/** The answered calls: their costs by their holds. */
export class AnsweredCalls {
  readonly costs = new Map<number, number>()
  /** Holds that were refused. */
  refused = 0
  /** Holds whose outcome stayed unknown. */
  unknown = 0
}

const MAX_NANOS = 50

/** The key of an account by which calls are made. */
export const keyOf = (account_id: number): number => 10 + account_id

/** Makes calls on accounts 1 to `accounts`, one after the other. Each settlement is tried until it is answered, as the gateway does. */
export async function makeCalls(
  ledger: Ledger,
  answered: AnsweredCalls,
  { random, calls, accounts }: { random: Random; calls: number; accounts: number },
): Promise<void> {
  for (let call = 0; call < calls; call++) {
    const account_id = 1 + random.below(accounts)
    const held = await orUnavailable(() =>
      ledger.submit(hold(1 + random.below(MAX_NANOS), { account_id, key_id: keyOf(account_id) })),
    )
    if (!held) answered.unknown += 1
    else if (!held.ok) answered.refused += 1
    else {
      const cost = random.chance(0.8) ? random.below(held.held_nanos + 1) : undefined
      await settle(ledger, cost === undefined ? voided(held.hold_id) : post(held.hold_id, cost))
      if (answered.costs.has(held.hold_id)) throw new Error(`hold ${held.hold_id} was made twice`)
      answered.costs.set(held.hold_id, cost ?? 0)
    }
  }
}

async function settle(ledger: Ledger, operation: PostOperation | VoidOperation): Promise<void> {
  let was_unknown = false
  for (;;) {
    const outcome = await orUnavailable<OutcomeOf<PostOperation | VoidOperation>>(() =>
      ledger.submit(operation),
    )
    // An attempt with an unknown outcome may have been carried out.
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

/** Expects the answered calls in the tables, no others, and nothing held. */
export async function expectAsAnswered(db: Db, answered: AnsweredCalls): Promise<void> {
  const recorded = await db.rows<{ id: number; cost_nanos: number }>(
    'SELECT id, cost_nanos FROM calls ORDER BY id',
  )
  const expected = [...answered.costs].map(([id, cost_nanos]) => ({ id, cost_nanos }))
  expect(recorded).toEqual(expected.toSorted((a, b) => a.id - b.id))
  expect(await db.rows("SELECT id FROM holds WHERE state = 'pending'")).toEqual([])
  // A hold with an unknown outcome has expired.
  expect((await db.rows('SELECT id FROM holds')).length).toBeLessThanOrEqual(answered.unknown)
  expect(await brokenIn(db)).toEqual([])
}
