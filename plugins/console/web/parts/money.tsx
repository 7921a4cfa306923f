// An amount: to the cent, with every nano-dollar on hover.
import { balanceUsd, exactUsd, fixedUsd, roundedUsd } from './amounts.ts'

interface MoneyProps {
  nanos: number | null
  /** Every digit, for price lines and charges. */
  exact?: boolean
  /** What an account has left: rounded down. */
  balance?: boolean
  /** So many decimals, as all of its column have. */
  decimals?: number
  /** False in columns whose head names the unit. */
  unit?: boolean
}

/** "12.50 USD". An amount that is not known is a dash. */
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
