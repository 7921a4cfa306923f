// Accounts with plans on a database and a ledger of their own, at a time of the test's choice.
import { orderPlan, planNamed } from '../../plugins/plans/ordering.ts'
import { type PayingParts, type PayResult, payPeriod } from '../../plugins/plans/paying.ts'
import { renewPlans } from '../../plugins/plans/renewing.ts'
import type { Plan } from '../../plugins/plans/settings.ts'
import { periodsOf } from '../../plugins/plans/store.ts'
import { openLedger } from '../../src/money/ledger/ledger.ts'
import type { Ledger } from '../../src/money/ledger/operations.ts'
import { openDatabase } from '../../src/store/engines/sqlite/open.ts'
import { openDb } from '../../src/store/engines/sqlite/sqlite.ts'
import { addAccount, brokenInvariants } from '../money/ledger/world.ts'
import { makeEmptyDatabase } from '../support/empty-database.ts'
import { temporary } from '../support/temporary.ts'

export const USD = 1_000_000_000
export const PRO: Plan = {
  name: 'pro',
  title: 'Pro',
  description: '',
  price_nanos: 20 * USD,
  models: ['sim-*'],
  limits: { '5h': 5 * USD, week: 20 * USD, month: 60 * USD },
  concurrent_calls: null,
  overflow: true,
}
export const MAX: Plan = {
  ...PRO,
  name: 'max',
  title: 'Max',
  price_nanos: 100 * USD,
  limits: { month: 400 * USD },
}
export const MINI: Plan = {
  ...PRO,
  name: 'mini',
  title: 'Mini',
  price_nanos: 5 * USD,
  limits: { day: 1 * USD },
  overflow: false,
}

export function planScene({
  balance = 100 * USD,
  accounts = 1,
}: {
  balance?: number
  accounts?: number
} = {}) {
  const folder = temporary()
  const path = folder.at('tollgate.db')
  makeEmptyDatabase(path)
  const sql = openDatabase(path)
  for (let id = 1; id <= accounts; id++) addAccount(sql, id, { balance })
  const db = openDb(path)
  const ledgers: Ledger[] = [openLedger({ path, gateway_id: 1 })]
  const ledger = ledgers[0] as Ledger
  const clock = { now_ms: Date.parse('2026-11-15T10:30:00Z') }
  const offered: Plan[] = [PRO, MAX, MINI]
  const parts: PayingParts = {
    db,
    withdraw: (operation) => ledger.submit(operation),
    now: () => clock.now_ms,
  }
  const catalogue = () => ({
    sections: new Map<string, unknown>([
      ['plans', offered],
      ['mail', {}],
    ]),
  })
  const order = (account_id: number, name: string) =>
    db.begin(async (tx) => {
      await tx.lock(account_id)
      return await orderPlan(tx, account_id, planNamed(offered, name), clock.now_ms)
    })
  return {
    ...{ sql, db, ledger, clock, offered, parts, catalogue, order, path },
    async buy(name: string, account_id = 1): Promise<PayResult | { changes_at_ms: number }> {
      const ordered = await order(account_id, name)
      return 'period' in ordered ? await payPeriod(parts, ordered.period) : ordered
    },
    inAccount: <T>(work: (tx: Parameters<Parameters<typeof db.begin>[0]>[0]) => Promise<T>, account_id = 1) =>
      db.begin(async (tx) => {
        await tx.lock(account_id)
        return await work(tx)
      }),
    renew: (others: Partial<Parameters<typeof renewPlans>[0]> = {}) =>
      renewPlans({ ...parts, catalogue, ...others }),
    at(iso: string) {
      clock.now_ms = Date.parse(`${iso}Z`)
    },
    /** The oldest first: `pro active 2026-11-15..2026-12-15`. */
    async months(account_id = 1): Promise<string[]> {
      const day = (ms: number) => new Date(ms).toISOString().slice(0, 10)
      return (await periodsOf(db, account_id))
        .map(({ plan, state, starts_ms, ends_ms }) => `${plan} ${state} ${day(starts_ms)}..${day(ends_ms)}`)
        .reverse()
    },
    balance: (id = 1) =>
      sql
        .query<{ nanos: number }, [number]>('SELECT balance_nanos AS nanos FROM accounts WHERE id = ?')
        .get(id)?.nanos,
    planOf: (id = 1) =>
      sql
        .query<{ id: number | null }, [number]>('SELECT plan_period_id AS id FROM accounts WHERE id = ?')
        .get(id)?.id,
    broken: () => brokenInvariants(sql),
    async [Symbol.asyncDispose]() {
      for (const each of ledgers) await each.close()
      await db.close()
      sql.close()
      folder[Symbol.dispose]()
    },
  }
}
