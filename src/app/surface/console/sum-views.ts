// Sums of calls on console pages: number, cost and usage, and for the operator the margin.
import { Type } from '@sinclair/typebox'
import { type KnownCosts, marginOf } from '../../../domain/margin.ts'
import { MoneyFields, money, NullableMoneyFields } from '../../../http/views.ts'
import type { CallTotals, MoneyTotals } from '../../../money/ledger/totals.ts'

export const SUM_FIELDS = {
  calls: Type.Integer(),
  failed: Type.Integer({ description: 'of these, those that failed: no answer, or interrupted' }),
  ...MoneyFields('cost'),
  /** Null for accounts, and if no call has a known provider cost. */
  ...NullableMoneyFields('provider_cost'),
  ...NullableMoneyFields('margin'),
  /** The charge of the calls with a known provider cost. */
  ...NullableMoneyFields('known_revenue'),
}

/** The fields of a sum with usage. */
export const USED_SUM_FIELDS = {
  ...SUM_FIELDS,
  input_tokens: Type.Integer(),
  output_tokens: Type.Integer(),
  images: Type.Integer(),
}

const marginOfSum = (sum: KnownCosts, is_operator: boolean) => {
  const known = is_operator ? marginOf(sum) : null
  return {
    ...money('provider_cost', known?.provider_cost_nanos ?? null),
    ...money('margin', known?.margin_nanos ?? null),
    ...money('known_revenue', known?.known_revenue_nanos ?? null),
  }
}

export const sumView = (sum: MoneyTotals, is_operator: boolean) => ({
  calls: sum.calls,
  failed: sum.failed,
  ...money('cost', sum.cost_nanos),
  ...marginOfSum(sum, is_operator),
})

export const usedSumView = (sum: CallTotals, is_operator: boolean) => ({
  ...sumView(sum, is_operator),
  input_tokens: sum.input_tokens,
  output_tokens: sum.output_tokens,
  images: sum.images,
})
