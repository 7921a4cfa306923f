// The notice of a low balance on the Overview of an account, with the way to add funds. Nothing where no payment method is set up.
import { Link } from 'wouter'
import { useViewer } from '../../console/web/app/session.tsx'
import { balanceUsd } from '../../console/web/parts/amounts.ts'
import { Notice } from '../../console/web/parts/notice.tsx'
import { useWeek } from '../../console/web/parts/week.ts'
import { useCanPay } from './add-funds-link.tsx'

interface LowBalanceProps {
  money: { available_nanos: number; debt_nanos: number } | null | undefined
}

/** As in lists of accounts: less than three days are left at the pace of the last seven. */
const LOW_DAYS = 3
const WEEK_DAYS = 7

/** Reports whether `LowBalance` is still to come, and would push down the parts below it. */
export function useIsLowBalanceAwaited(): boolean {
  return useWeek({}, useCanPay()).isLoading
}

export function LowBalance({ money }: LowBalanceProps) {
  const { suspension } = useViewer()
  const can_pay = useCanPay()
  const { data } = useWeek({}, can_pay)
  // The notice of a suspended account says what it owes.
  if (!can_pay || !money || suspension) return null
  const { available_nanos, debt_nanos } = money
  const a_day_nanos = (data?.totals.spent_nanos ?? 0) / WEEK_DAYS
  const is_out = debt_nanos > 0 || available_nanos <= 0
  if (!is_out && (a_day_nanos === 0 || available_nanos / a_day_nanos >= LOW_DAYS)) return null
  return (
    <Notice tone={is_out ? 'bad' : 'warn'}>
      {is_out
        ? debt_nanos > 0
          ? 'Your account is in debt, so calls are refused. '
          : 'Your balance is used up, so calls are refused. '
        : `Your balance is ${balanceUsd(available_nanos)} USD: less than three days at your pace. `}
      <Link href="/add-funds">Add funds</Link>
    </Notice>
  )
}
