// What the providers of a call take: by the cost of the attempt that answered, or of those that drew its images.
import type { Nanos } from '../../domain/money.ts'
import type { Usage } from '../../domain/usage.ts'
import type { Charge } from '../../pricing/charge.ts'
import { providerCost } from '../../pricing/provider-cost.ts'
import type { Attempt } from '../../upstream/routes.ts'

interface Charged {
  readonly charge: Charge
  readonly usage: Usage
  /** Which attempts drew the images, one for each; absent if one attempt drew them all. */
  readonly drawn_by?: readonly Attempt[]
}

/**
 * @param attempt the last that answered; undefined if none was reached
 * @returns nano-dollars; null if it is not known
 */
export function providerCostOf(charged: Charged, attempt: Attempt | undefined): Nanos | null {
  const { charge, usage, drawn_by } = charged
  if (drawn_by) return costOfDrawn(charged, drawn_by)
  return attempt?.cost ? providerCost(attempt.cost, usage, charge) : null
}

/** Of images that several routes may have drawn, those of each together: what is rounded is rounded once. */
function costOfDrawn({ charge, usage }: Charged, drawn_by: readonly Attempt[]): Nanos | null {
  const { counted } = charge
  if (!counted || !('order' in counted)) return null
  let sum = 0
  for (const cost of new Set(drawn_by.map((attempt) => attempt.cost))) {
    if (!cost) return null
    const count = drawn_by.filter((attempt) => attempt.cost === cost).length
    const part = providerCost(cost, usage, { counted: { order: { ...counted.order, count } } })
    if (part === null) return null
    sum += part
  }
  return Number.isSafeInteger(sum) ? sum : null
}
