// How many requests were refused, as one of a page's figures and as a fact.
import { Link } from 'wouter'
import { count } from '../../console/web/parts/amounts.ts'
import { Figure } from '../../console/web/parts/figure.tsx'
import { type Refusals, type RefusalsOf, refusedHref } from './refusals.ts'
import { refusalReason } from './words.ts'

interface RefusedProps extends Pick<RefusalsOf, 'account' | 'key_id'> {
  /** Absent while they are not known. */
  refusals: Refusals | undefined
}

/** Stands within `Figures`. @param label with its time, where the page does not say it */
export function RefusedFigure({
  refusals,
  label = 'Refused requests',
  ...of
}: RefusedProps & { label?: string }) {
  const [most] = refusals?.reasons ?? []
  return (
    <Figure
      label={label}
      value={refusals ? count(refusals.refused) : '–'}
      note={most ? <Link href={refusedHref(of)}>{`mostly ${refusalReason(most.code)}`}</Link> : 'none'}
    />
  )
}

/** "12, mostly rate limit", as a link to them. */
export function RefusedFact({ refusals, ...of }: RefusedProps) {
  if (!refusals) return <span className="soft">–</span>
  const [most] = refusals.reasons
  if (!most) return <>none</>
  return (
    <Link href={refusedHref(of)}>
      {count(refusals.refused)}, mostly {refusalReason(most.code)}
    </Link>
  )
}
