// Figures: the main numbers of a page, each with its change.
import { ArrowDown, ArrowUp } from 'lucide-react'
import type { ReactNode } from 'react'
import { share } from './amounts.ts'

interface FigureProps {
  label: string
  value: ReactNode
  /** The change from the previous period: 0.12 is up by 12 %; null if there is nothing to compare. */
  change?: number | null
  /** The direction that is good; omitted if neither is. */
  good?: 'up' | 'down'
  /** Below the value instead of a change. */
  note?: ReactNode
}

export function Figure({ label, value, change, good, note }: FigureProps) {
  return (
    <div className="figure">
      <dt>{label}</dt>
      <dd className="figure-value">{value}</dd>
      <dd className="change">{note ?? <Change change={change ?? null} good={good} />}</dd>
    </div>
  )
}

/** From 1,000 % on, the change is shown as a multiple. */
const MANY_TIMES = 10

type Amount = number | null | undefined

/** Returns the change as a fraction of the earlier amount; null if there is nothing to compare. */
export const changeOf = (now: Amount, before: Amount): number | null =>
  now == null || before == null || before <= 0 ? null : now / before - 1

function Change({ change, good }: Pick<FigureProps, 'change' | 'good'>) {
  if (change === null || change === undefined) return null
  if (Math.abs(change) < 0.005) return <>about the same as before</>
  const is_up = change > 0
  const tone = good === undefined ? '' : (good === 'up') === is_up ? 'tone-good' : 'tone-bad'
  const Icon = is_up ? ArrowUp : ArrowDown
  return (
    <>
      <span className={`row ${tone}`}>
        <Icon className="icon" aria-hidden />
        {change < MANY_TIMES
          ? `${is_up ? 'up' : 'down'} ${share(Math.abs(change))}`
          : `${Math.round(change + 1)} ×`}
      </span>
      {change < MANY_TIMES ? 'from before' : 'before'}
    </>
  )
}

export const Figures = ({ children }: { children: ReactNode }) => <dl className="figures">{children}</dl>
