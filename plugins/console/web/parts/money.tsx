// An amount in USD, rounded, with the exact amount on hover.
import { balanceUsd, exactUsd, fixedUsd, roundedUsd } from './amounts.ts'

interface MoneyProps {
  nanos: number | null
  /** Shows every digit, for price lines and charges. */
  exact?: boolean
  balance?: boolean
  /** The number of decimals, the same in a whole column. */
  decimals?: number
  /** False in columns that have the unit in their head. */
  unit?: boolean
}

/** "12.50 USD"; a dash if unknown. */
export function Money({ nanos, unit = true, ...how }: MoneyProps) {
  if (nanos === null) return <span className="soft">–</span>
  return (
    <span className="no-wrap" title={`${exactUsd(nanos)} USD`}>
      {textOf(nanos, how)}
      {unit && <span className="unit"> USD</span>}
    </span>
  )
}

function textOf(nanos: number, { exact, balance, decimals }: Omit<MoneyProps, 'nanos' | 'unit'>): string {
  if (exact) return exactUsd(nanos)
  if (balance) return balanceUsd(nanos)
  return decimals === undefined ? roundedUsd(nanos) : fixedUsd(nanos, decimals)
}
