// Margins with the revenue that they are of: only calls with a known provider cost have one.
import { share } from './amounts.ts'
import { Money } from './money.tsx'

const OF_A_PART = 'Only of the calls whose provider cost is in the catalogue'

interface MarginSum {
  revenue_nanos: number
  margin_nanos: number | null
  known_revenue_nanos: number | null
}

/** The margin as a share of the revenue that it is of; null where that is nothing. */
const marginShare = ({ margin_nanos, known_revenue_nanos }: MarginSum): number | null =>
  margin_nanos === null || !known_revenue_nanos ? null : margin_nanos / known_revenue_nanos

/** "32 % of revenue", or of the part of it with a known provider cost. */
export function MarginWords(sum: MarginSum) {
  const { revenue_nanos, margin_nanos, known_revenue_nanos } = sum
  if (margin_nanos === null) return null
  const tone = margin_nanos < 0 ? 'tone-bad' : undefined
  const part = marginShare(sum)
  if (part === null) return <span className={tone}>on calls that were free for their accounts</span>
  if (known_revenue_nanos === revenue_nanos) return <span className={tone}>{share(part)} of revenue</span>
  return (
    <span className={tone} title={OF_A_PART}>
      {share(part)} of <Money nanos={known_revenue_nanos} /> with a known cost
    </span>
  )
}

/** The same where revenue, cost and margin stand side by side and do not add up. Undefined where they do. */
export function partlyKnown({
  revenue_nanos = 0,
  margin_nanos = null,
  known_revenue_nanos = null,
}: Partial<MarginSum>) {
  if (margin_nanos === null || known_revenue_nanos === revenue_nanos) return undefined
  return <MarginWords {...{ revenue_nanos, margin_nanos, known_revenue_nanos }} />
}
