// Plans over one database on PostgreSQL that three gateways share: all of them buy, renew and end plans at once, and each month is paid once.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { buyPlan } from '../../plugins/plans/buying.ts'
import { cancelPlan } from '../../plugins/plans/cancelling.ts'
import { month_list } from '../../plugins/plans/list.ts'
import type { PayingParts } from '../../plugins/plans/paying.ts'
import { renewPlans } from '../../plugins/plans/renewing.ts'
import { revenueByPlan } from '../../plugins/plans/report.ts'
import { periodsOf } from '../../plugins/plans/store.ts'
import { planView } from '../../plugins/plans/views.ts'
import type { Ledger } from '../../src/money/ledger/operations.ts'
import { openSharedLedger } from '../../src/money/ledger/postgres/executor.ts'
import type { Db } from '../../src/store/db.ts'
import { openPostgres } from '../../src/store/engines/postgres/open.ts'
import {
  accountText,
  inOne,
  keyText,
  type PostgresWorld,
  postgresWorld,
} from '../money/ledger/postgres-world.ts'
import { hold, post, topUp } from '../money/ledger/world.ts'
import { hasPostgres } from '../support/postgres.ts'
import { MAX, MINI, PRO, USD } from './scene.ts'

const ACCOUNTS = [1, 2, 3, 4, 5, 6]
const OFFERED = [PRO, MAX, MINI]
const at = (iso: string) => Date.parse(`${iso}Z`)

interface OneGateway {
  db: Db
  ledger: Ledger
  parts: PayingParts
}

describe.if(hasPostgres)('three gateways', () => {
  let shared: PostgresWorld
  let gateways: OneGateway[] = []
  const clock = { now_ms: 0 }
  const catalogue = () => ({
    sections: new Map<string, unknown>([
      ['plans', OFFERED],
      ['mail', {}],
    ]),
  })

  beforeAll(async () => {
    shared = await postgresWorld()
  }, 60_000)
  afterAll(() => shared[Symbol.asyncDispose]())
  beforeEach(async () => {
    for (const { db, ledger } of gateways) {
      await ledger.close()
      await db.close()
    }
    await shared.begin({})
    await shared.run(
      inOne([
        'DELETE FROM state_changes',
        'DELETE FROM accounts',
        'DELETE FROM keys',
        ...ACCOUNTS.map(accountText),
      ]),
    )
    await shared.run(inOne(ACCOUNTS.map((id) => keyText(id, id))))
    await shared.commit(ACCOUNTS.map((id) => topUp(50 * USD, id)))
    gateways = await Promise.all(
      [1, 2, 3].map(async (): Promise<OneGateway> => {
        const db = await openPostgres(shared.url)
        const ledger = openSharedLedger(shared.url)
        return {
          db,
          ledger,
          parts: { db, withdraw: (operation) => ledger.submit(operation), now: () => clock.now_ms },
        }
      }),
    )
    clock.now_ms = at('2026-11-15T10:30:00')
  })
  afterAll(async () => {
    for (const { db, ledger } of gateways) {
      await ledger.close()
      await db.close()
    }
  })

  const partsOf = (index: number): PayingParts => gateways[index % 3]?.parts as PayingParts
  const everywhere = <T>(work: (parts: PayingParts) => Promise<T>) =>
    Promise.allSettled(gateways.map(({ parts }) => work(parts)))
  const states = async (id: number) =>
    (await periodsOf(shared.db, id)).map(({ plan, state }) => `${plan} ${state}`)
  const balance = async (id: number) =>
    (
      await shared.db.rows<{ nanos: number }>('SELECT balance_nanos AS nanos FROM accounts WHERE id = $id', {
        id,
      })
    )[0]?.nanos

  test('sell a plan once, even if all sell it at once', async () => {
    await Promise.all(
      ACCOUNTS.map((account_id) =>
        everywhere((parts) => buyPlan(parts, OFFERED, { account_id, plan: 'pro', by: undefined })),
      ),
    )
    for (const id of ACCOUNTS) {
      expect(await balance(id)).toBe(30 * USD)
      expect((await states(id)).filter((state) => state !== 'pro lapsed')).toEqual(['pro active'])
    }
    expect(await revenueByPlan(shared.db, { since_ms: clock.now_ms, until_ms: clock.now_ms + 1 })).toEqual([
      { plan: 'pro', title: 'Pro', months: 6, revenue_nanos: 120 * USD },
    ])
    expect(await shared.brokenInvariants()).toEqual([])
  })

  test('renew once, cover calls meanwhile, and end unpaid plans', async () => {
    for (const account_id of ACCOUNTS)
      await buyPlan(partsOf(account_id), OFFERED, { account_id, plan: 'pro', by: undefined })
    // The sixth account cannot pay for another month.
    const { ledger } = gateways[0] as OneGateway
    await ledger.submit({
      op: 'withdraw',
      account_id: 6,
      amount_nanos: 25 * USD,
      note: '',
      now_ms: clock.now_ms,
    })
    for (const iso of ['2026-12-15T10:30:00', '2026-12-15T10:31:00', '2026-12-18T10:30:00']) {
      clock.now_ms = at(iso)
      const calls = ACCOUNTS.map(async (id) => {
        const held = await ledger.submit(
          hold(1_000, { account_id: id, key_id: id, model_id: 'sim-text', now_ms: clock.now_ms }),
        )
        if (!held.ok) return
        const is_covered = held.plan_period_id === undefined ? {} : ({ is_covered: true } as const)
        await ledger.submit({ ...post(held.hold_id, 900), ...is_covered })
      })
      const rounds = await everywhere((parts) => renewPlans({ ...parts, catalogue }))
      await Promise.all(calls)
      expect(rounds.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled'])
    }
    for (const id of [1, 2, 3, 4, 5])
      expect([await balance(id), await states(id)]).toEqual([10 * USD, ['pro active', 'pro ended']])
    expect(await states(6)).toEqual(['pro lapsed', 'pro ended'])
    expect(await planView(shared.db, 6, clock.now_ms)).toBeNull()
    expect(await shared.brokenInvariants()).toEqual([])
  })

  test('change, cancel, show and list plans as on SQLite', async () => {
    await shared.commit([topUp(100 * USD, 1)])
    await buyPlan(partsOf(0), OFFERED, { account_id: 1, plan: 'pro', by: undefined })
    clock.now_ms = at('2026-11-30T10:30:00')
    expect(await buyPlan(partsOf(1), OFFERED, { account_id: 1, plan: 'max', by: undefined })).toEqual({
      changes_at_ms: null,
    })
    expect(await balance(1)).toBe(130 * USD - 90 * USD)
    const later = await buyPlan(partsOf(2), OFFERED, { account_id: 1, plan: 'mini', by: undefined })
    expect(later).toEqual({ changes_at_ms: at('2026-12-30T10:30:00') })
    expect(await planView(shared.db, 1, clock.now_ms)).toMatchObject({
      plan: 'max',
      next_plan: 'mini',
      renews: true,
    })
    await shared.db.begin(async (tx) => {
      await tx.lock(1)
      await cancelPlan(tx, 1, clock.now_ms)
    })
    expect(await planView(shared.db, 1, clock.now_ms)).toMatchObject({
      renews: false,
      limits: [{ period: 'month' }],
    })
    const page = await month_list.read(
      shared.db,
      { account_id: 1 } as never,
      { limit: 1 },
      clock.now_ms as never,
    )
    expect(page?.rows.map(({ plan, state }) => [plan, state])).toEqual([['max', 'active']])
    clock.now_ms = at('2026-12-30T10:30:00')
    await everywhere((parts) => renewPlans({ ...parts, catalogue }))
    expect(await states(1)).toEqual(['max ended', 'pro replaced'])
    expect(await shared.brokenInvariants()).toEqual([])
  })
})
