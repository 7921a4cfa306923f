// A margin's share, and the revenue that it is of: only calls whose provider's cost is known have one.
import { share } from './amounts.ts'
import { Money } from './money.tsx'

export interface MarginSum {
  cost_nanos: number
  margin_nanos: number | null
  known_revenue_nanos: number | null
}

/** The margin as a share of the revenue that it is of; null where that is nothing. */
export const marginShare = ({ margin_nanos, known_revenue_nanos }: MarginSum): number | null =>
  margin_nanos === null || !known_revenue_nanos ? null : margin_nanos / known_revenue_nanos

/** "32 % of revenue", or of the part of it whose provider's cost is known. */
export function MarginWords(sum: MarginSum) {
  const { cost_nanos, margin_nanos, known_revenue_nanos } = sum
  if (margin_nanos === null) return null
  const tone = margin_nanos < 0 ? 'tone-bad' : undefined
  const part = marginShare(sum)
  if (part === null) return <span className={tone}>on calls that were free for their accounts</span>
  if (known_revenue_nanos === cost_nanos) return <span className={tone}>{share(part)} of revenue</span>
  return (
    <span className={tone} title="Only these calls have a provider cost in the catalogue.">
      {share(part)} of <Money nanos={known_revenue_nanos} />
    </span>
  )
}
