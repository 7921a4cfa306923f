// The limits of a plan as bars, with use, rest and reset time.
import { exactUsd, share } from '../../console/web/parts/amounts.ts'
import { Money } from '../../console/web/parts/money.tsx'
import { Time } from '../../console/web/parts/time.tsx'
import { LIMIT_TITLES, type Plan } from './words.ts'

type Limit = Plan['limits'][number]

/** Threshold of the warning colour; the same as for the server's state `near`. */
const NEAR = 0.8

export const LimitBars = ({ plan }: { plan: Plan }) => (
  <ul className="plan-limits" aria-label="Limits of the plan">
    {plan.limits.map((limit) => (
      <LimitBar key={limit.period} limit={limit} plan={plan} />
    ))}
  </ul>
)

function LimitBar({ limit, plan }: { limit: Limit; plan: Plan }) {
  const { period, used_nanos, limit_nanos, left_nanos, state } = limit
  const used = limit_nanos === 0 ? 1 : Math.min(1, used_nanos / limit_nanos)
  const title = LIMIT_TITLES[period]
  return (
    <li>
      <div className="spread">
        <b>{title}</b>
        <span>
          <Money nanos={left_nanos} balance /> left of <Money nanos={limit_nanos} />
        </span>
      </div>
      <meter
        className="bar"
        aria-label={title}
        aria-valuetext={`${exactUsd(used_nanos)} of ${exactUsd(limit_nanos)} USD used`}
        min={0}
        max={1}
        high={NEAR}
        value={used}
      >
        {share(used)}
      </meter>
      <div className="small soft spread">
        <span>
          <Money nanos={used_nanos} /> used ({share(used)}){state === 'reached' && ': limit reached'}
        </span>
        <Reset limit={limit} plan={plan} />
      </div>
    </li>
  )
}

function Reset({ limit: { period, resets_at_ms }, plan }: { limit: Limit; plan: Plan }) {
  if (period === 'month' && plan.state === 'unpaid') return <span>Renews once it is paid</span>
  if (resets_at_ms === null) return <span>Begins with the next call</span>
  if (period === 'month' && !plan.renews)
    return (
      <span>
        Ends <Time at_ms={resets_at_ms} />
      </span>
    )
  return (
    <span>
      {period === 'month' ? 'Renews ' : 'Resets '}
      <Time at_ms={resets_at_ms} />
    </span>
  )
}
