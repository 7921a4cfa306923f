// Page entries of plans. The side bar shows them if a plan is offered or the account has one.
import { CalendarSync } from 'lucide-react'
import { OPERATOR, type PageEntry } from '../../console/web/app/page-entry.ts'

export const plan_pages: readonly PageEntry[] = [
  {
    path: '/plan',
    title: 'Plan',
    seen_by: ['account'],
    right: 'see_payments',
    feature: 'plans',
    icon: CalendarSync,
    letter: 'n',
    load: () => import('./plan.tsx'),
    also: 'subscription monthly limits renew cancel',
  },
  {
    path: '/plans',
    title: 'Plans',
    seen_by: OPERATOR,
    right: 'see_payments',
    feature: 'plans',
    icon: CalendarSync,
    letter: 'n',
    load: () => import('./plans.tsx'),
    also: 'subscriptions monthly revenue',
  },
  {
    path: '/plans/:account',
    title: 'Plan of an account',
    seen_by: OPERATOR,
    right: 'see_payments',
    load: () => import('./plan-of-account.tsx'),
  },
]
