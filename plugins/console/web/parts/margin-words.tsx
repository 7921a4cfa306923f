// Margin as a percentage of its revenue: only calls with a known provider cost have a margin.
import { share } from './amounts.ts'
import { Money } from './money.tsx'

const PARTIAL_HINT = 'Only of the calls whose provider cost is in the catalogue'

interface MarginSum {
  revenue_nanos: number
  margin_nanos: number | null
  known_revenue_nanos: number | null
}

/** Returns the margin as a fraction of the revenue of calls with a known cost; null if that revenue is 0. */
const marginShare = ({ margin_nanos, known_revenue_nanos }: MarginSum): number | null =>
  margin_nanos === null || !known_revenue_nanos ? null : margin_nanos / known_revenue_nanos

/** "32 % of revenue", or "32 % of 12.00 USD with a known cost". */
export function MarginWords(sum: MarginSum) {
  const { revenue_nanos, margin_nanos, known_revenue_nanos } = sum
  if (margin_nanos === null) return null
  const tone = margin_nanos < 0 ? 'tone-bad' : undefined
  const part = marginShare(sum)
  if (part === null) return <span className={tone}>on calls that were free for their accounts</span>
  if (known_revenue_nanos === revenue_nanos) return <span className={tone}>{share(part)} of revenue</span>
  return (
    <span className={tone} title={PARTIAL_HINT}>
      {share(part)} of <Money nanos={known_revenue_nanos} /> with a known cost
    </span>
  )
}

/** The same, for places where revenue, cost and margin are side by side; undefined if they add up and need no explanation. */
export function partlyKnown({
  revenue_nanos = 0,
  margin_nanos = null,
  known_revenue_nanos = null,
}: Partial<MarginSum>) {
  if (margin_nanos === null || known_revenue_nanos === revenue_nanos) return undefined
  return <MarginWords {...{ revenue_nanos, margin_nanos, known_revenue_nanos }} />
}
