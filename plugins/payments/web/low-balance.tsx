// Notice of a low balance on an account's Overview, with a link to add funds; empty without a payment method.
import { Link } from 'wouter'
import { useViewer } from '../../console/web/app/session.tsx'
import { balanceUsd } from '../../console/web/parts/amounts.ts'
import { Notice } from '../../console/web/parts/notice.tsx'
import { useWeek } from '../../console/web/parts/week.ts'
import { useCanPay } from './add-funds-link.tsx'

interface LowBalanceProps {
  money: { available_nanos: number; debt_nanos: number } | null | undefined
}

/** A balance is low if it lasts less than three days at the average spend of the last seven, as in lists of accounts. */
const LOW_DAYS = 3
const WEEK_DAYS = 7

/** Whether the data of `LowBalance` is loading: the page waits, so that the notice does not push its content down later. */
export function useIsLowBalanceAwaited(): boolean {
  return useWeek({}, useCanPay()).isLoading
}

export function LowBalance({ money }: LowBalanceProps) {
  const { suspension } = useViewer()
  const can_pay = useCanPay()
  const { data } = useWeek({}, can_pay)
  // A suspended account has its own notice, which includes the debt.
  if (!can_pay || !money || suspension) return null
  const { available_nanos, debt_nanos } = money
  const daily_nanos = (data?.totals.spent_nanos ?? 0) / WEEK_DAYS
  const is_used_up = debt_nanos > 0 || available_nanos <= 0
  if (!is_used_up && (daily_nanos === 0 || available_nanos / daily_nanos >= LOW_DAYS)) return null
  return (
    <Notice tone={is_used_up ? 'bad' : 'warn'}>
      {is_used_up
        ? debt_nanos > 0
          ? 'Your account is in debt, so calls are refused. '
          : 'Your balance is 0.00 USD, so calls paid from it are refused. '
        : `Your balance is ${balanceUsd(available_nanos)} USD: less than three days at your pace. `}
      <Link href="/add-funds">Add funds</Link>
    </Notice>
  )
}
