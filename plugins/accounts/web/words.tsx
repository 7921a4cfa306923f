// Texts about accounts: status, and how long the balance lasts.

import { countNoun } from '../../console/web/parts/amounts.ts'
import { Status, type Tone } from '../../console/web/parts/status.tsx'
import type { AccountRowView } from '../list.ts'

const TONES: Record<AccountRowView['status'], Tone> = { active: 'good', suspended: 'warn', closed: 'idle' }

type Standing = Pick<AccountRowView, 'status' | 'low' | 'suspension_reason' | 'debt_nanos'>

export function AccountStatus({ account }: { account: Standing }) {
  const { status, low } = account
  if (low) return <Status tone="warn">low balance</Status>
  return <Status tone={TONES[status]}>{status === 'suspended' ? suspendedWords(account) : status}</Status>
}

/** After a lost dispute, it says whether the debt is paid, which the operator needs to know to resume the account. */
const suspendedWords = ({ suspension_reason, debt_nanos }: Standing): string =>
  suspension_reason === 'lost_dispute'
    ? `suspended, ${debt_nanos > 0 ? 'owes after a dispute' : 'debt paid'}`
    : 'suspended'

/** "about 3 days"; null if nothing was spent this week. */
export function lasting(lasts_days: number | null): string | null {
  if (lasts_days === null) return null
  if (lasts_days < 1) return 'less than a day'
  if (lasts_days > 365) return 'over a year'
  return `about ${countNoun(lasts_days, 'day')}`
}
