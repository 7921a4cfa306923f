// Spend limits of a key with their use, and a warning from 80 % on.
import type { ReactNode } from 'react'
import { share } from '../../console/web/parts/amounts.ts'
import { Facts } from '../../console/web/parts/facts.tsx'
import { Money } from '../../console/web/parts/money.tsx'
import { Notice } from '../../console/web/parts/notice.tsx'
import { Time } from '../../console/web/parts/time.tsx'
import type { KeyRowView } from '../list.ts'

type SpendLimit = KeyRowView['spend_limits'][number]

const TITLES = {
  '5h': '5 hours',
  day: 'Today (UTC)',
  week: 'This week (UTC)',
  month: 'This month (UTC)',
  total: 'In total',
} as const
export const LIMIT_NAMES = {
  '5h': '5-hour limit',
  day: 'daily limit',
  week: 'weekly limit',
  month: 'monthly limit',
  total: 'spend limit',
} as const

const usedShare = ({ used_nanos, limit_nanos }: SpendLimit): string =>
  share(limit_nanos === 0 ? 1 : used_nanos / limit_nanos)

export const closestLimit = (limits: readonly SpendLimit[]): SpendLimit | undefined =>
  limits.find(({ state }) => state === 'reached') ?? limits.find(({ state }) => state === 'near')

export function SpendLimitFacts({ limits }: { limits: readonly SpendLimit[] }) {
  if (limits.length === 0) return <p className="soft">No spend limit.</p>
  return (
    <Facts
      facts={limits.map((limit) => [
        TITLES[limit.period],
        <span key={limit.period}>
          <Money nanos={limit.used_nanos} /> of <Money nanos={limit.limit_nanos} /> ({usedShare(limit)})
          {limit.resets_at_ms !== null && (
            <span className="soft">
              ; resets <Time at_ms={limit.resets_at_ms} />
            </span>
          )}
        </span>,
      ])}
    />
  )
}

/** Warns about the closest limit; hidden below 80 %. @param who the subject of the sentence: "This key" */
export function LimitWarning({ limits, who }: { limits: readonly SpendLimit[]; who: ReactNode }) {
  const limit = closestLimit(limits)
  if (!limit) return null
  const is_reached = limit.state === 'reached'
  return (
    <Notice tone="warn">
      {who} has used {usedShare(limit)} of its {LIMIT_NAMES[limit.period]} of{' '}
      <Money nanos={limit.limit_nanos} />.{' '}
      {is_reached ? 'Its calls are refused' : 'Calls beyond the limit are refused'}
      {limit.resets_at_ms === null ? '. Raise the limit to continue.' : <Until limit={limit} />}
    </Notice>
  )
}

const Until = ({ limit: { resets_at_ms, state } }: { limit: SpendLimit }) => (
  <>
    {state === 'reached' ? ' until the limit resets ' : '; it resets '}
    {resets_at_ms !== null && <Time at_ms={resets_at_ms} />}.
  </>
)
