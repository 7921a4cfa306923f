// Revenue of a period by payment method and currency, summed from the accounting records.
import type { Nanos } from '../../../src/domain/money.ts'
import type { Db } from '../../../src/store/db.ts'
import { netOf, type Period, recordsOf } from './records.ts'

export interface Revenue {
  method: string
  currency: string
  payments: number
  /** Sum of payments, with tax and fees. */
  gross_minor: number
  refunds: number
  /** Sum of refunds and lost disputes. */
  returned_minor: number
  /** Tax in the payments, without the returned part. */
  tax_minor: number
  fee_minor: number
  /** Number of payments without a reported fee. */
  without_fee: number
  /** Gross minus returned amounts, tax and reported fees. */
  net_minor: number
  /** Credits to balances and their returned part, with bonuses. */
  credit_nanos: Nanos
  returned_nanos: Nanos
  bonus_nanos: Nanos
}

/** Returns the sums, largest first. */
export async function revenueOf(db: Db, period: Period): Promise<Revenue[]> {
  const sums = new Map<string, Revenue>()
  for await (const part of recordsOf(db, period))
    for (const record of part) {
      const { provider: method, currency, bonus_nanos } = record.order
      const sum = sumIn(sums, method, currency)
      const { type, amount_minor, tax_minor, fee_minor, credit_nanos } = record
      if (type === 'payment') {
        sum.payments += 1
        sum.gross_minor += amount_minor
        sum.credit_nanos += credit_nanos
        sum.bonus_nanos += bonus_nanos
        if (fee_minor === null) sum.without_fee += 1
      } else {
        sum.refunds += 1
        sum.returned_minor -= amount_minor
        sum.returned_nanos -= credit_nanos
      }
      sum.tax_minor += tax_minor
      sum.fee_minor += fee_minor ?? 0
      sum.net_minor += netOf(record)
    }
  return [...sums.values()].sort(
    (one, other) => other.credit_nanos - one.credit_nanos || one.method.localeCompare(other.method),
  )
}

function sumIn(sums: Map<string, Revenue>, method: string, currency: string): Revenue {
  const name = `${method} ${currency}`
  const known = sums.get(name)
  if (known) return known
  const counts = { payments: 0, refunds: 0, without_fee: 0 }
  const minor = { gross_minor: 0, returned_minor: 0, tax_minor: 0, fee_minor: 0, net_minor: 0 }
  const made = { method, currency, ...counts, ...minor, credit_nanos: 0, returned_nanos: 0, bonus_nanos: 0 }
  sums.set(name, made)
  return made
}
