// Page entries of referrals: an account's link, and the staff's list.
import { Gift } from 'lucide-react'
import { OPERATOR, type PageEntry } from '../../console/web/app/page-entry.ts'

export const referral_pages: readonly PageEntry[] = [
  {
    path: '/refer',
    title: 'Refer a friend',
    seen_by: ['account'],
    right: 'see_payments',
    feature: 'referral',
    icon: Gift,
    load: () => import('./refer.tsx'),
    also: 'referral link invite friends earn share',
  },
  {
    path: '/referrals',
    title: 'Referrals',
    seen_by: OPERATOR,
    below: '/accounts',
    load: () => import('./referrals.tsx'),
    also: 'who referred whom affiliate share',
  },
]
