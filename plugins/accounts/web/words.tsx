// Accounts in words: their status, and how long their money lasts.

import { counted } from '../../console/web/parts/amounts.ts'
import { Status, type Tone } from '../../console/web/parts/status.tsx'
import type { AccountRowView } from '../list.ts'

const TONES: Record<AccountRowView['status'], Tone> = { active: 'good', suspended: 'warn', closed: 'idle' }

export function AccountStatus({
  account: { status, low },
}: {
  account: Pick<AccountRowView, 'status' | 'low'>
}) {
  if (low) return <Status tone="warn">low balance</Status>
  return <Status tone={TONES[status]}>{status}</Status>
}

/** "about 3 days"; null if nothing was spent this week. */
export function lasting(lasts_days: number | null): string | null {
  if (lasts_days === null) return null
  if (lasts_days < 1) return 'less than a day'
  if (lasts_days > 365) return 'over a year'
  return `about ${counted(lasts_days, 'day')}`
}
