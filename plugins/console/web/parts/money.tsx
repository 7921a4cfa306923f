// An amount: to the cent, with every nano-dollar on hover.
import { exactUsd, roundedUsd } from './amounts.ts'

export interface MoneyProps {
  nanos: number | null
  /** Every digit, for price lines and charges. */
  exact?: boolean
  /** False in columns whose head names the unit. */
  unit?: boolean
}

/** "12.50 USD". An amount that is not known is a dash. */
export function Money({ nanos, exact, unit = true }: MoneyProps) {
  if (nanos === null) return <span className="soft">–</span>
  return (
    <span className="no-wrap" title={`${exactUsd(nanos)} USD`}>
      {exact ? exactUsd(nanos) : roundedUsd(nanos)}
      {unit && <span className="unit"> USD</span>}
    </span>
  )
}
