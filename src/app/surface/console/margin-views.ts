// Margins as the console shows them: what calls brought less what their providers take, to the operator alone.
import { costsDiffer } from '../../../domain/cost-difference.ts'
import { type KnownCosts, marginOf, marginOfOne } from '../../../domain/margin.ts'
import type { Nanos } from '../../../domain/money.ts'
import { money, NullableMoneyFields } from '../../../http/views.ts'

/** Of one call; null for accounts, and where the provider's cost is not known. */
export const MARGIN_FIELDS = {
  ...NullableMoneyFields('provider_cost'),
  ...NullableMoneyFields('margin'),
}

/** Of several calls; null for accounts, and where the provider's cost of none of them is known. */
export const MARGIN_SUM_FIELDS = {
  ...MARGIN_FIELDS,
  /** What those calls cost of which the provider's cost is known. */
  ...NullableMoneyFields('known_revenue'),
}

interface CallMoney {
  cost_nanos: Nanos
  provider_cost_nanos: Nanos | null
}

export const marginOfCall = ({ cost_nanos, provider_cost_nanos }: CallMoney, is_operator: boolean) => {
  const known = is_operator ? provider_cost_nanos : null
  return { ...money('provider_cost', known), ...money('margin', marginOfOne(cost_nanos, known)) }
}

interface CallCosts {
  reported_cost_nanos: Nanos | null
  computed_cost_nanos: Nanos | null
}

/** What is behind the provider's cost of a call, where the provider said it. */
export const costsOfCall = (
  { reported_cost_nanos: reported, computed_cost_nanos: computed }: CallCosts,
  is_operator: boolean,
) => ({
  ...money('reported_cost', is_operator ? reported : null),
  ...money('computed_cost', is_operator ? computed : null),
  costs_differ: is_operator && costsDiffer(reported, computed),
})

export const marginOfSum = (sum: KnownCosts, is_operator: boolean) => {
  const shown = is_operator ? marginOf(sum) : null
  return {
    ...money('provider_cost', shown?.provider_cost_nanos ?? null),
    ...money('margin', shown?.margin_nanos ?? null),
    ...money('known_revenue', shown?.known_revenue_nanos ?? null),
  }
}
