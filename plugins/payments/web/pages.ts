// Page entries of payments. The side bar shows "Payments" if a payment method is set up.
import { CreditCard } from 'lucide-react'
import type { PageEntry } from '../../console/web/app/page-entry.ts'

export const payment_pages: readonly PageEntry[] = [
  {
    path: '/payments',
    title: 'Payments',
    seen_by: ['operator', 'account'],
    right: 'see_payments',
    feature: 'payments',
    icon: CreditCard,
    letter: 'y',
    load: () => import('./payments.tsx'),
    also: 'orders receipts refunds revenue',
  },
  {
    path: '/add-funds',
    title: 'Add funds',
    seen_by: ['account'],
    right: 'pay',
    feature: 'payments',
    below: '/payments',
    load: () => import('./add-funds.tsx'),
    also: 'pay top up',
  },
  {
    path: '/orders/:order',
    title: 'Order',
    seen_by: ['operator', 'account'],
    right: 'see_payments',
    below: '/payments',
    load: () => import('./order.tsx'),
  },
]
