// Liabilities of the operator to accounts: balances, and sums that other plugins add, such as unredeemed vouchers.
import { sql } from 'drizzle-orm'
import type { Gateway } from '../../../src/app/surface/gateway.ts'
import type { Nanos } from '../../../src/domain/money.ts'
import { totalOf } from '../../../src/money/ledger/totals.ts'
import { perConnection } from '../../../src/store/prepared.ts'
import { accounts } from '../../../src/store/schema.ts'

interface Liability {
  title: string
  amount_nanos: Nanos
}

export async function liabilitiesOf({
  db,
  operations,
  calls,
}: Pick<Gateway, 'db' | 'operations' | 'calls'>): Promise<Liability[]> {
  const { owed_nanos = 0 } = (await queries(db).balances.get()) ?? {}
  const sums: Liability[] = [{ title: 'Balances of accounts', amount_nanos: owed_nanos }]
  for (const { title, read } of operations.liabilities)
    sums.push({ title, amount_nanos: await read(db, calls.now()) })
  return sums
}

const queries = perConnection({
  balances: (orm) =>
    orm
      .select({ owed_nanos: totalOf(accounts.balance_nanos, sql`${accounts.balance_nanos} > 0`) })
      .from(accounts),
})
