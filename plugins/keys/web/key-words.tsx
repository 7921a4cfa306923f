// Texts about keys: status and last use.

import { Status, type Tone } from '../../console/web/parts/status.tsx'
import { ClockTime, Time } from '../../console/web/parts/time.tsx'
import { exactTime } from '../../console/web/parts/time-words.ts'
import type { KeyRowView } from '../list.ts'
import { closestLimit } from './spend-limits.tsx'

const TONES: Record<KeyRowView['status'], Tone> = {
  active: 'good',
  retiring: 'warn',
  expired: 'idle',
  revoked: 'idle',
}

export function KeyStatus({ of: key }: { of: KeyRowView }) {
  const { status, spend_limits, revoked_at_ms } = key
  const limit = status === 'active' ? closestLimit(spend_limits) : undefined
  if (limit)
    return (
      <Status tone="warn" title="A spend limit is reached, or 80 % of it is used. Open the key to see which.">
        {limit.state === 'reached' ? 'limit reached' : 'near limit'}
      </Status>
    )
  const title =
    status === 'retiring' && revoked_at_ms !== null ? `Works until ${exactTime(revoked_at_ms)}` : undefined
  return (
    <Status tone={TONES[status]} title={title}>
      {status}
    </Status>
  )
}

/** The last use of a key. Calls older than a month are not found. */
export function LastUse({
  of: { last_used_at_ms, spent_nanos },
  exact,
}: {
  of: KeyRowView
  exact?: boolean
}) {
  if (last_used_at_ms !== null)
    return exact ? <Time at_ms={last_used_at_ms} exact /> : <ClockTime at_ms={last_used_at_ms} />
  return <span className="soft">{spent_nanos > 0 ? 'over a month ago' : 'never'}</span>
}
