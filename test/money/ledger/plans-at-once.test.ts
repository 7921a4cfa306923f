// Many calls at once against the limits of a plan, of one gateway, and of three over one database: holds never exceed a limit.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { openLedger } from '../../../src/money/ledger/ledger.ts'
import type { HoldOutcome, Ledger } from '../../../src/money/ledger/operations.ts'
import { openSharedLedger } from '../../../src/money/ledger/postgres/executor.ts'
import { openDatabase } from '../../../src/store/engines/sqlite/open.ts'
import { hasPostgres } from '../../support/postgres.ts'
import { temporary } from '../../support/temporary.ts'
import { type PostgresWorld, postgresWorld } from './postgres-world.ts'
import {
  addAccount,
  addKey,
  brokenInvariants,
  hold,
  type PlanSetup,
  planTexts,
  planUsedOf,
  post,
} from './world.ts'

const CALLS = 200
const AMOUNT = 7
const LIMIT = 500
/** The number of calls that fit. */
const FIT = Math.floor(LIMIT / AMOUNT)
const BALANCE = 30 * AMOUNT

const PERIODS = ['5h', 'day', 'week', 'month'] as const
const CASES = PERIODS.flatMap((period) => [
  [period, 'no overflow', { limits: { [period]: LIMIT } }] as const,
  [period, 'overflow', { limits: { [period]: LIMIT }, overflow: true }] as const,
])

const call = (at: number) =>
  hold(AMOUNT, { model_id: 'sim-text', key_id: at % 2 === 0 ? 1 : 3, request_id: `request-${at}` })

/** Makes holds on all ledgers at once, and settles each as soon as it is answered. */
async function callAtOnce(ledgers: readonly Ledger[]): Promise<HoldOutcome[]> {
  return await Promise.all(
    Array.from({ length: CALLS }, async (_, at) => {
      const ledger = ledgers[at % ledgers.length] as Ledger
      const outcome = await ledger.submit(call(at))
      if (outcome.ok) {
        const is_covered = outcome.plan_period_id !== undefined
        const settlement = post(outcome.hold_id, AMOUNT)
        await ledger.submit(is_covered ? { ...settlement, is_covered: true } : settlement)
      }
      return outcome
    }),
  )
}

function expectNeverAbove(outcomes: readonly HoldOutcome[], plan: PlanSetup, period: string): void {
  const covered = outcomes.filter((outcome) => outcome.ok && outcome.plan_period_id !== undefined)
  const from_balance = outcomes.filter((outcome) => outcome.ok && outcome.plan_period_id === undefined)
  expect(covered.length).toBe(FIT)
  expect(from_balance.length).toBe(plan.overflow ? BALANCE / AMOUNT : 0)
  const refusals = new Set(outcomes.flatMap((outcome) => (outcome.ok ? [] : [outcome.refusal])))
  const names = { '5h': '5h', day: 'daily', week: 'weekly', month: 'monthly' }
  const by_plan = `plan_${names[period as keyof typeof names]}_limit`
  expect([...refusals] as string[]).toEqual([plan.overflow ? 'insufficient_balance' : by_plan])
}

describe(`${CALLS} calls at once on one gateway`, () => {
  test.each(CASES)('against a limit of %s with %s', async (period, _, plan) => {
    using folder = temporary()
    const path = folder.at('tollgate.db')
    const db = openDatabase(path)
    addAccount(db, 1, { balance: BALANCE })
    addKey(db, 3, 1)
    for (const text of planTexts(plan)) db.run(text)
    const ledger = openLedger({ path, gateway_id: 1 })
    expectNeverAbove(await callAtOnce([ledger]), plan, period)
    await ledger.close()
    expect(planUsedOf(db)).toEqual({ [period]: FIT * AMOUNT })
    expect(brokenInvariants(db)).toEqual([])
    db.close()
  })
})

describe.if(hasPostgres)(`${CALLS} calls at once on three gateways`, () => {
  let there: PostgresWorld
  beforeAll(async () => {
    there = await postgresWorld()
  }, 60_000)
  afterAll(() => there[Symbol.asyncDispose]())

  test.each(CASES)('against a limit of %s with %s', async (period, _, plan) => {
    await there.begin({ balance: BALANCE, plan })
    const ledgers = [1, 2, 3].map(() => openSharedLedger(there.url))
    expectNeverAbove(await callAtOnce(ledgers), plan, period)
    await Promise.all(ledgers.map((ledger) => ledger.close()))
    expect(await there.planUsedOf()).toEqual({ [period]: FIT * AMOUNT })
    expect(await there.brokenInvariants()).toEqual([])
  })
})
