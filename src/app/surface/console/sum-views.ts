// Sums of calls as the console shows them: how many, what they cost, and what was used; the margin to the operator alone.
import { Type } from '@sinclair/typebox'
import { MoneyFields, money } from '../../../http/views.ts'
import type { CallTotals, MoneyTotals } from '../../../money/ledger/totals.ts'
import { MARGIN_SUM_FIELDS, marginOfSum } from './margin-views.ts'

export const SUM_FIELDS = {
  calls: Type.Integer(),
  failed: Type.Integer({ description: 'of these, those that failed or broke off' }),
  ...MoneyFields('cost'),
  ...MARGIN_SUM_FIELDS,
}

/** The same with what was used. */
export const USED_SUM_FIELDS = {
  ...SUM_FIELDS,
  input_tokens: Type.Integer(),
  output_tokens: Type.Integer(),
  images: Type.Integer(),
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
