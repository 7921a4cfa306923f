// Link from an entry or a debt to its source: the order, the vouchers, the plan or the referrals.
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { useMay, useViewer } from '../../console/web/app/session.tsx'
import type { ConsoleEntry } from '../list.ts'

type Sourced = Pick<ConsoleEntry, 'source' | 'order_id' | 'account_id'>

/**
 * Shows only the text if the viewer cannot see the page.
 *
 * @param apart distinguishes the link from others with the same text, for screen readers
 */
export function SourceLink({ children, apart, ...of }: Sourced & { children: ReactNode; apart?: string }) {
  const is_operator = useViewer().side === 'operator'
  const href = hrefOf(of, is_operator)
  if (!useMay('see_payments') || href === undefined) return children
  return (
    <Link href={href}>
      {children}
      {apart !== undefined && <span className="unseen"> {apart}</span>}
    </Link>
  )
}

function hrefOf({ source, order_id, account_id }: Sourced, is_operator: boolean): string | undefined {
  if (source === 'order' || (source === 'referral' && is_operator))
    return order_id === null ? undefined : `/orders/${order_id}`
  if (source === 'voucher') return is_operator ? '/vouchers?tab=vouchers' : undefined
  if (source === 'plan') return is_operator ? `/plans/${account_id}` : '/plan'
  return source === 'referral' ? '/refer' : undefined
}
