// Step tables: the setup of an account, the outcome of each operation on it, and the state at the end.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Result } from '../../../src/money/ledger/failure.ts'
import type { Operation, Outcome, Refusal } from '../../../src/money/ledger/operations.ts'
import { createWriter } from '../../../src/money/ledger/writer.ts'
import { hasPostgres } from '../../support/postgres.ts'
import { type PostgresWorld, postgresWorld } from './postgres-world.ts'
import { brokenInvariants, entriesOf, type Limits, planUsedOf, type Setup, stateOf, world } from './world.ts'

export const MAX_NANOS = Number.MAX_SAFE_INTEGER
/** Outcomes without the reset times of budgets, which budgets.test.ts is about. */
export const withoutResets = <T extends object>(outcomes: readonly T[]): T[] =>
  outcomes.map((outcome) => {
    const { resets_at_ms: _, ...others } = outcome as T & { resets_at_ms?: unknown }
    return others as T
  })
export const refused = (refusal: Refusal) => ({ ok: false, refusal }) as const
export const held = (hold_id: number, held_nanos: number) => ({ ok: true, hold_id, held_nanos }) as const
/** The hold of a call that a plan covers. */
export const heldByPlan = (hold_id: number, covered_nanos: number, plan_period_id = 1) =>
  ({ ok: true, hold_id, held_nanos: 0, covered_nanos, plan_period_id }) as const
export const covered = (covered_nanos: number) =>
  ({ ok: true, charged_nanos: 0, unpaid_nanos: 0, covered_nanos }) as const
export const charged = (charged_nanos: number, unpaid_nanos = 0) =>
  ({ ok: true, charged_nanos, unpaid_nanos }) as const
export const returned = (returned_nanos: number) => ({ ok: true, returned_nanos }) as const
/** The outcome of an operation on an expired hold. */
export const late = <T extends object>(outcome: T) => ({ ...outcome, late: true }) as const
export const money = (balance_nanos: number, debt_nanos = 0) =>
  ({ ok: true, balance_nanos, debt_nanos }) as const

export const refunded = (refunded_nanos: number, balance_nanos: number, debt_nanos = 0) =>
  ({ ok: true, refunded_nanos, balance_nanos, debt_nanos }) as const

export interface Case {
  name: string
  setup: Setup
  /** Each operation with its outcome. Holds are numbered from 1 in the order of their admission. */
  steps: readonly (readonly [Operation, Outcome])[]
  /** The state of account 1 and key 1 at the end; absent fields are 0. */
  after: { balance?: number; held?: number; debt?: number; spent?: number; key_held?: number }
  /** The used part of the limits of the account's plan at the end. */
  plan_used?: Limits
  /** All entries except the first top-up. */
  entries?: string[]
}

const NOTHING = { balance: 0, held: 0, debt: 0, spent: 0, key_held: 0 }

/**
 * Runs each case three times: every step committed by itself, with an audit after it; all in one batch; and holds decided at once, written later.
 * The first two run on PostgreSQL as well.
 */
export function specify(section: string, cases: Case[]): void {
  describe.if(hasPostgres)(`${section}, on PostgreSQL`, () => specifyThere(cases))
  describe(section, () => {
    test.each(cases)('$name', ({ setup, steps, after, plan_used = {}, entries }) => {
      const db = world(setup)
      const writer = createWriter(db)
      for (const [operation, outcome] of steps) {
        expect(withoutResets(writer.commit([operation]))).toEqual([outcome])
        expect(brokenInvariants(db)).toEqual([])
      }
      expect(stateOf(db)).toEqual({ ...NOTHING, ...after })
      expect(planUsedOf(db)).toEqual(plan_used)
      expect(stateOf(db, 2)).toEqual(NOTHING)
      if (entries) expect(entriesOf(db).slice(setup.balance ? 1 : 0)).toEqual(entries)
    })

    test.each(cases)('$name: the same in one batch', ({ setup, steps, after, plan_used = {} }) => {
      const db = world(setup)
      const outcomes = createWriter(db).commit(steps.map(([operation]) => operation))
      expect(withoutResets(outcomes)).toEqual(steps.map(([, outcome]) => outcome))
      expect(stateOf(db)).toEqual({ ...NOTHING, ...after })
      expect(planUsedOf(db)).toEqual(plan_used)
      expect(brokenInvariants(db)).toEqual([])
    })

    test.each(cases)(
      '$name: the same with holds that are decided at once',
      ({ setup, steps, after, plan_used = {}, entries }) => {
        const db = world(setup)
        const writer = createWriter(db)
        for (const [operation, outcome] of steps) {
          const outcomes = operation.op === 'hold' ? [writer.hold(operation)] : writer.commit([operation])
          expect(withoutResets<object>(outcomes)).toEqual([outcome])
          expect(brokenInvariants(db)).toEqual([])
        }
        writer.commit([])
        expect(writer.unwritten.size).toBe(0)
        expect(stateOf(db)).toEqual({ ...NOTHING, ...after })
        expect(planUsedOf(db)).toEqual(plan_used)
        expect(brokenInvariants(db)).toEqual([])
        if (entries) expect(entriesOf(db).slice(setup.balance ? 1 : 0)).toEqual(entries)
      },
    )
  })
}

function specifyThere(cases: Case[]): void {
  let there: PostgresWorld
  beforeAll(async () => {
    there = await postgresWorld()
  })
  afterAll(() => there[Symbol.asyncDispose]())

  async function expectAfter({ setup, after, plan_used = {}, entries }: Case): Promise<void> {
    expect(await there.stateOf()).toEqual({ ...NOTHING, ...after })
    expect(await there.planUsedOf()).toEqual(plan_used)
    expect(await there.stateOf(2)).toEqual(NOTHING)
    expect(await there.brokenInvariants()).toEqual([])
    if (entries) expect((await there.entriesOf()).slice(setup.balance ? 1 : 0)).toEqual(entries)
  }

  test.each(cases)('$name', async (specified) => {
    await there.begin(specified.setup)
    const numbers = new HoldNumbers(there)
    for (const [operation, outcome] of specified.steps) {
      const results = await there.commit([numbers.toIds(operation)])
      expect(withoutResets(await numbers.fromIds(operation, results))).toEqual([outcome])
    }
    await expectAfter(specified)
  })

  test.each(cases)('$name: the same in one batch', async (specified) => {
    await there.begin(specified.setup)
    const results = await there.commit(specified.steps.map(([operation]) => operation))
    expect(withoutResets(results)).toEqual(specified.steps.map(([, outcome]) => outcome))
    await expectAfter(specified)
  })
}

/** Maps ids of holds to numbers from 1: PostgreSQL does not reuse the id that a refused hold took. */
class HoldNumbers {
  readonly #there: PostgresWorld
  /** The ids of the holds that were made, in order. */
  readonly #ids: number[] = []

  constructor(there: PostgresWorld) {
    this.#there = there
  }

  toIds(operation: Operation): Operation {
    if ('call_id' in operation) return { ...operation, call_id: this.#idOf(operation.call_id) }
    if (!('hold_id' in operation) || operation.hold_id <= 0) return operation
    return { ...operation, hold_id: this.#idOf(operation.hold_id) }
  }

  #idOf = (number: number): number => this.#ids[number - 1] ?? number + 1_000_000

  async fromIds(operation: Operation, results: Result[]): Promise<Result[]> {
    const [result] = results
    if (!result || !('ok' in result) || !result.ok) return results
    // The call of a lost hold has a new number.
    if ('lost' in operation && operation.lost) {
      const [newest] = await this.#there.db.rows<{ id: number }>('SELECT max(id) AS id FROM calls')
      this.#ids.push(newest?.id ?? 0)
    }
    if (!('hold_id' in result)) return results
    this.#ids.push(result.hold_id)
    return [{ ...result, hold_id: this.#ids.length }]
  }
}
